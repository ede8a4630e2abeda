"""The nearest request that can be met."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.conflict import Inquiry, last
from minirel.promises.feasibility.counts import Choice

# Pairs of group and cluster up to which a program finds out how many claims can be kept at most.
_MOST_PAIRS = 200
# Sizes that may turn out too hard to decide before the search for the best is given up.
_MOST_OPEN = 3


def nearest_request(inquiry: Inquiry) -> tuple[Fairness, Prefix] | None:
    """Change as little as will do; None if no request near is proven to be possible.

    Sizes give way only if no clustering has them at all, then shares in every cluster, then claims of the
    prefix only if it cannot be kept by itself, then beta.
    """
    request: Fairness | None = inquiry.fairness
    if not inquiry.ask(inquiry.sizes).possible:
        request = _nearest_sizes(inquiry)
    if request is not None and inquiry.shares:
        request = _nearest_shares(inquiry, request)
    prefix = None if request is None else _nearest_prefix(inquiry, request)
    if request is None or prefix is None:
        return None
    beta = _nearest_beta(inquiry, request, prefix)
    return None if beta is None else (replace(request, beta=beta), prefix)


def largest_percent(inquiry: Inquiry, group: int) -> int:
    """Find the largest share, in whole percent, with which all the rest could be kept; or 0.

    The share is that of every group if there is one alpha for all, else of `group`.
    """
    one_for_all = len(set(inquiry.fairness.alpha)) == 1

    def is_enough(percent: int) -> bool:
        share = Fraction(percent, 100)
        alpha = [share if one_for_all or g == group else a for g, a in enumerate(inquiry.fairness.alpha)]
        program = inquiry.asking(replace(inquiry.fairness, alpha=tuple(alpha)))
        return program.choose(required=inquiry.prefix).possible

    return last(is_enough, 0, math.ceil(100 * inquiry.fairness.alpha[group]) - 1)


def _nearest_sizes(inquiry: Inquiry) -> Fairness | None:
    """Lower min_size to what clusters of these points can have; raise max_size if that will not do."""
    fairness, total = inquiry.fairness, inquiry.fairness.total
    n_groups = len(fairness.names)
    open_questions: list[tuple[int, int]] = []

    def sizes(lowered: int, raised: int) -> Fairness:
        return replace(
            fairness,
            min_units=tuple(max(u - lowered, min(1, u)) for u in fairness.min_units),
            max_units=tuple(min(u + raised, total) for u in fairness.max_units),
        )

    @cache
    def is_enough(lowered: int, raised: int) -> bool:
        if len(open_questions) > _MOST_OPEN:  # from here on it is about the last grain of weight
            return False
        bare = replace(
            sizes(lowered, raised), min_share=(Fraction(0),) * n_groups, max_share=(Fraction(1),) * n_groups
        )
        choice = inquiry.asking(bare).keeping(())
        if not choice.proven:
            open_questions.append((lowered, raised))
        return choice.possible

    lowest, highest = max(fairness.min_units), total - min(fairness.max_units)  # by as much, all there is
    lowered = raised = 0
    if not is_enough(lowest, 0):
        lowered = 0 if is_enough(0, highest) else lowest
        raised = highest - last(lambda less: is_enough(lowered, highest - less), 0, highest)
    if not is_enough(0, raised):
        lowered = lowest - last(lambda less: is_enough(lowest - less, raised), 0, lowest)
    else:
        lowered = 0
    return sizes(lowered, raised) if is_enough(lowered, raised) else None


def _nearest_shares(inquiry: Inquiry, request: Fairness) -> Fairness | None:
    """Widen the bounds on shares by as few hundredths as will do."""

    def widened(percent: int) -> Fairness:
        by = Fraction(percent, 100)
        return replace(
            request,
            min_share=tuple(max(share - by, Fraction(0)) for share in request.min_share),
            max_share=tuple(min(share + by, Fraction(1)) for share in request.max_share),
        )

    def is_enough(percent: int) -> bool:
        return inquiry.asking(widened(percent)).keeping(()).possible

    if not is_enough(100):
        return None
    return widened(100 - last(lambda less: is_enough(100 - less), 0, 100))


def _nearest_prefix(inquiry: Inquiry, request: Fairness) -> Prefix | None:
    """Drop as few claims of the prefix as will do."""
    if not inquiry.prefix:
        return ()
    if inquiry.asking(request).keeping(inquiry.prefix).possible:
        return inquiry.prefix
    listed = np.zeros(request.allowed.shape, dtype=np.bool_)
    listed[tuple(np.array(inquiry.prefix, dtype=np.intp).reshape(-1, 2).T)] = True
    none = np.zeros(len(listed), dtype=np.intp)
    kept = _most_claims(inquiry, replace(request, allowed=listed), none, listed.sum(1), ())
    return kept.claims if kept.possible else None


def _nearest_beta(inquiry: Inquiry, request: Fairness, prefix: Prefix) -> tuple[int, ...] | None:
    """Take as few clusters from the groups as will do, and of these not too many from any one."""
    beta = np.array(request.beta, dtype=np.intp)
    if not beta.any():
        return request.beta
    if request.allowed[beta > 0].sum() > _MOST_PAIRS:
        return _first_claims(inquiry, request, prefix)

    def taking(most_taken: int) -> NDArray[np.intp] | None:
        kept = _most_claims(inquiry, request, np.maximum(beta - most_taken, 0), beta, prefix)
        if not kept.possible or kept.claims is None:
            return None
        return np.minimum(np.bincount([g for g, _ in kept.claims], minlength=len(beta)), beta)

    best = taking(int(beta.max(initial=0)))
    if best is None:
        return _first_claims(inquiry, request, prefix)
    while (most_taken := int((beta - best).max(initial=0))) > 0:
        fairer = taking(most_taken - 1)
        if fairer is None or fairer.sum() < best.sum():
            break
        best = fairer
    return tuple(best.tolist())


def _first_claims(inquiry: Inquiry, request: Fairness, prefix: Prefix) -> tuple[int, ...] | None:
    """Give every group its first cluster, the largest groups first, then its second, as far as that goes."""
    types, beta = inquiry.program.types, np.array(request.beta, dtype=np.intp)
    groups = np.repeat(np.arange(len(beta)), beta)
    level = np.concatenate([np.arange(b) for b in beta])
    in_turn = groups[np.lexsort((-types.members[groups], level))]

    def first(number: int) -> tuple[int, ...]:
        return tuple(np.bincount(in_turn[:number], minlength=len(beta)).tolist())

    def is_enough(number: int) -> bool:
        return inquiry.asking(request).choose(beta=first(number), required=prefix).possible

    return first(last(is_enough, 0, len(in_turn))) if is_enough(0) else None


def _most_claims(
    inquiry: Inquiry, request: Fairness, fewest: NDArray[np.intp], most: NDArray[np.intp], required: Prefix
) -> Choice:
    """As many claims as can be kept, and of as many the choice that keeps those of larger groups."""
    types = inquiry.program.types
    # Whatever the sizes of the groups, they add up to less than one claim.
    size = types.members / (types.total * (1.0 + most.sum()))
    reward = -np.ones(request.allowed.shape) - size[:, None]
    return inquiry.asking(request).optimise(reward, fewest=fewest, most=most, required=required)
