"""Why a request cannot be met, in words."""

import math
from collections.abc import Hashable, Iterable
from dataclasses import replace
from fractions import Fraction

from minirel.points.errors import InfeasibleFairnessError
from minirel.points.messages import Message, Parameter, Value, joined
from minirel.points.percent import asked
from minirel.points.wording import counted
from minirel.promises.exact import plain
from minirel.promises.fairness import Fairness, Prefix
from minirel.promises.feasibility.conflict import EXCLUSIVE, MAX_SIZE, MIN_SIZE, Diagnosis, Promise
from minirel.promises.feasibility.counts import CountProgram
from minirel.promises.feasibility.nearest import largest_members, largest_percent, nearest_request
from minirel.promises.sizes import as_max_size, as_min_size

# Promises that a sentence names one by one.
_MOST_NAMED = 12


def explain_infeasible(program: CountProgram, prefix: Prefix = ()) -> InfeasibleFairnessError:
    """Say why no clustering keeps the request of `program` and `prefix`, which it has proven.

    The effort is limited, so for very many groups less is said: the conflict may name more than it must, and
    the largest beta of a group or the nearest request may be missing.
    """
    diagnosis = Diagnosis(program, prefix)
    conflict = diagnosis.conflict()
    message, nearest = _message(diagnosis, conflict)
    largest_beta: dict[Hashable, int | None] = {}
    for g in diagnosis.asked:
        most, proven = diagnosis.largest_beta(g, conflict)
        if proven:
            largest_beta[program.fairness.names[g]] = most
    return InfeasibleFairnessError(
        message,
        conflict=tuple(_label(promise, program.fairness) for promise in conflict),
        largest_beta=largest_beta,
        nearest=nearest,
    )


def why_infeasible(program: CountProgram, prefix: Prefix = ()) -> str:
    """The message of `explain_infeasible` alone, which saves a question for each group."""
    diagnosis = Diagnosis(program, prefix)
    return _message(diagnosis, diagnosis.conflict())[0]


def _message(diagnosis: Diagnosis, conflict: list[Promise]) -> tuple[Message, dict[str, object]]:
    """What is wrong and the ways out, and the nearest request by parameter."""
    nearest, advice = _way_out(diagnosis)
    advice += _easier_terms(diagnosis, conflict) + _other_number(diagnosis)
    way_out = joined(", or ", advice) or "a request near this one that can be met could not be worked out"
    return Message(_complaint(diagnosis, conflict), ": ", way_out), nearest


def _way_out(diagnosis: Diagnosis) -> tuple[dict[str, object], list[str]]:
    """Say what to change, by parameter and in words; nothing if that could not be worked out."""
    found = nearest_request(diagnosis)
    if found is None:
        return {}, []
    (request, prefix), fairness, names = found, diagnosis.fairness, diagnosis.fairness.names
    nearest: dict[str, object] = {}
    changes = []
    if request.min_units != fairness.min_units:
        nearest["min_size"] = _one_or_all([as_min_size(units, request.unit) for units in request.min_units])
        changes.append(Message("lower ", Parameter("min_size"), " to ", Value(nearest["min_size"])))
    if request.max_units != fairness.max_units:
        nearest["max_size"] = _one_or_all([as_max_size(units, request.unit) for units in request.max_units])
        changes.append(Message("raise ", Parameter("max_size"), " to ", Value(nearest["max_size"])))
    for parameter, how, before, after, free in (
        ("min_share", "lower ", fairness.min_share, request.min_share, 0),
        ("max_share", "raise ", fairness.max_share, request.max_share, 1),
    ):
        if before != after and len({*before}) == len({*after}) == 1:
            nearest[parameter] = _as_read(after[0])
            changes.append(Message(how, Parameter(parameter), f" to {plain(after[0])}"))
        elif before != after:
            nearest[parameter] = {
                names[g]: _as_read(share) for g, share in enumerate(after) if before[g] != free
            }
            wider = [g for g, share in enumerate(after) if share != before[g]]
            entries = (Message(Parameter(parameter, names[g]), f" to {plain(after[g])}") for g in wider)
            changes.append(Message(how, _and(entries)))
    if prefix != diagnosis.prefix:
        nearest["prefix"] = [(names[g], k) for g, k in prefix]
        dropped = [repr((names[g], k)) for g, k in diagnosis.prefix if (g, k) not in prefix]
        changes.append(Message(f"drop {_and(dropped)} from ", Parameter("prefix")))
    if request.beta != fairness.beta:
        kept = [g for g in diagnosis.asked if request.beta[g]]
        lowered = [g for g in diagnosis.asked if request.beta[g] < fairness.beta[g]]
        # A group that is left out of beta asks for nothing: of many, name only those that keep something.
        told = diagnosis.asked if len(diagnosis.asked) <= _MOST_NAMED else kept
        nearest["beta"] = {names[g]: request.beta[g] for g in told}
        if len(lowered) <= _MOST_NAMED:
            entries = (Message(Parameter("beta", names[g]), f" to {request.beta[g]}") for g in lowered)
            changes.append(Message("lower ", _and(entries)))
        else:
            keep = _and([f"{request.beta[g]} for {names[g]!r}" for g in kept])
            to = f" to {keep or 'nothing'} and to 0 for all others"
            changes.append(Message("lower ", Parameter("beta"), to))
    return nearest, [_and(changes, most=None)]


