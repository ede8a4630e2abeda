"""Columns that say nothing of a row itself: identifiers, and the clusters of an earlier fit."""

import re

import numpy as np
from numpy.typing import NDArray

from minirel.cli.cells import Cells
from minirel.cli.many_valued import ManyValued

# Fewer rows that are not missing say nothing.
_FEWEST_ROWS = 10
# How a column of identifiers is often called, as a word of its name: patient_nbr, customerId, "Case No."
_WORDS = frozenset(
    {"id", "ids", "identifier", "key", "nbr", "no", "nr", "num", "number", "uuid", "guid", "ssn", "record"}
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# The name that `minirel fit` gives to the column of clusters, and those that it suggests where there is one.
_OF_A_FIT = re.compile(r"cluster(_\d+)*", re.IGNORECASE)
# Share of the rows with a value of their own: under such a name, and under any other.
_NAMED, _ANY = 0.5, 0.95
# Rows from which on it can be told how values are spread, and how far from evenly identifiers may be.
_MANY_ROWS, _EVENLY = 100, 0.05
# Whole numbers that count the rows have hardly any gaps.
_GAPS = 1.1


def is_identifier(cells: Cells) -> bool:
    """Whether a column looks like an identifier.

    That is text with a value of its own in nearly every row; whole numbers that count the rows; whole numbers
    that hardly repeat, in a column called like an identifier, or spread as evenly as no measurement is.
    """
    n_rows, n_values = int((cells.codes >= 0).sum()), len(cells.texts)
    if n_rows < _FEWEST_ROWS or isinstance(cells, ManyValued):
        return False
    is_distinct = n_values == n_rows
    part = n_values / n_rows
    named = part >= _NAMED and bool(_WORDS & {word.lower() for word in _PARTS.findall(cells.name)})
    hardly_repeats = part >= _ANY and n_rows >= _MANY_ROWS
    if cells.values is None:
        return is_distinct or named or hardly_repeats
    if (cells.values != np.rint(cells.values)).any():
        return False
    span = float(cells.values.max() - cells.values.min()) + 1
    if is_distinct and span <= _GAPS * n_rows:
        return True
    return named or (hardly_repeats and _is_even(cells.values))


def is_earlier_fit(cells: Cells) -> bool:
    """Whether a column looks like the clusters of an earlier fit: called so, and numbered from 0."""
    values = None if isinstance(cells, ManyValued) else cells.values
    if values is None or not len(values) or not _OF_A_FIT.fullmatch(cells.name):
        return False
    return bool((values == np.rint(values)).all() and values.min() >= 0 and values.max() < 2 * len(values))


def _is_even(values: NDArray[np.float64]) -> bool:
    """Whether values are spread evenly from the least to the largest: Kolmogorov and Smirnov's distance."""
    values = np.sort(values)
    place = (values - values[0]) / max(values[-1] - values[0], 1)
    return bool(np.abs(place - np.linspace(0, 1, len(values))).max() <= _EVENLY)
