"""Columns as features: numbers scaled to [0, 1], a 0/1 column for each category, as in the paper."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells, is_number
from minirel.cli.messages import UserError, warn
from minirel.cli.roles import Identifier, LeftOut

_SHORTEST_KEY = 10
_MANY_CATEGORIES = 100
_MOST_NUMBERS = 500_000_000  # 4 GB


@dataclass(frozen=True, eq=False)
class Features:
    """The points, the name of each feature, and what was made of each column."""

    X: NDArray[np.float64]
    names: list[str]
    uses: dict[str, str]


def is_key(cells: Cells) -> bool:
    """Whether the column looks like an identifier: all texts differ, or whole numbers count the rows."""
    n_rows = len(cells.codes)
    if n_rows < _SHORTEST_KEY or len(cells.texts) < n_rows:
        return False
    if cells.values is None:
        return True
    if (cells.values != np.rint(cells.values)).any():
        return False
    span = cells.values.max() - cells.values.min() + 1
    return bool(span <= 1.1 * n_rows)


def leave_out(columns: Sequence[Cells], *, chosen: bool) -> tuple[list[Cells], dict[str, LeftOut]]:
    """Columns that can be features, and why others are left out."""
    kept: list[Cells] = []
    reasons: dict[str, LeftOut] = {}
    for cells in columns:
        if not cells.texts:
            reasons[cells.name] = LeftOut("left out: no values")
        elif len(cells.texts) == 1 and not cells.is_missing.any():
            reasons[cells.name] = LeftOut(f"left out: one value ({cells.texts[0]})")
        elif is_key(cells) and not chosen:
            reasons[cells.name] = Identifier("left out: looks like an identifier")
            warn(f"column {cells.name!r} looks like an identifier and is left out; --features can name it")
            continue
        else:
            if is_key(cells):
                warn(
                    f"column {cells.name!r} looks like an identifier, but is used because --features names it"
                )
            kept.append(cells)
            continue
        warn(f"column {cells.name!r} has {'one value' if cells.texts else 'no values'} and is left out")
    return kept, reasons


def prepare(columns: Sequence[Cells], policy: str | None) -> Features:
    """Make features of columns, whose missing cells `policy` fills in."""
    plans = [_plan(cells, policy) for cells in columns]
    names = [name for part, _ in plans for name in part]
    n_rows = len(columns[0].codes) if columns else 0
    if not names:
        raise UserError("no features are left: every column has one value, is dropped, or is a group")
    if n_rows * len(names) > _MOST_NUMBERS:
        widest = max(columns, key=lambda cells: 0 if cells.values is not None else len(cells.texts))
        raise UserError(
            f"{n_rows:,} rows of {len(names):,} features are too many: column {widest.name!r} has "
            f"{len(widest.texts):,} categories; leave it out with --drop {widest.name!r}"
        )
    X = np.zeros((n_rows, len(names)))
    at = 0
    for cells, (part, _) in zip(columns, plans, strict=True):
        if part:
            _fill(X[:, at : at + len(part)], cells)
        at += len(part)
    return Features(X, names, {cells.name: use for cells, (_, use) in zip(columns, plans, strict=True)})


def _plan(cells: Cells, policy: str | None) -> tuple[list[str], str]:
    """Names of the features of a column, and how to call them in the table of columns."""
    n_missing = int(cells.is_missing.sum())
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
    texts = [*cells.texts, *(["missing"] if n_missing else [])]
    if len(texts) < 2:
        return [], LeftOut("left out: one value")
    use = f"{len(texts):,} categories, one feature each"
    if n_missing:
        use += f"; {n_missing:,} missing are one of them"
    if len(texts) > _MANY_CATEGORIES:
        _warn_of_many(cells)
    return [f"{cells.name}={text}" for text in texts], use


def _warn_of_many(cells: Cells) -> None:
    odd = [text for text in cells.texts if not is_number(text)]
    if 2 * len(odd) < len(cells.texts):
        shown = ", ".join(map(repr, odd[:3])) + (" ..." if len(odd) > 3 else "")
        warn(f"column {cells.name!r} is read as categories, not numbers, because of {shown}: fix these cells")
    else:
        warn(f"column {cells.name!r} has {len(cells.texts):,} categories: consider --drop {cells.name!r}")


def _fill(features: NDArray[np.float64], cells: Cells) -> None:
    if cells.values is None:
        code = np.where(cells.is_missing, features.shape[1] - 1, cells.codes)
        features[np.arange(len(code)), code] = 1.0
        return
    values = cells.values
    low, high = values.min(), values.max()
    if not np.isfinite(high - low):
        values, low, high = values / 4, low / 4, high / 4
    scaled = Cells(cells.name, cells.codes, cells.texts, (values - low) / ((high - low) or 1.0)).numbers
    if cells.is_missing.any():
        scaled = np.where(cells.is_missing, np.nanmean(scaled), scaled)
        if features.shape[1] == 2:
            features[:, 1] = cells.is_missing
    features[:, 0] = scaled
