"""`Dataset`: points to cluster, and the groups they belong to."""

import os
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Column: TypeAlias = NDArray[np.object_]
Folder: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points to cluster, and the groups they belong to.

    Attributes
    ----------
    name : str
        What the data set is called.
    X : ndarray of shape (n, m)
        Features in [0, 1]; neither the groups nor the target are among them.
    feature_names : tuple of str
        The name of each column of `X`: ``"column"``, or ``"column=value"`` for a category.
    groups : ndarray of shape (n,), or dict of them
        The `sensitive_features` of a fit: the group of each point, or several columns of groups by name.
    target : ndarray of shape (n,)
        What the data set was made to predict.

    Examples
    --------
    >>> from minirel.datasets import load_iris
    >>> iris = load_iris()
    >>> iris.name, iris.X.shape, sorted(set(iris.groups))
    ('Iris', (150, 4), ['setosa', 'versicolor', 'virginica'])
    """

    name: str
    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    groups: NDArray[Any] | dict[str, NDArray[Any]]
    target: NDArray[Any]

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {self.X.shape[0]:,} points, {self.X.shape[1]} features>"


def scaled(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every column to [0, 1]."""
    low = numbers.min(axis=0)
    span = numbers.max(axis=0) - low
    return np.asarray((numbers - low) / np.where(span == 0, 1, span), dtype=np.float64)
