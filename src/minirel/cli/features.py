"""Columns as features: numbers scaled to [0, 1], a 0/1 column for each category, as in the paper."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells, is_number
from minirel.cli.identifiers import is_earlier_fit, is_identifier
from minirel.cli.large_column import LargeColumn, Scaled
from minirel.cli.many_valued import ManyValued, looks_many_valued
from minirel.cli.messages import UserError, warn
from minirel.cli.roles import Identifier, LeftOut
from minirel.cli.written import meant

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NO_FEATURES = "no features are left: every column has one value, is dropped, or is a group"
# Up to so many categories there is nothing to advise, and from so many on there is.
_FEW_CATEGORIES, _MANY_CATEGORIES = 10, 100
_CODE = re.compile(r"[A-Za-z]{1,3}[-.]?\d[\w.-]*|\d[\d.]*[-.]?[A-Za-z]{1,2}")
MOST_FEATURES = 100_000  # where a table would be larger: centers are not sparse
_MOST_NUMBERS = 500_000_000  # 4 GB, or 6 GB as a sparse matrix, which also stores where they are
# Where as few of the features can be other than 0, sparse is faster for many clusters, and no slower for few.
_SPARSE_FROM = 5

Column = TypeVar("Column", bound=Cells | LargeColumn)


@dataclass(frozen=True, eq=False)
class Features:
    """The points, the name of each feature, and what was made of each column.

    `low` and `span` turn features back into the units of the file; `columns` are those that were used, and
    `widths` how many features each became.
    """

    X: "NDArray[np.float64] | NDArray[np.float32] | csr_array"
    names: list[str]
    uses: dict[str, str]
    low: NDArray[np.float64]
    span: NDArray[np.float64]
    columns: Sequence[Cells | LargeColumn]
    widths: Sequence[int]

    def in_units(self, centers: NDArray[np.floating]) -> NDArray[np.float64]:
        """Centers in the units of the file; of a category, the share of its members is what it was."""
        with np.errstate(over="ignore"):  # a column may reach from the least number to the largest
            return np.asarray(centers * self.span + self.low)


def leave_out(columns: Sequence[Column], *, chosen: bool) -> tuple[list[Column], dict[str, LeftOut]]:
    """Columns that can be features, and why others are left out."""
    kept: list[Column] = []
    reasons: dict[str, LeftOut] = {}
    for cells in columns:
        if not cells.texts:
            reasons[cells.name] = LeftOut("left out: no values")
        elif len(cells.texts) == 1 and not cells.n_missing:
            reasons[cells.name] = LeftOut(f"left out: one value ({cells.texts[0]})")
        elif is_identifier(cells.sample) and not chosen:
            reasons[cells.name] = _unlike_others(cells)
            continue
        else:
            if is_identifier(cells.sample):
                warn(
                    f"column {cells.name!r} looks like an identifier, but is used because --features names it"
                )
            elif is_earlier_fit(cells.sample) and not chosen:
                warn(
                    f"column {cells.name!r} looks like the clusters of an earlier fit, and is used as a "
                    f"feature: leave it out with --drop {cells.name}"
                )
            kept.append(cells)
            continue
        warn(f"column {cells.name!r} has {'one value' if cells.texts else 'no values'} and is left out")
    return kept, reasons


def _unlike_others(cells: Cells | LargeColumn) -> LeftOut:
    """Why a column is left out whose cells (nearly) all differ, with a warning."""
    likely = meant(cells.sample)
    if likely:
        warn(f"column {cells.name!r} differs in nearly every row and is left out, but {likely}")
        return LeftOut("left out: differs in nearly every row")
    warn(f"column {cells.name!r} looks like an identifier and is left out; --features can name it")
    return Identifier("left out: looks like an identifier")


def prepare(columns: Sequence[Cells], policy: str | None, *, to_be_sparse: Callable[[], str]) -> Features:
    """Make features of columns, whose missing cells `policy` fills in.

    They are a sparse matrix where at most one in five numbers is not 0, which is less to store and to compute
    with; or a table, where `to_be_sparse` says what would have to change for that. The numbers are the same
    in either form. It is asked only if it matters, since it may take long to know.
    """
    layout = lay_out(columns, policy)
    n_rows, names = len(columns[0].codes), layout.names
    fits_sparse = layout.is_mostly_zero and n_rows * layout.n_entries <= _MOST_NUMBERS
    fits_sparse = fits_sparse and len(names) <= MOST_FEATURES
    obstacle = to_be_sparse() if layout.is_mostly_zero else ""
    if n_rows * len(names) > _MOST_NUMBERS and (obstacle or not fits_sparse):
        raise _too_many(columns, n_rows, names, obstacle if fits_sparse else "")
    if layout.is_mostly_zero and not obstacle:
        return layout.features(sparse(layout.used, layout, n_rows))
    return layout.features(dense(layout.used, np.zeros((n_rows, len(names)))))


@dataclass(frozen=True, eq=False)
class Layout(Generic[Column]):
    """Which features columns become: their names, the columns `used` and how many features each has."""

    names: list[str]
    used: list[tuple[Column, int]]
    uses: dict[str, str]

    @property
    def n_entries(self) -> int:
        """How many features of a row can be other than 0: one of a column of categories, all of numbers."""
        return sum(
            cells.own.shape[1] if isinstance(cells, ManyValued) else 1 if cells.values is None else n_features
            for cells, n_features in self.used
        )

    @property
    def is_mostly_zero(self) -> bool:
        """Whether a sparse matrix is worth it."""
        return _SPARSE_FROM * self.n_entries <= len(self.names)

    def features(self, X: "NDArray[np.float64] | NDArray[np.float32] | csr_array") -> Features:
        """The features with these numbers."""
        columns, widths = zip(*self.used, strict=True)
        return Features(X, self.names, self.uses, *_units(self.used), columns, widths)


def lay_out(columns: Sequence[Column], policy: str | None) -> Layout[Column]:
    """Plan the features of columns, whose missing cells `policy` fills in."""
    plans = [_plan(cells, policy) for cells in columns]
    names = [name for part, _ in plans for name in part]
    if not names:
        raise UserError(NO_FEATURES)
    used = [(cells, len(part)) for cells, (part, _) in zip(columns, plans, strict=True) if part]
    return Layout(names, used, {cells.name: use for cells, (_, use) in zip(columns, plans, strict=True)})


def _too_many(columns: Sequence[Column], n_rows: int, names: list[str], to_be_sparse: str) -> UserError:
    """What to say of more features than there is room for, if not in a sparse matrix."""
    way_out = _way_out(columns, to_be_sparse)
    return UserError(f"{n_rows:,} rows of {len(names):,} features are too many: {way_out}")


def _units(columns: Sequence[tuple[Column, int]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What 0 and 1 of each feature are in the file, as the least value and the difference."""
    low, span = [], []
    for cells, n_features in columns:
        least, most = 0.0, 1.0
        if cells.values is not None:
            least, most = float(cells.values.min()), float(cells.values.max())
        # Behind a number there may be a feature that says where it is missing.
        plain = n_features if cells.values is None else n_features - 1
        low += [*([] if cells.values is None else [least]), *[0.0] * plain]
        span += [*([] if cells.values is None else [(most - least) or 1.0]), *[1.0] * plain]
    return np.array(low), np.array(span)


