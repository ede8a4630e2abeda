"""The nearest request that can be met."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.conflict import MOST_TRIED, Diagnosis, last
from minirel.promises.feasibility.counting import not_everywhere
from minirel.promises.feasibility.counts import Choice

# Pairs of group and cluster up to which a program finds out how many holders can be kept at most.
_MOST_PAIRS = 200
_FINEST_STEP = Fraction(1, 10**6)  # of a bound on shares
# Sizes that may turn out too hard to decide before the search for the best is given up.
_MOST_OPEN = 3


def nearest_request(diagnosis: Diagnosis) -> tuple[Fairness, Prefix] | None:
    """Change as little as will do; None if no request near is proven to be possible.

    Sizes give way only if no clustering has them at all, then shares in every cluster, then holders of the
    prefix only if it cannot be kept by itself, then beta.
    """
    request: Fairness | None = diagnosis.fairness
    if not diagnosis.ask(diagnosis.sizes).possible:
        request = _nearest_sizes(diagnosis)
    if request is not None and diagnosis.shares:
        request = _nearest_shares(diagnosis, request)
    prefix = None if request is None else _nearest_prefix(diagnosis, request)
    if request is None or prefix is None:
        return None
    beta = _nearest_beta(diagnosis, request, prefix)
    return None if beta is None else (replace(request, beta=beta), prefix)


def largest_percent(diagnosis: Diagnosis, group: int) -> int:
    """Find the largest share, in whole percent, with which all the rest could be kept; or 0.

    The share is that of every group if there is one alpha for all, else of `group`.
    """
    one_for_all = len(set(diagnosis.fairness.alpha)) == 1

    def is_enough(percent: int) -> bool:
        share = Fraction(percent, 100)
        alpha = [share if one_for_all or g == group else a for g, a in enumerate(diagnosis.fairness.alpha)]
        return diagnosis.is_possible(replace(diagnosis.fairness, alpha=tuple(alpha)))

    return last(is_enough, 0, math.ceil(100 * diagnosis.fairness.alpha[group]) - 1)


def largest_members(diagnosis: Diagnosis, group: int) -> int:
    """Find the most members, in units, with which a cluster could count and all the rest be kept; or 0.

    They are those of every group if the same is asked of all, else of `group`.
    """
    asked = diagnosis.fairness.min_members
    one_for_all = len(set(asked)) == 1

    def is_enough(members: int) -> bool:
        least = [members if one_for_all or g == group else m for g, m in enumerate(asked)]
        return diagnosis.is_possible(replace(diagnosis.fairness, min_members=tuple(least)))

    return last(is_enough, 0, asked[group] - 1)


def _nearest_sizes(diagnosis: Diagnosis) -> Fairness | None:
    """Lower min_size to what clusters of these points can have; raise max_size if that will not do."""
    fairness, total = diagnosis.fairness, diagnosis.fairness.total
    n_groups = len(fairness.names)
    open_questions: list[Fairness] = []

    def sizes(lowered: int, raised: int) -> Fairness:
        return replace(
            fairness,
            min_units=tuple(max(u - lowered, min(1, u)) for u in fairness.min_units),
            max_units=tuple(min(u + raised, total) for u in fairness.max_units),
        )

    @cache
    def is_enough(lowered: int, raised: int) -> bool:
        return can_be(sizes(lowered, raised))

    def can_be(request: Fairness) -> bool:
        if len(open_questions) > _MOST_OPEN:  # from here on it is about the last grain of weight
            return False
        bare = replace(request, min_share=(Fraction(0),) * n_groups, max_share=(Fraction(1),) * n_groups)
        choice = diagnosis.asking(bare).keeping(())
        if not choice.proven:
            open_questions.append(request)
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
    if not is_enough(lowered, raised):
        return None
    # What is one number for all clusters stays one.
    by_cluster = [field for field in ("min_units", "max_units") if len({*getattr(fairness, field)}) > 1]
    return _put_back(fairness, sizes(lowered, raised), by_cluster, can_be)


def _nearest_shares(diagnosis: Diagnosis, request: Fairness) -> Fairness | None:
    """Widen the bounds on shares by as few steps as will do, to whole ones, but none without need.

    A group with fewer members than there are clusters can have no least share in all of them.
    """
    too_few = not_everywhere(diagnosis.program.types, request)
    feasible = [Fraction(0) if g in too_few else s for g, s in enumerate(request.min_share)]
    request = replace(request, min_share=tuple(feasible))
    step = _step(request)
    whole = int(1 / step)
    most = math.ceil(max(*request.min_share, 1 - min(request.max_share)) / step)

    def widened(by: int) -> Fairness:
        return replace(
            request,
            min_share=tuple(min(s, max(math.ceil(s / step) - by, 0) * step) for s in request.min_share),
            max_share=tuple(max(s, min(math.floor(s / step) + by, whole) * step) for s in request.max_share),
        )

    def can_be(request: Fairness) -> bool:
        return diagnosis.asking(request).keeping(()).possible

    if too_few and can_be(request):
        return request
    if not can_be(widened(most)):
        return None
    near = widened(most - last(lambda less: can_be(widened(most - less)), 0, most))
    # Of very many, those that all points together do not break, at once.
    some = _where_all_points_break_them(diagnosis, request, near)
    near = some if some != near and can_be(some) else near
    if len(diagnosis.shares) > MOST_TRIED:
        return near
    return _put_back(request, near, ("min_share", "max_share"), can_be)


def _step(request: Fairness) -> Fraction:
    """A hundredth, or less where two digits of the smallest least share take it."""
    step = Fraction(1, 100)
    smallest = min((share for share in request.min_share if share), default=Fraction(1))
    while smallest < 10 * step and step > _FINEST_STEP:
        step /= 10
    return step


def _where_all_points_break_them(diagnosis: Diagnosis, request: Fairness, near: Fairness) -> Fairness:
    """Take the bounds on shares from `near` only for groups whose share of all points breaks those asked."""
    types = diagnosis.program.types
    of_all = [Fraction(number, max(types.share_total, 1)) for number in types.members.tolist()]
    return replace(
        near,
        min_share=tuple(
            asked if asked <= share else new
            for asked, share, new in zip(request.min_share, of_all, near.min_share, strict=True)
        ),
        max_share=tuple(
            asked if asked >= share else new
            for asked, share, new in zip(request.max_share, of_all, near.max_share, strict=True)
        ),
    )


def _put_back(
    asked: Fairness, near: Fairness, fields: Sequence[str], can_be: Callable[[Fairness], bool]
) -> Fairness:
    """Leave what can stay as it was asked, one number after the other."""
    for field in fields:
        for i, value in enumerate(getattr(asked, field)):
            now = getattr(near, field)
            if now[i] != value:
                change: dict[str, Any] = {field: (*now[:i], value, *now[i + 1 :])}
                before = replace(near, **change)
                near = before if can_be(before) else near
    return near


def _nearest_prefix(diagnosis: Diagnosis, request: Fairness) -> Prefix | None:
    """Drop as few holders of the prefix as will do."""
    if not diagnosis.prefix:
        return ()
    if diagnosis.asking(request).keeping(diagnosis.prefix).possible:
        return diagnosis.prefix
    listed = np.zeros(request.allowed.shape, dtype=np.bool_)
    listed[tuple(np.array(diagnosis.prefix, dtype=np.intp).reshape(-1, 2).T)] = True
    none = np.zeros(len(listed), dtype=np.intp)
    kept = _most_holders(diagnosis, replace(request, allowed=listed), none, listed.sum(1), ())
    return kept.holders if kept.possible else None


def _nearest_beta(diagnosis: Diagnosis, request: Fairness, prefix: Prefix) -> tuple[int, ...] | None:
    """Take as few clusters from the groups as will do, and of these not too many from any one."""
    beta = np.array(request.beta, dtype=np.intp)
    if not beta.any():
        return request.beta
    if request.allowed[beta > 0].sum() > _MOST_PAIRS:
        return _first_holders(diagnosis, request, prefix)

    def taking(most_taken: int) -> NDArray[np.intp] | None:
        kept = _most_holders(diagnosis, request, np.maximum(beta - most_taken, 0), beta, prefix)
        if not kept.possible or kept.holders is None:
            return None
        return np.minimum(np.bincount([g for g, _ in kept.holders], minlength=len(beta)), beta)

    best = taking(int(beta.max(initial=0)))
    if best is None:
        return _first_holders(diagnosis, request, prefix)
    while (most_taken := int((beta - best).max(initial=0))) > 0:
        fairer = taking(most_taken - 1)
        if fairer is None or fairer.sum() < best.sum():
            break
        best = fairer
    return tuple(best.tolist())


def _first_holders(diagnosis: Diagnosis, request: Fairness, prefix: Prefix) -> tuple[int, ...] | None:
    """Give every group its first cluster, the largest groups first, then its second, as far as that goes."""
    types, beta = diagnosis.program.types, np.array(request.beta, dtype=np.intp)
    groups = np.repeat(np.arange(len(beta)), beta)
    level = np.concatenate([np.arange(b) for b in beta])
    in_turn = groups[np.lexsort((-types.members[groups], level))]

    def first(number: int) -> tuple[int, ...]:
        return tuple(np.bincount(in_turn[:number], minlength=len(beta)).tolist())

    def is_enough(number: int) -> bool:
        return diagnosis.asking(request).choose(beta=first(number), required=prefix).possible

    return first(last(is_enough, 0, len(in_turn))) if is_enough(0) else None


def _most_holders(
    diagnosis: Diagnosis,
    request: Fairness,
    fewest: NDArray[np.intp],
    most: NDArray[np.intp],
    required: Prefix,
) -> Choice:
    """As many holders as can be kept, and of as many the choice that keeps those of larger groups."""
    types = diagnosis.program.types
    # Whatever the sizes of the groups, they add up to less than one holder.
    size = types.members / (max(types.share_total, 1) * (1.0 + most.sum()))
    reward = -np.ones(request.allowed.shape) - size[:, None]
    return diagnosis.asking(request).optimise(reward, fewest=fewest, most=most, required=required)
