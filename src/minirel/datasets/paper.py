"""The paper's data sets, prepared as in its section 5: numbers to [0, 1], categories one-hot."""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.datasets.dataset import Column, Dataset, Folder, scaled
from minirel.points.errors import ParameterValueError

# Of pandas, which the core and its type checks do without.
_Frame: TypeAlias = Any
_Series: TypeAlias = Any


@dataclass(frozen=True)
class _Origin:
    """Where a data set comes from, and what its raw columns hold."""

    name: str
    files: dict[str, int]  # the rows of each
    page: str
    openml: str
    version: int
    columns: tuple[str, ...]
    categories: tuple[str, ...]
    target: str
    target_values: tuple[str, ...] | tuple[int, ...]
    openml_columns: tuple[str, ...]  # as OpenML calls them
    codes: bool  # whether the categories and the target are whole numbers
    header: bool  # whether the files have one
    as_csv: str = ""

    @property
    def n_rows(self) -> int:
        return sum(self.files.values())

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(c for c in self.columns if c not in (*self.categories, self.target))

    @property
    def advice(self) -> str:
        """Which files to get, and where to put them."""
        return (
            f"put {' and '.join(self.files)} of UCI's page {self.name!r} ({self.page}{self.as_csv}) into a "
            "folder, and name the folder in the environment variable MINIREL_DATA or as data_home"
        )


_ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country"),
)
_ADULT = _Origin(
    name="Adult",
    files={"adult.data": 32_561, "adult.test": 16_281},
    page="https://archive.ics.uci.edu/dataset/2/adult",
    openml="adult",
    version=2,
    columns=(*_ADULT_COLUMNS, "income"),
    categories=(
        *("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex"),
        "native-country",
    ),
    target="income",
    target_values=("<=50K", ">50K"),
    codes=False,
    header=False,
    openml_columns=(*_ADULT_COLUMNS, "class"),
)
_DEFAULT = _Origin(
    name="Default of Credit Card Clients",
    files={"default_of_credit_card_clients.csv": 30_000},
    page="https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
    openml="default-of-credit-card-clients",
    version=1,
    columns=(
        *("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
        *("PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6"),
        *(f"BILL_AMT{month}" for month in range(1, 7)),
        *(f"PAY_AMT{month}" for month in range(1, 7)),
        "default payment next month",
    ),
    categories=("SEX", "EDUCATION", "MARRIAGE"),
    target="default payment next month",
    target_values=(0, 1),
    codes=True,
    header=True,
    as_csv=": save its sheet as CSV from the row on that starts with ID",
    openml_columns=(*(f"x{number}" for number in range(1, 24)), "y"),
)


def load_iris() -> Dataset:
    """Load Iris: 150 flowers, 4 features, groups by species.

    It comes with scikit-learn. The species is also the target, as there is no other.

    Returns
    -------
    Dataset
        Features in [0, 1], and the groups ``"setosa"``, ``"versicolor"`` and ``"virginica"``.

    Examples
    --------
    >>> from minirel import MiniReL
    >>> from minirel.datasets import load_iris
    >>> iris = load_iris()
    >>> iris
    <Dataset Iris: 150 points, 4 features>
    >>> iris.feature_names
    ('sepal length', 'sepal width', 'petal length', 'petal width')
    >>> model = MiniReL(3, random_state=0).fit(iris.X, sensitive_features=iris.groups)
    >>> model.audit_.satisfied
    True
    """
    import sklearn.datasets

    raw = sklearn.datasets.load_iris()
    species = raw.target_names.astype(object)[raw.target]
    # Once scaled they are no longer centimetres.
    names = tuple(name.removesuffix(" (cm)") for name in raw.feature_names)
    return Dataset("Iris", scaled(raw.data), names, groups=species, target=species.copy())


def load_adult(*, group: str | Sequence[str] = "sex", data_home: Folder | None = None) -> Dataset:
    """Load UCI Adult: 48,842 people of the census of 1994, groups by sex unless another column is named.

    As in the paper, only the target and the columns that make the groups are left out of the features: with
    groups by sex, race is a feature. An unknown value, "?", is a category of its own.

    Parameters
    ----------
    group : str or sequence of str, default="sex"
        The column whose values are the groups, or several, as in ``("race", "sex")``: any with categories.
    data_home : path, optional
        The folder with the UCI files adult.data and adult.test; by default the one that the environment
        variable MINIREL_DATA names. If neither is given, or `data_home` holds no such file, scikit-learn
        fetches the data from OpenML and keeps it in `data_home`: the same rows, perhaps in another order.

    Returns
    -------
    Dataset
        106 features when the groups are by sex. `groups` is an array for one name, a dict of arrays for a
        sequence; `target` is ``"<=50K"`` or ``">50K"``.

    Raises
    ------
    FileNotFoundError
        If a file is not there, or the data cannot be fetched; it says what to put where.
    ValueError
        If a file does not hold what it should.

    Examples
    --------
    >>> from minirel.datasets import load_adult
    >>> load_adult()
    <Dataset Adult: 48,842 points, 106 features>
    >>> sorted(load_adult(group=("race", "sex")).groups)
    ['race', 'sex']
    """
    names = (group,) if isinstance(group, str) else tuple(group)
    if not names or len(set(names)) < len(names) or not set(names) <= set(_ADULT.categories):
        known = ", ".join(map(repr, _ADULT.categories))
        raise ParameterValueError("group", f"must be one or several, each once, of {known}", group)
    frame = _load(_ADULT, data_home)
    columns = {name: frame[name].to_numpy(dtype=object) for name in names}
    return _prepare(_ADULT, frame, columns[group] if isinstance(group, str) else columns, names)


def load_default(*, data_home: Folder | None = None) -> Dataset:
    """Load UCI Default of Credit Card Clients: 30,000 clients of a bank in 2005, groups by sex.

    Education and marriage are categories; the rest, the delays of payment among them, are numbers.

    Parameters
    ----------
    data_home : path, optional
        The folder with UCI's file, as default_of_credit_card_clients.csv; by default the one that the
        environment variable MINIREL_DATA names. If neither is given, or `data_home` does not hold the file,
        scikit-learn fetches the data from OpenML and keeps it in `data_home`.

    Returns
    -------
    Dataset
        31 features, and the groups 1 (men) and 2 (women); `target` is 1 for who did not pay, else 0.

    Raises
    ------
    FileNotFoundError
        If the file is not there, or the data cannot be fetched; it says what to put where.
    ValueError
        If the file does not hold what it should.

    Examples
    --------
    >>> from minirel.datasets import load_default
    >>> default = load_default()
    >>> default.X.shape, sorted(set(default.groups))
    ((30000, 31), [1, 2])
    """
    frame = _load(_DEFAULT, data_home)
    return _prepare(_DEFAULT, frame, frame["SEX"].to_numpy(dtype=object), ("SEX",))


def _prepare(
    origin: _Origin, frame: _Frame, groups: Column | dict[str, Column], group_names: Collection[str]
) -> Dataset:
    categories = [name for name in origin.categories if name not in group_names]
    one_hot = _pandas().get_dummies(frame[categories].astype(str), prefix_sep="=", dtype=float)
    numbers = scaled(frame[list(origin.numbers)].to_numpy(dtype=np.float64))
    return Dataset(
        origin.name,
        np.ascontiguousarray(np.hstack([numbers, one_hot.to_numpy()])),
        (*origin.numbers, *one_hot.columns),
        groups,
        frame[origin.target].to_numpy(dtype=np.int64 if origin.codes else object),
    )


def _load(origin: _Origin, data_home: Folder | None) -> _Frame:
    """The raw columns, checked, from the folder with the files or from OpenML."""
    pandas = _pandas()
    folder = _folder(origin, data_home)
    if folder is None:
        return _checked(origin, _fetch(origin, data_home), _openml(origin), origin.n_rows)
    paths = {folder / name: n_rows for name, n_rows in origin.files.items()}
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}: {origin.advice}")
    parts = [_checked(origin, _read(origin, path), str(path), n_rows) for path, n_rows in paths.items()]
    return pandas.concat(parts, ignore_index=True)


def _folder(origin: _Origin, data_home: Folder | None) -> Path | None:
    """The folder to read files from, or None for OpenML."""
    if data_home is None:
        named = os.environ.get("MINIREL_DATA")
        return Path(named).expanduser() if named else None
    folder = Path(data_home).expanduser()
    return folder if any((folder / name).is_file() for name in origin.files) else None