def _easier_terms(diagnosis: Diagnosis, conflict: list[Promise]) -> list[str]:
    """Advise easier terms for a cluster to count, each of which alone would do.

    A lower share or fewer members for a group that is in conflict by itself, or clusters that are shared.
    """
    fairness = diagnosis.fairness
    if EXCLUSIVE in conflict and diagnosis.is_possible(replace(fairness, exclusive=False)):
        return [Message("drop ", Parameter("exclusive"))]
    given = {*diagnosis.sizes, *diagnosis.shares, *diagnosis.terms}
    wanted = [promise for promise in conflict if promise not in given]
    if len(wanted) != 1 or wanted[0].kind != "beta" or not diagnosis.has_members(wanted[0].group):
        return []
    group = wanted[0].group
    to: dict[str, int | float] = {}
    if percent := largest_percent(diagnosis, group):
        to["alpha"] = plain(Fraction(percent, 100))
    if Promise("min_members", group) in conflict and (units := largest_members(diagnosis, group)):
        to["min_members"] = max(
            as_min_size(units, fairness.member_unit), 1
        )  # 1 asks for nothing beyond the share
    advice: list[str] = []
    for name, value in to.items():
        one_for_all = len(set(getattr(fairness, name))) == 1
        parameter = Parameter(name, None if one_for_all else fairness.names[group])
        advice.append(Message(parameter, f" to {value} at the same ", Parameter("beta")))
    return advice


def _other_number(diagnosis: Diagnosis) -> list[str]:
    """Say which numbers of clusters would not be short of what is short."""
    short, n_clusters = diagnosis.shortage, diagnosis.fairness.n_clusters
    if short is None or short.n_clusters is None:
        return []
    (fewest, most), parameter = short.n_clusters, Parameter("n_clusters")
    if fewest > n_clusters:
        return [Message("raise ", parameter, f" to at least {fewest}")]
    fewer = _with_fewer_clusters(diagnosis.fairness, most)
    if fewer is not None and diagnosis.asking(fewer).choose().impossible:
        return []
    return [Message("lower ", parameter, f" to at most {most}")]


def _with_fewer_clusters(fairness: Fairness, n_clusters: int) -> Fairness | None:
    """The same request of so many clusters; None if it tells clusters apart."""
    sizes = {*fairness.min_units}, {*fairness.max_units}
    if max(map(len, sizes)) > 1 or not fairness.allowed.all():
        return None
    (least,), (most,) = sizes
    return replace(
        fairness,
        n_clusters=n_clusters,
        beta=tuple(min(b, n_clusters) for b in fairness.beta),
        allowed=fairness.allowed[:, :n_clusters],
        min_units=(least,) * n_clusters,
        max_units=(most,) * n_clusters,
    )


