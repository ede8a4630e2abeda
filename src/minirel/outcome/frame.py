"""Columns as a frame, where there is a library for it."""

from importlib import import_module
from typing import Any


def frame(columns: dict[str, list[Any]]) -> Any:
    """A pandas.DataFrame; without pandas the columns as they are."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError:
        return columns
    return pandas.DataFrame(columns)
