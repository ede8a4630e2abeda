"""Where the data of a report came from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """The data of a report and how it was read, so that a reader can repeat it.

    Attributes
    ----------
    name : str
        Name of the data, such as that of its file.
    n_rows, n_columns : int
        Rows and columns that were read.
    fingerprint : str
        A digest of the data: the same for the same data only.
    command : str
        What was typed to get the report.
    columns : tuple of (str, str)
        Name of each column and how it was used: "number", "category, 5 values", "group", "left out".
    seconds : float, optional
        How long it took.

    Examples
    --------
    >>> from minirel.report import Source
    >>> Source("voters.csv", 1200, 3, "sha256:1f0c", "minirel fit voters.csv").n_rows
    1200
    """

    name: str
    n_rows: int
    n_columns: int
    fingerprint: str
    command: str
    columns: tuple[tuple[str, str], ...] = ()
    seconds: float | None = None