def _complaint(diagnosis: Diagnosis, conflict: list[Promise]) -> str:
    fairness, n_clusters = diagnosis.fairness, counted(diagnosis.fairness.n_clusters, "cluster")
    modest = {*diagnosis.sizes, *diagnosis.terms}
    needs = [_need(promise, diagnosis, conflict) for promise in conflict if promise not in modest]
    with_sizes = _with_sizes(fairness, [promise for promise in conflict if promise in diagnosis.sizes])
    short = diagnosis.shortage
    if short is not None and short.of in ("min_share", "max_share", "everywhere"):
        return _share_complaint(diagnosis)
    wanted = [promise for promise in conflict if promise.kind == "beta"]
    if len(needs) == 1 and wanted:
        group = wanted[0].group
        if not diagnosis.has_members(group):
            return f"{needs[0]} but has no members"
        if short is not None and short.of == "members" and short.sizes and short.groups == (group,):
            needed, there = fairness.people(short.needed), fairness.people(short.there)
            sizes = _with_sizes(fairness, [size for size in diagnosis.sizes if size.kind in short.sizes])
            has = f"it has {there:,}" if diagnosis.is_unweighted else f"they weigh {there:,}"
            return Message(needs[0], sizes, f", which takes {_members(diagnosis, needed)}, but {has}")
        if short is not None and short.of == "mix" and short.groups == (group,):
            sizes = _with_sizes(fairness, [size for size in diagnosis.sizes if size.kind in short.sizes])
            lacks = _members(diagnosis, fairness.people(short.needed))
            return Message(needs[0], sizes, f", but where it has most of its members it still lacks {lacks}")
        members_for = diagnosis.members_for(group)
        room = "too few members" if members_for is None else f"members for {members_for or 'none'}"
        return Message(f"{needs[0]} but has {room}", _with_sizes(fairness, diagnosis.sizes))
    if not needs:
        cannot = Message(f"the points cannot be split into {n_clusters}", with_sizes)
        return _size_complaint(diagnosis) or cannot
    if short is not None and short.family > _MOST_NAMED:
        return (
            f"{short.family} groups without a common member need at least {counted(short.needed, 'cluster')} "
            f"to be represented as asked, but there are {short.there}"
        )
    alone = " if each counts for one group only" if EXCLUSIVE in conflict else ""
    return Message(_and(needs), f", which no clustering into {n_clusters} can do", with_sizes, alone)


def _size_complaint(diagnosis: Diagnosis) -> str | None:
    """What is wrong with the sizes, if it can be counted."""
    short, fairness = diagnosis.shortage, diagnosis.fairness
    smallest, largest = (_size(size, fairness) for size in (MIN_SIZE, MAX_SIZE))
    if short is None or not short.sizes:
        return None
    if short.of == "size":
        rule = Message(Parameter("min_size"), " must be at most ", Parameter("max_size"))
        if len({*fairness.min_units}) == len({*fairness.max_units}) == 1:
            return Message(rule, ", but ", smallest, " and ", largest)
        limits = list(zip(fairness.min_units, fairness.max_units, strict=True))
        k = next(k for k, (least, most) in enumerate(limits) if least > most)
        least, most = (fairness.weight(units) for units in limits[k])
        return Message(rule, f", but they are {least:,} and {most:,} for cluster {k}")
    n_clusters = counted(fairness.n_clusters, "cluster")
    needed, there = fairness.weight(short.needed), fairness.weight(short.there)
    if short.of == "weight":
        asks = f" asks for {n_clusters} that weigh {needed:,}, but all points weigh {there:,}"
        if diagnosis.is_unweighted:
            asks = f" asks for {n_clusters} of {needed:,} points in all, but there are {there:,}"
        return Message(smallest, asks)
    all_points = f"there are {needed:,} points" if diagnosis.is_unweighted else f"all points weigh {needed:,}"
    return Message(largest, f" leaves {n_clusters} room for {there:,}, but {all_points}")