def _way_out(columns: Sequence[Column], to_be_sparse: str) -> str:
    widest = max(columns, key=lambda cells: 0 if cells.values is not None else len(cells.texts))
    if widest.values is not None:
        return "use fewer rows, or leave columns out with --drop"
    others = f", or {to_be_sparse}" if to_be_sparse else ""
    return (
        f"column {widest.name!r} has {len(widest.texts):,} categories; leave it out with "
        f"--drop {widest.name!r}{others}"
    )


def _plan(cells: Cells | LargeColumn, policy: str | None) -> tuple[list[str], str]:
    """Names of the features of a column, and how to call them in the table of columns."""
    n_missing = cells.n_missing
    if cells.values is not None:
        indicator = [f"{cells.name}=missing"] if n_missing and policy == "category" else []
        if len(cells.texts) < 2 and not indicator:
            return [], LeftOut("left out: one value")
        use = f"number, {cells.values.min():g} to {cells.values.max():g} scaled to 0 to 1"
        if n_missing:
            use += f"; {n_missing:,} missing are the mean" + (
                ", with a feature of their own" if indicator else ""
            )
        return [cells.name, *indicator], use
    own = cells.parts if isinstance(cells, ManyValued) else cells.texts
    texts = [*own, *(["missing"] if n_missing else [])]
    if len(texts) < 2:
        return [], LeftOut("left out: one value")
    use = f"{len(texts):,} categories, one feature each"
    if isinstance(cells, ManyValued):
        use = f"{len(texts):,} categories, several in a cell, one feature each"
    if n_missing:
        use += f"; {n_missing:,} missing are one of them"
    _advise(cells, len(texts))
    return [f"{cells.name}={text}" for text in texts], use


