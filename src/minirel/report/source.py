"""Where the data of a report came from."""

from dataclasses import dataclass

from minirel.points.numbers import amount
from minirel.points.wording import agreeing


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
    n_left_out : int, default=0
        How many of the rows were left out, because of what they lack.
    lacking : str, default="missing cells"
        What these have, or have not: "no group".
    missing : str, default=""
        What was asked to be done about missing cells before the fit, such as "--missing mean".

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
    n_left_out: int = 0
    lacking: str = "missing cells"
    missing: str = ""

    def left_out(self, so: str) -> list[str]:
        """A sentence about the rows that were left out, and so are what `so` says; none if there are none."""
        n = self.n_left_out
        if not n:
            return []
        asked = f" ({self.missing})" if self.missing else ""
        has, are = agreeing("has", n), agreeing("is", n)
        return [f"{amount(n)} of {amount(self.n_rows, 'row')} {has} {self.lacking} and {are} {so}{asked}."]