def _with_sizes(fairness: Fairness, promises: list[Promise]) -> str:
    sizes = [_size(size, fairness) for size in (MIN_SIZE, MAX_SIZE) if size in promises]
    return Message(" with ", _and(sizes)) if sizes else ""


def _size(promise: Promise, fairness: Fairness) -> Parameter:
    units = fairness.min_units if promise == MIN_SIZE else fairness.max_units
    return Parameter(promise.kind, value=_one_or_all([fairness.weight(number) for number in units]))


def _share_complaint(diagnosis: Diagnosis) -> str:
    """Which bound on the share in every cluster all points together break, or too few members for each."""
    short, fairness = diagnosis.shortage, diagnosis.fairness
    assert short is not None
    g, types = short.groups[0], diagnosis.program.types
    kind, most = ("max_share", "most") if short.of == "max_share" else ("min_share", "least")
    name, whom = fairness.names[g], "people" if fairness.counts_people else "points"
    asks = f" asks that every cluster is at {most} {asked(getattr(fairness, kind)[g])} {name!r}, "
    if short.of == "everywhere":
        has = f"which takes a member in each of the {short.needed}, but it has {short.there}"
        return Message(Parameter(kind), asks, has)
    has = f"but {name!r} is {asked(types.members[g] / types.share_total)} of all {whom}"
    return Message(Parameter(kind), asks, has)


def _as_read(share: Fraction) -> int | float | Fraction:
    """A share as people write it, if that is read as the same."""
    told = plain(share)
    return told if Fraction(str(told)) == share else share


def _one_or_all(sizes: list[int | float]) -> int | float | list[int | float]:
    """One size if it is that of all clusters."""
    return sizes[0] if len({*sizes}) == 1 else sizes


def _need(promise: Promise, diagnosis: Diagnosis, conflict: list[Promise]) -> str:
    """What a promise asks for; of a holder with the least members, if they are in conflict too."""
    fairness = diagnosis.fairness
    name, share = fairness.names[promise.group], asked(fairness.alpha[promise.group])
    with_members = Promise("min_members", promise.group) in conflict
    number = fairness.people(fairness.min_members[promise.group]) if with_members else 0
    if promise.kind == "prefix":
        held = f" and hold {number:,} of them" if with_members else ""
        return f"cluster {promise.cluster} must be at least {share} {name!r}{held}"
    if promise.kind in ("min_share", "max_share"):
        bound = getattr(fairness, promise.kind)[promise.group]
        word = "least" if promise.kind == "min_share" else "most"
        return f"every cluster must be at {word} {asked(bound)} {name!r}"
    needs = f"group {name!r} needs {counted(fairness.beta[promise.group], 'cluster')} of at least {share}"
    return f"{needs} and {_members(diagnosis, number)}" if with_members else needs


def _members(diagnosis: Diagnosis, weight: int | float) -> str:
    """Members that it takes, up to nine places; less than a hundredth of the last is noise of doubles."""
    billionths = math.ceil(Fraction(weight) * 10**9 - Fraction(1, 100))
    weight = plain(Fraction(max(billionths, 1), 10**9))
    return f"{weight:,} members" if diagnosis.is_unweighted else f"members of weight {weight:,}"


def _label(promise: Promise, fairness: Fairness) -> str:
    if promise in (MIN_SIZE, MAX_SIZE, EXCLUSIVE):
        return promise.kind
    name = fairness.names[promise.group]
    if promise.kind == "prefix":
        return f"prefix {(name, promise.cluster)!r}"
    return Parameter(promise.kind, name)


def _and(parts: Iterable[str], most: int | None = _MOST_NAMED) -> str:
    """List the parts, but of very many only the first."""
    told = list(parts)
    if most is not None and len(told) > most:
        told[most - 1 :] = [f"{len(told) - most + 1} more"]
    return joined(" and ", told)
