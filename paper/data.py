"""The data sets of the experiments, by the names that the experiments use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from os import environ
from pathlib import Path

import numpy as np

from minirel.datasets import Dataset, load_adult, load_default, load_iris

IRIS, ADULT, DEFAULT, ADULT_BY_RACE = "iris", "adult", "default", "adult by race"
LARGE = (ADULT, DEFAULT)
ALL_DATA = (IRIS, *LARGE)
# One sample of each data set serves all seeds.
_SAMPLE_SEED = 0


def _default(folder: Path | None) -> Dataset:
    whole = load_default(data_home=folder)
    return replace(whole, groups=np.where(whole.groups == 1, "Male", "Female").astype(object))


def _adult_by_race(folder: Path | None) -> Dataset:
    """The opening example: everybody who is not white is one group, and race is no feature."""
    whole = load_adult(group="race", data_home=folder)
    return replace(whole, groups=np.where(whole.groups == "White", "white", "non-white").astype(object))


_LOADERS: Mapping[str, Callable[[Path | None], Dataset]] = {
    IRIS: lambda folder: load_iris(),
    ADULT: lambda folder: load_adult(data_home=folder),
    DEFAULT: _default,
    ADULT_BY_RACE: _adult_by_race,
}
_FILES: Mapping[str, tuple[str, ...]] = {
    ADULT: ("adult.data", "adult.test"),
    ADULT_BY_RACE: ("adult.data", "adult.test"),
    DEFAULT: ("default_of_credit_card_clients.csv",),
}


@dataclass(frozen=True)
class DataSource:
    """Where data sets are taken from: UCI's files in a folder, and OpenML only if `fetch` allows it."""

    folder: Path | None = None
    fetch: bool = False
    _loaded: dict[tuple[str, int | None], Dataset] = field(default_factory=dict, compare=False)

    def missing(self, name: str) -> str | None:
        """Why a data set cannot be had, or None if it can."""
        if name not in _FILES:
            return None
        folder = self._folder
        wanted = " and ".join(_FILES[name])
        way_out = f"name a folder with {wanted} (UCI) in MINIREL_DATA or --data-home, or say --fetch"
        if folder is None:
            return None if self.fetch else f"no folder with its files is named: {way_out}"
        absent = [file for file in _FILES[name] if not (folder / file).is_file()]
        # The loaders fetch only where none of the files is.
        if not absent or (self.fetch and len(absent) == len(_FILES[name])):
            return None
        return f"there is no {absent[0]} in {folder}: {way_out}"

    def load(self, name: str, sample: int | None = None) -> Dataset:
        """The data set, or some of its points drawn at random, always the same."""
        if (name, sample) not in self._loaded:
            self._loaded[name, sample] = self._load(name) if sample is None else self._sample(name, sample)
        return self._loaded[name, sample]

    def fingerprint(self, name: str) -> str:
        """Changes with the points, their order and their groups."""
        data = self.load(name)
        return sha256(data.X.tobytes() + "\n".join(map(str, data.groups)).encode()).hexdigest()[:16]

    @property
    def _folder(self) -> Path | None:
        named = self.folder or environ.get("MINIREL_DATA")
        return Path(named).expanduser() if named else None

    def _load(self, name: str) -> Dataset:
        if (why := self.missing(name)) is not None:
            raise FileNotFoundError(f"{name} cannot be had: {why}")
        # Where a file is not there, an explicit folder lets the loader fetch.
        return _LOADERS[name](self._folder)

    def _sample(self, name: str, size: int) -> Dataset:
        whole = self.load(name)
        if size >= len(whole.X):
            return whole
        chosen = np.sort(np.random.default_rng(_SAMPLE_SEED).choice(len(whole.X), size, replace=False))
        return replace(
            whole, X=whole.X[chosen], groups=np.asarray(whole.groups)[chosen], target=whole.target[chosen]
        )
