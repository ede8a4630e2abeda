"""Songs that topped the Billboard Hot 100: how they sound, and who sings them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.datasets.dataset import Dataset, Folder, scaled
from minirel.datasets.files import Source, read_file

_FEATURES = ("bpm", "energy", "danceability", "happiness", "loudness_d_b", "acousticness", "length_sec")
_SOURCE = Source(
    "billboard_number_ones.csv",
    1_177,
    ("song", "artist", "date", "cdr_genre", "artist_male", "artist_black", *_FEATURES),
    "number ones of the Billboard Hot 100 from 1958 to 2025, compiled by Chris Dalla Riva and published by "
    "TidyTuesday on 2025-08-26",
)
_MISSING = ("", "NA")


@dataclass(frozen=True, eq=False, repr=False)
class Billboard(Dataset):
    """Number-one songs.

    `X` has how they sound, in [0, 1]. `groups` says of each song whether all of its artists are ``"women"``
    and whether all are ``"Black artists"``; those of mixed or unknown artists are in neither. `target` is the
    genre.

    Attributes
    ----------
    song, artist : tuple of str
        What it is called, and who sings it.
    year : ndarray of shape (n,)
        In which it first topped the list.

    Examples
    --------
    >>> from minirel.datasets import load_billboard
    >>> songs = load_billboard()
    >>> songs.song[0], songs.artist[0], int(songs.year[0])
    ('Poor Little Fool', 'Ricky Nelson', 1958)
    """

    song: tuple[str, ...]
    artist: tuple[str, ...]
    year: NDArray[np.int64]


def load_billboard(*, data_home: Folder | None = None) -> Billboard:
    """Load the number-one songs of 1958 to 2025: 1,175 of which it is known how they sound.

    Parameters
    ----------
    data_home : path, optional
        The folder with billboard_number_ones.csv; by default the one that the environment variable
        MINIREL_DATA names.

    Returns
    -------
    Billboard
        Seven features, and the groups ``"women"`` and ``"Black artists"``, which overlap.

    Raises
    ------
    FileNotFoundError
        If the file is not there; it says what to put where.
    ValueError
        If the file does not hold what it should.

    Examples
    --------
    >>> from minirel.datasets import load_billboard
    >>> songs = load_billboard()
    >>> songs.X.shape, sorted(songs.groups)
    ((1175, 7), ['Black artists', 'women'])
    """
    cells = read_file(_SOURCE, data_home)
    sound = np.column_stack([cells.numbers(name, _MISSING) for name in _FEATURES])
    known = ~np.isnan(sound).any(axis=1)

    def some(column: str) -> NDArray[np.object_]:
        return np.array(cells[column], dtype=object)[known]

    return Billboard(
        "Billboard number ones",
        scaled(sound[known]),
        _FEATURES,
        {"women": some("artist_male") == "0", "Black artists": some("artist_black") == "1"},
        some("cdr_genre"),
        tuple(some("song").tolist()),
        tuple(some("artist").tolist()),
        np.array([int(date[:4]) for date in some("date").tolist()]),
    )