def _read(origin: _Origin, path: Path) -> _Frame:
    """A file's cells as text, with the names of its columns."""
    try:
        # Were pandas told the names, it would take the first of too many columns for an index.
        cells = _pandas().read_csv(
            path,
            header=None,
            dtype=str,
            keep_default_na=False,
            skipinitialspace=True,
            comment=None if origin.header else "|",  # the first line of adult.test
            encoding="utf-8-sig",
        )
    except ValueError as error:  # no cells, rows of several lengths, not text
        raise ValueError(
            f"{path} must be a table with commas between its cells, but cannot be read as one "
            f"({str(error).strip()}): {origin.advice}"
        ) from error
    if origin.header:
        names = cells.iloc[0].astype(str).str.strip()
        return cells.iloc[1:].set_axis(names, axis=1).drop(columns="ID", errors="ignore")
    if cells.shape[1] != len(origin.columns):
        raise ValueError(
            f"{path} must have {len(origin.columns)} columns, {', '.join(origin.columns)}, but has "
            f"{cells.shape[1]}: {origin.advice}"
        )
    return cells.set_axis(origin.columns, axis=1)


def _fetch(origin: _Origin, data_home: Folder | None) -> _Frame:
    """The table on OpenML, with the names of UCI."""
    import sklearn.datasets

    try:
        table = sklearn.datasets.fetch_openml(
            origin.openml, version=origin.version, as_frame=True, data_home=data_home
        )
    # scikit-learn says with a ValueError that OpenML has no such table, or that what came is damaged.
    except (OSError, HTTPException, ValueError) as error:
        folder = "no folder is named" if data_home is None else f"{os.fspath(data_home)} has no file of it"
        raise FileNotFoundError(
            f"{origin.name} cannot be loaded: {folder}, and {_openml(origin)} could not be fetched "
            f"({type(error).__name__}: {error}). Without a network, {origin.advice}"
        ) from error
    names = dict(zip(origin.openml_columns, origin.columns, strict=True))
    frame = table.frame.rename(columns=names).drop(columns="ID", errors="ignore")
    if not origin.codes:  # OpenML has nothing where UCI has "?"
        unknown = {name: _filled(frame[name], "?") for name in origin.categories if name in frame}
        frame = frame.assign(**unknown)
    return frame


def _openml(origin: _Origin) -> str:
    return f"OpenML's {origin.openml!r} (version {origin.version})"


def _checked(origin: _Origin, frame: _Frame, where: str, n_rows: int) -> _Frame:
    """The columns of `origin`, in its order, as numbers and texts."""
    found = [str(name) for name in frame.columns]
    if sorted(found) != sorted(origin.columns):
        missing = [name for name in origin.columns if name not in found]
        raise ValueError(
            f"{where} must have the columns {', '.join(origin.columns)}, but has {', '.join(found)}"
            f"{f', so {missing[0]!r} is missing' if missing else ''}: {origin.advice}"
        )
    if len(frame) != n_rows:
        raise ValueError(f"{where} must have {n_rows:,} rows, but has {len(frame):,}: {origin.advice}")
    columns = {name: _checked_column(origin, frame[name], where) for name in origin.columns}
    return _pandas().DataFrame(columns)


def _checked_column(origin: _Origin, raw: _Series, where: str) -> NDArray[Any]:
    column: NDArray[Any]
    is_number = raw.name in origin.numbers
    if is_number or origin.codes:
        column = _pandas().to_numeric(_filled(raw, ""), errors="coerce").to_numpy(dtype=np.float64)
        right = np.isfinite(column) if is_number else column == np.round(column)
        rule = "a number" if is_number else "a whole number"
    else:
        # The labels of adult.test end in a full stop, and no other text does.
        column = _filled(raw, "").astype(str).str.strip().str.removesuffix(".").to_numpy(dtype=object)
        right = column != ""
        rule = "a value"
    if raw.name == origin.target:
        right = np.isin(column, origin.target_values)
        rule = " or ".join(map(str, origin.target_values))
    if not right.all():
        row = int(np.argmin(right))
        raise ValueError(
            f"{where} must have {rule} in every row of {raw.name!r}, but row {row + 1:,} of the data has "
            f"{raw.iloc[row]!r}: {origin.advice}"
        )
    return column.astype(np.int64) if origin.codes and not is_number else column


def _filled(column: _Series, value: str) -> _Series:
    # As objects, because a column of categories takes no new one.
    return column.astype(object).where(column.notna(), value)


def _pandas() -> Any:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "reading this data set needs pandas, which is not installed: pip install 'minirel[pandas]'"
        ) from error
