"""The nearest request that can be met."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from minirel.conflict import Inquiry, in_time, last
from minirel.fairness import Fairness, Prefix


def nearest_request(inquiry: Inquiry) -> tuple[Fairness, Prefix]:
    """Change as little as will do.

    Sizes give way only if no clustering has them at all, then claims of the prefix only if it cannot be kept
    by itself, then beta.
    """
    request = inquiry.fairness if inquiry.possible(inquiry.sizes) else _nearest_sizes(inquiry)
    prefix = _nearest_prefix(inquiry, request)
    return replace(request, beta=_nearest_beta(inquiry, request, prefix)), prefix


def largest_percent(inquiry: Inquiry, group: int) -> int:
    """Find the largest share, in whole percent, with which all the rest could be kept; or 0.

    The share is that of every group if there is one alpha for all, else of `group`.
    """
    one_for_all = len(set(inquiry.fairness.alpha)) == 1

    def is_enough(percent: int) -> bool:
        share = Fraction(percent, 100)
        alpha = [share if one_for_all or g == group else a for g, a in enumerate(inquiry.fairness.alpha)]
        program = inquiry.asking(replace(inquiry.fairness, alpha=tuple(alpha)))
        return in_time(lambda: program.choose(required=inquiry.prefix)) is not None

    return last(is_enough, 0, math.ceil(100 * inquiry.fairness.alpha[group]) - 1)


def _nearest_sizes(inquiry: Inquiry) -> Fairness:
    """Lower min_size to what clusters of these points can have; raise max_size if that will not do."""
    fairness, total = inquiry.fairness, inquiry.program.types.total

    def is_enough(smallest: int, largest: int) -> bool:
        program = inquiry.asking(replace(fairness, min_units=smallest, max_units=largest))
        return bool(in_time(lambda: program.feasible(())))

    smallest, largest = fairness.min_units, fairness.max_units
    least = min(1, smallest)
    if not is_enough(least, largest):
        floor = smallest if is_enough(smallest, total) else least
        # The larger max_size is, the easier: count down from the total.
        largest = total - last(lambda less: is_enough(floor, total - less), 0, total - largest)
    smallest = last(lambda units: is_enough(units, largest), least, smallest)
    return replace(fairness, min_units=smallest, max_units=largest)


def _nearest_prefix(inquiry: Inquiry, request: Fairness) -> Prefix:
    """Drop as few claims of the prefix as will do."""
    if in_time(lambda: inquiry.asking(request).feasible(inquiry.prefix)):
        return inquiry.prefix
    listed = np.zeros(request.allowed.shape, dtype=np.bool_)
    listed[tuple(np.array(inquiry.prefix).T)] = True
    none = np.zeros(len(listed), dtype=np.intp)
    return _most_claims(inquiry, replace(request, allowed=listed), none, listed.sum(1), ()) or ()


def _nearest_beta(inquiry: Inquiry, request: Fairness, prefix: Prefix) -> tuple[int, ...]:
    """Take as few clusters from the groups as will do, and of these not too many from any one."""
    beta = np.array(request.beta, dtype=np.intp)

    def taking(most_taken: int) -> NDArray[np.intp] | None:
        claims = _most_claims(inquiry, request, np.maximum(beta - most_taken, 0), beta, prefix)
        return None if claims is None else np.minimum(_claims_by_group(claims, len(beta)), beta)

    best = taking(int(beta.max(initial=0)))
    if best is None:
        return tuple(np.minimum(_claims_by_group(prefix, len(beta)), beta).tolist())
    while (most_taken := int((beta - best).max(initial=0))) > 0:
        fairer = taking(most_taken - 1)
        if fairer is None or fairer.sum() < best.sum():
            break
        best = fairer
    return tuple(best.tolist())


def _most_claims(
    inquiry: Inquiry, request: Fairness, fewest: NDArray[np.intp], most: NDArray[np.intp], required: Prefix
) -> Prefix | None:
    program = inquiry.asking(request)
    reward = -np.ones(request.allowed.shape)
    return in_time(lambda: program.optimise(reward, fewest=fewest, most=most, required=required))


def _claims_by_group(claims: Prefix, n_groups: int) -> NDArray[np.intp]:
    return np.bincount([g for g, _ in claims], minlength=n_groups)
