"""New points for a fitted clustering: what is promised of them, and their fair assignment."""

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from minirel.assignment.costs import Costs
from minirel.assignment.fair_assignment import fair_assignment
from minirel.assignment.solve import Assignment
from minirel.points.errors import InfeasibleFairnessError, ParameterValueError
from minirel.points.groups import Groups, listed
from minirel.points.members import read_people
from minirel.points.messages import Message
from minirel.points.weights import Weights
from minirel.promises.fairness import Share, Size

Holders = Iterable[tuple[Hashable, int]]


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a fit promised: who holds which cluster, in how many, and how these were chosen."""

    holders: Holders
    beta: Mapping[Hashable, int]
    prefix: str | Holders | None
    allowed: ArrayLike | Mapping[Hashable, Iterable[int]] | None


def assign_batch(
    costs: Costs,
    sensitive_features: object,
    fitted: Fitted,
    *,
    prefix: str | Holders | None,
    beta: int | str | Mapping[Hashable, int] | None,
    min_size: Size | None,
    max_size: Size | None,
    alpha: Share,
    min_share: Share | None,
    max_share: Share | None,
    exclusive: bool,
    total: Hashable,
    sample_weight: ArrayLike | Weights | None,
    gap: float,
    time_limit: float | None,
    solver: str,
    missing: str,
) -> Assignment:
    """Assign a batch as `MiniReL.assign` says."""
    is_fitted = isinstance(prefix, str) and prefix == "fitted"
    is_listed = prefix is not None and not isinstance(prefix, str)
    promised_by_fit = beta is None and not is_listed
    n_points, n_clusters = costs.shape
    groups = _read_groups(sensitive_features, total, n_points, missing, fitted, promised_by_fit)
    if is_fitted:
        prefix = fitted.holders if beta is None else fitted.prefix
    elif beta is None and not is_listed:
        occur = {groups.names[g] for g in np.flatnonzero(groups.signatures.any(axis=0))}
        beta = {name: number for name, number in fitted.beta.items() if name in occur}
    if min_size is None:
        # An empty cluster breaks no holder's promise, but represents nobody.
        min_size = 0 if beta is None or beta == 0 else 1
        if min_size and n_points < n_clusters:
            raise ParameterValueError(
                "X",
                "must hold a point for each cluster, of which none may be empty where beta counts those that "
                "represent a group",
                n_points,
                "use prefix='fitted' without beta, a larger batch, or predict, which promises nothing",
                found=f"the batch has {n_points} points for {n_clusters} clusters",
            )
    try:
        return fair_assignment(
            costs,
            groups,
            alpha=alpha,
            beta=beta,
            prefix=prefix,
            allowed=_by_name(fitted),
            min_size=min_size,
            max_size=max_size,
            min_share=min_share,
            max_share=max_share,
            exclusive=exclusive,
            sample_weight=sample_weight,
            gap=gap,
            time_limit=time_limit,
            solver=solver,
        )
    except InfeasibleFairnessError as error:
        raise InfeasibleFairnessError(
            Message(
                f"in this batch of {n_points} points, ",
                error.args[0],
                ", or assign more points at once, or use predict, which promises nothing",
            ),
            conflict=error.conflict,
            largest_beta=error.largest_beta,
            nearest=error.nearest,
        ) from error


def _read_groups(
    sensitive_features: object,
    total: Hashable,
    n_points: int,
    missing: str,
    fitted: Fitted,
    promised_by_fit: bool,
) -> Groups:
    """The groups of the batch, and those of the fit that do not occur in it."""
    groups = read_people(sensitive_features, total, n_points=n_points, missing=missing, like=fitted.beta)
    unknown = [name for name in groups.names if name not in fitted.beta]
    # Points of no group are fine where that is what a missing value means; other names are a mistake.
    is_nobody = missing == "none" and sensitive_features is not None and groups.n_groups == 0
    if fitted.beta and len(unknown) == groups.n_groups and not is_nobody:
        seen = f"its groups are {listed(unknown)}" if unknown else "it has no groups"
        raise ParameterValueError(
            "sensitive_features",
            f"must name the groups of the batch as in the fit, {listed(fitted.beta)}",
            unknown,
            "give the same columns as to fit, or use predict, which needs none",
            found=seen,
        )
    if unknown and fitted.beta and promised_by_fit:
        warnings.warn(
            f"the batch has groups that the fit did not know, {listed(unknown)}: nothing is promised to them",
            UserWarning,
            stacklevel=4,
        )
    return groups.including(fitted.beta)


def _by_name(fitted: Fitted) -> Mapping[Hashable, Iterable[int]] | None:
    """`allowed` by the names of the fit, of which the batch may have more, and in another order."""
    if fitted.allowed is None or not fitted.beta:
        return None
    if isinstance(fitted.allowed, Mapping):
        return fitted.allowed
    table = np.asarray(fitted.allowed)
    return {name: np.flatnonzero(row).tolist() for name, row in zip(fitted.beta, table, strict=True)}