def _advise(cells: Cells | LargeColumn, n_categories: int) -> None:
    """Say what a column of categories may have been meant to be, and go on."""
    likely = meant(cells)
    odd = [text for text in cells.texts if not is_number(text)]
    if isinstance(cells, ManyValued) or (len(cells.texts) <= _FEW_CATEGORIES and not likely):
        return
    if likely:
        warn(
            f"column {cells.name!r} is read as {n_categories:,} categories, but {likely}, or leave it out "
            f"with --drop {cells.name!r}"
        )
        return
    if len(odd) < len(cells.texts) / 2:
        shown = ", ".join(map(repr, odd[:3])) + (" ..." if len(odd) > 3 else "")
        kind = "codes such as " if all(_CODE.fullmatch(text) for text in odd) else ""
        way_out = f"; if that says that a value is missing, add --na {odd[0]!r}" if not kind else ""
        warn(
            f"column {cells.name!r} holds {kind}{shown} among numbers, so it is read as {n_categories:,} "
            f"categories{way_out}"
        )
        return
    separator = looks_many_valued(cells)
    if separator is not None:
        warn(
            f"the cells of column {cells.name!r} look like several values each: --split "
            f"{cells.name}:{separator!r} makes a feature of each"
        )
    elif n_categories > _MANY_CATEGORIES:
        warn(f"column {cells.name!r} has {n_categories:,} categories: consider --drop {cells.name!r}")


Table = TypeVar("Table", NDArray[np.float64], NDArray[np.float32])
Part = tuple[Cells | Scaled, int]  # the cells of some rows, and how many features they become


def dense(parts: Iterable[Part], table: Table) -> Table:
    """Fill a table of zeros with the features of its rows."""
    rows = np.arange(len(table))
    for feature, value in _entries(parts):
        table[rows, feature] += value
    return table


def sparse(
    parts: Iterable[Part], layout: Layout[Column], n_rows: int, dtype: type = np.float64
) -> "csr_array":
    """The features of some rows as a sparse matrix."""
    from scipy.sparse import csr_array

    n_entries = layout.n_entries
    value: NDArray[np.floating] = np.empty((n_rows, n_entries), dtype)
    feature = np.empty((n_rows, n_entries), dtype=np.int32)
    for j, entry in enumerate(_entries(parts)):
        feature[:, j], value[:, j] = entry
    ends = np.arange(0, n_rows * n_entries + 1, n_entries, dtype=np.int32)
    X = csr_array((value.ravel(), feature.ravel(), ends), shape=(n_rows, len(layout.names)))
    X.eliminate_zeros()
    return X


def _entries(parts: Iterable[Part]) -> Iterator[tuple[Any, Any]]:
    """A feature of each row and its value there, by ascending features, until all that is not 0 was given."""
    at = 0
    for cells, n_features in parts:
        if isinstance(cells, ManyValued):
            for place in range(cells.own.shape[1]):
                own = np.append(cells.own[:, place], n_features - 1)[cells.codes]
                yield at + own, np.append(cells.n_own > place, place == 0)[cells.codes]
        elif isinstance(cells, Cells) and cells.values is None:
            yield at + np.where(cells.is_missing, n_features - 1, cells.codes), 1.0
        else:
            yield at, _scaled(cells) if isinstance(cells, Cells) else cells.numbers
            if n_features == 2:
                yield at + 1, cells.is_missing
        at += n_features


def _scaled(cells: Cells) -> NDArray[np.float64]:
    """The numbers of a column from 0 to 1, their mean where missing."""
    values = cells.values
    assert values is not None
    low, high = float(values.min()), float(values.max())
    if not np.isfinite(high - low):
        values, low, high = values / 4, low / 4, high / 4
    scaled = Cells(cells.name, cells.codes, cells.texts, (values - low) / ((high - low) or 1.0)).numbers
    return np.where(cells.is_missing, np.nanmean(scaled), scaled) if cells.is_missing.any() else scaled
