"""Why a request cannot be met, in words."""

from collections.abc import Hashable, Iterable
from fractions import Fraction

from minirel.conflict import MAX_SIZE, MIN_SIZE, Inquiry, Promise
from minirel.counts import CountProgram
from minirel.errors import InfeasibleFairnessError
from minirel.exact import plain
from minirel.fairness import Fairness, Prefix
from minirel.groups import Groups
from minirel.nearest import largest_percent, nearest_request
from minirel.weights import Weights


def check_feasible(
    groups: Groups, weights: Weights, fairness: Fairness, prefix: Prefix | None = None
) -> None:
    """Make sure that some clustering meets the request.

    Parameters
    ----------
    groups : Groups
        Who belongs where.
    weights : Weights
        What each point counts.
    fairness : Fairness
        What is asked.
    prefix : Prefix, optional
        Claims that must be kept, on top of beta.

    Raises
    ------
    InfeasibleFairnessError
        If there is no such clustering, with the conflict and the nearest request that can be met.
    """
    program = CountProgram(groups, weights, fairness)
    if program.choose(required=prefix or ()) is None:
        raise explain_infeasible(program, prefix or ())


def explain_infeasible(program: CountProgram, prefix: Prefix = ()) -> InfeasibleFairnessError:
    """Say why `program` finds no clustering that keeps its request and `prefix`.

    Questions that take too long are given up: then the conflict may name more than it must, the largest beta
    of a group may be missing, and the nearest request may be further off than need be.
    """
    inquiry = Inquiry(program, prefix)
    conflict = inquiry.conflict()
    largest_beta: dict[Hashable, int | None] = {}
    for g in inquiry.asked:
        try:
            largest_beta[program.fairness.names[g]] = inquiry.largest_beta(g, conflict)
        except TimeoutError:
            continue
    nearest, advice = _way_out(inquiry)
    return InfeasibleFairnessError(
        f"{_complaint(inquiry, conflict)}: {', or '.join([advice, *_lower_alpha(inquiry, conflict)])}",
        conflict=tuple(_label(promise, program.fairness) for promise in conflict),
        largest_beta=largest_beta,
        nearest=nearest,
    )


def _way_out(inquiry: Inquiry) -> tuple[dict[str, object], str]:
    """Say what to change, by parameter and in words."""
    fairness, names = inquiry.fairness, inquiry.fairness.names
    request, prefix = nearest_request(inquiry)
    nearest: dict[str, object] = {}
    changes = []
    if request.min_units != fairness.min_units:
        nearest["min_size"] = request.weight(request.min_units)
        changes.append(f"lower min_size to {nearest['min_size']}")
    if request.max_units != fairness.max_units:
        nearest["max_size"] = request.weight(request.max_units)
        changes.append(f"raise max_size to {nearest['max_size']}")
    if prefix != inquiry.prefix:
        nearest["prefix"] = [(names[g], k) for g, k in prefix]
        dropped = [repr((names[g], k)) for g, k in inquiry.prefix if (g, k) not in prefix]
        changes.append(f"drop {_and(dropped)} from prefix")
    if request.beta != fairness.beta:
        nearest["beta"] = {names[g]: request.beta[g] for g in inquiry.asked}
        lowered = [g for g in inquiry.asked if request.beta[g] < fairness.beta[g]]
        changes.append("lower " + _and(f"beta[{names[g]!r}] to {request.beta[g]}" for g in lowered))
    return nearest, _and(changes)


def _lower_alpha(inquiry: Inquiry, conflict: list[Promise]) -> list[str]:
    """Advise a lower share for a group that is in conflict by itself, if that alone would do."""
    claims = [promise for promise in conflict if promise not in inquiry.sizes]
    if len(claims) != 1 or claims[0].kind != "beta" or not inquiry.has_members(claims[0].group):
        return []
    percent = largest_percent(inquiry, claims[0].group)
    names, alpha = inquiry.fairness.names, inquiry.fairness.alpha
    parameter = "alpha" if len(set(alpha)) == 1 else f"alpha[{names[claims[0].group]!r}]"
    return [f"{parameter} to {plain(Fraction(percent, 100))} at the same beta"] if percent else []


def _complaint(inquiry: Inquiry, conflict: list[Promise]) -> str:
    fairness, n_clusters = inquiry.fairness, _plural(inquiry.fairness.n_clusters, "cluster")
    needs = [_need(promise, fairness) for promise in conflict if promise not in inquiry.sizes]
    if len(needs) == 1 and conflict[-1].kind == "beta":
        group = conflict[-1].group
        if not inquiry.has_members(group):
            return f"{needs[0]} but has no members"
        members_for = inquiry.members_for(group)
        room = "too few members" if members_for is None else f"members for {members_for or 'none'}"
        return f"{needs[0]} but has {room}{_with_sizes(fairness, inquiry.sizes)}"
    with_sizes = _with_sizes(fairness, [promise for promise in conflict if promise in inquiry.sizes])
    if not needs:
        return f"the points cannot be split into {n_clusters}{with_sizes}"
    return f"{_and(needs)}, which no clustering into {n_clusters} can do{with_sizes}"


def _with_sizes(fairness: Fairness, promises: list[Promise]) -> str:
    sizes = [f"min_size={fairness.weight(fairness.min_units)}"] if MIN_SIZE in promises else []
    sizes += [f"max_size={fairness.weight(fairness.max_units)}"] if MAX_SIZE in promises else []
    return f" with {_and(sizes)}" if sizes else ""


def _need(promise: Promise, fairness: Fairness) -> str:
    name, share = fairness.names[promise.group], 100 * float(fairness.alpha[promise.group])
    if promise.kind == "prefix":
        return f"cluster {promise.cluster} must be at least {share:g}% {name!r}"
    return f"group {name!r} needs {_plural(fairness.beta[promise.group], 'cluster')} of at least {share:g}%"


def _label(promise: Promise, fairness: Fairness) -> str:
    if promise in (MIN_SIZE, MAX_SIZE):
        return promise.kind
    name = fairness.names[promise.group]
    return f"beta[{name!r}]" if promise.kind == "beta" else f"prefix {(name, promise.cluster)!r}"


def _and(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
