"""Opinions of islanders, as they voted on each other's statements with Polis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.datasets.dataset import Dataset, Folder
from minirel.datasets.files import Source, read_file

# Statements by which participants said where they live, and the numbers that no statement has.
_ISLANDS = {"64": "Orcas", "65": "Lopez", "66": "San Juan", "67": "Shaw"}
_UNUSED = {7, 11, 16, 46}
_STATEMENTS = tuple(str(number) for number in range(297) if number not in _UNUSED)
_SOURCE = Source(
    "polis_islands_votes.csv",
    404,
    ("participant", "group-id", *_STATEMENTS),
    "the participants' votes of the conversation ssis.land-bank-farmland in the Polis open data of The "
    "Computational Democracy Project, CC BY 4.0",
)


@dataclass(frozen=True, eq=False, repr=False)
class Islands(Dataset):
    """Participants of a Polis conversation on the San Juan Islands.

    `X` has their votes: 1 to agree, -1 to disagree, 0 to pass or for a statement not seen; the four about
    where they live are left out. `groups` says which of the islands they agreed to live on, which may be
    several or none. `target` is the opinion group that Polis put them in, -1 for those it left out.

    Data was gathered using the Polis software (see compdemocracy.org/polis) and is sub-licensed under CC BY
    4.0 with Attribution to The Computational Democracy Project.

    Attributes
    ----------
    n_votes : ndarray of shape (n,)
        On how many of these statements each participant voted.

    Examples
    --------
    >>> from minirel.datasets import load_islands
    >>> len(load_islands().n_votes)
    404
    """

    n_votes: NDArray[np.int64]


def load_islands(*, data_home: Folder | None = None) -> Islands:
    """Load what 404 islanders think of farmland and much else, and on which of four islands they live.

    Parameters
    ----------
    data_home : path, optional
        The folder with polis_islands_votes.csv; by default the one that the environment variable MINIREL_DATA
        names.

    Returns
    -------
    Islands
        Votes on 289 statements, and the groups ``"Orcas"``, ``"Lopez"``, ``"San Juan"`` and ``"Shaw"``.

    Raises
    ------
    FileNotFoundError
        If the file is not there; it says what to put where.
    ValueError
        If the file does not hold what it should.

    Examples
    --------
    >>> from minirel.datasets import load_islands
    >>> votes = load_islands()
    >>> {island: int(here.sum()) for island, here in votes.groups.items()}
    {'Orcas': 118, 'Lopez': 57, 'San Juan': 157, 'Shaw': 10}
    """
    cells = read_file(_SOURCE, data_home)
    names = tuple(name for name in _STATEMENTS if name not in _ISLANDS)
    votes = np.column_stack([cells.numbers(name, missing=("",)) for name in names])
    polis = cells.numbers("group-id", missing=("",))
    return Islands(
        "San Juan Islands",
        np.nan_to_num(votes),
        names,
        {island: cells.numbers(name, missing=("",)) == 1 for name, island in _ISLANDS.items()},
        np.where(np.isnan(polis), -1, polis).astype(np.int64),
        (~np.isnan(votes)).sum(axis=1),
    )
