"""Alabama's precincts in the census of 2020: people by race and ethnicity, and which precincts touch."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.datasets.dataset import Folder
from minirel.datasets.files import Source, read_file

_ORIGIN = (
    "figures of the 2020 census by precinct as compiled in the repository rdatools/rdabase on GitHub, which "
    "also says which precincts touch"
)
_GROUPS = ("white", "hispanic", "black", "native", "asian", "pacific", "minority")
_PRECINCTS = Source(
    "alabama_precincts_2020.csv",
    1_837,
    ("geoid", "longitude", "latitude", "population", "vap", *(f"{group}_vap" for group in _GROUPS)),
    _ORIGIN,
)
_ADJACENCY = Source("alabama_adjacency_2020.csv", 5_221, ("geoid", "neighbour"), _ORIGIN)
_KM_PER_DEGREE = 111.195


@dataclass(frozen=True, eq=False)
class Alabama:
    """Precincts: where they are, who lives there, and which of them touch.

    Attributes
    ----------
    geoid : tuple of str
        Identifier of each precinct.
    X : ndarray of shape (n, 2)
        A point inside each precinct, in kilometres east and north of the middle of the state.
    longitude, latitude : ndarray of shape (n,)
        The same point in degrees.
    population : ndarray of shape (n,)
        People of each precinct: the `sample_weight` of districts of equal population.
    members : dict of str to ndarray of shape (n,)
        People of voting age, ``"vap"``, and of these ``"black_vap"``, ``"hispanic_vap"`` and others. With
        ``total="vap"``, some of them are the `sensitive_features` of a fit.
    neighbours : ndarray of shape (n_pairs, 2)
        Pairs of precincts that touch, by index.

    Examples
    --------
    >>> from minirel.datasets import load_alabama
    >>> load_alabama().neighbours.shape
    (5221, 2)
    """

    geoid: tuple[str, ...]
    X: NDArray[np.float64]
    longitude: NDArray[np.float64]
    latitude: NDArray[np.float64]
    population: NDArray[np.int64]
    members: dict[str, NDArray[np.int64]]
    neighbours: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<Alabama: {len(self.geoid):,} precincts, {self.population.sum():,} people>"


def load_alabama(*, data_home: Folder | None = None) -> Alabama:
    """Load the precincts of Alabama in 2020: 1,837 of them, with 5,024,279 people.

    Parameters
    ----------
    data_home : path, optional
        The folder with alabama_precincts_2020.csv and alabama_adjacency_2020.csv; by default the one that the
        environment variable MINIREL_DATA names.

    Returns
    -------
    Alabama
        Coordinates, population, people of voting age by race and ethnicity, and neighbours.

    Raises
    ------
    FileNotFoundError
        If a file is not there; it says what to put where.
    ValueError
        If a file does not hold what it should.

    Examples
    --------
    >>> from minirel.datasets import load_alabama
    >>> state = load_alabama()
    >>> state
    <Alabama: 1,837 precincts, 5,024,279 people>
    >>> round(float(state.members["black_vap"].sum() / state.members["vap"].sum()), 3)
    0.259
    """
    cells, pairs = read_file(_PRECINCTS, data_home), read_file(_ADJACENCY, data_home)
    geoid = tuple(cells["geoid"])
    place = {name: i for i, name in enumerate(geoid)}
    unknown = next(
        (name for column in _ADJACENCY.columns for name in pairs[column] if name not in place), None
    )
    if unknown is not None:
        raise ValueError(
            f"{pairs.path} names a precinct {unknown!r} that {cells.path} has not: {_ADJACENCY.advice}"
        )
    longitude, latitude = cells.numbers("longitude"), cells.numbers("latitude")
    # Over a few hundred kilometres the earth is flat enough.
    east = np.cos(np.radians(latitude.mean())) * (longitude - longitude.mean())
    counted = ("vap", *(f"{group}_vap" for group in _GROUPS))
    return Alabama(
        geoid,
        _KM_PER_DEGREE * np.column_stack([east, latitude - latitude.mean()]),
        longitude,
        latitude,
        cells.counts("population"),
        {name: cells.counts(name) for name in counted},
        np.array([[place[name] for name in pairs[column]] for column in _ADJACENCY.columns]).T,
    )
