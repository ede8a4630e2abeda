"""Validation of X for the estimator."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse, sparray, spmatrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from minirel.clustering.objectives import OBJECTIVES, LocalData
from minirel.points.errors import ParameterTypeError
from minirel.points.memory_maps import check_file

# What a user may give.
ArrayOrSparse: TypeAlias = ArrayLike | sparray | spmatrix


def read_X(estimator: BaseEstimator, X: ArrayOrSparse, objective: str, *, reset: bool) -> LocalData:
    """Validate X: with `reset` as that of a fit, otherwise against the features of the fit."""
    check_file(X, "X")
    sparse = "csr" if OBJECTIVES[objective].accepts_sparse else False
    if issparse(X) and not sparse:
        rule, way_out = (
            f"must be dense for objective={objective!r}",
            "pass X.toarray(), or use objective='k-means'",
        )
        raise ParameterTypeError("X", rule, X, way_out, found="is sparse")
    points: LocalData = validate_data(
        estimator, X, reset=reset, accept_sparse=sparse, dtype=[np.float64, np.float32], order="C"
    )
    return points
