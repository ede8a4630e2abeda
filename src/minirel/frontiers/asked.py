"""The requests of a frontier: every combination of the values asked for, read before any work."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from minirel.assignment.request import Request
from minirel.points.errors import InfeasibleFairnessError, ParameterTypeError, ParameterValueError
from minirel.points.messages import Message, Parameter
from minirel.promises.exact import positive
from minirel.promises.fairness import Fairness

# The parameters that a frontier varies, each one value or a list of values.
VARIED = ("n_clusters", "alpha", "beta", "max_share")


@dataclass(frozen=True, eq=False)
class Asked:
    """One request: the values as they were given, and what they mean in exact numbers.

    `request` is None where more clusters are promised than there are; `refused` then says so.
    """

    values: dict[str, Any]
    request: Request | None
    refused: InfeasibleFairnessError | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.values["n_clusters"])

    @property
    def fairness(self) -> Fairness:
        """What is asked, in exact numbers."""
        assert self.request is not None
        return self.request.fairness

    @property
    def counts(self) -> set[int]:
        """Groups whose alpha means something: beta asks clusters for them, or prefix names one of theirs."""
        assert self.request is not None
        named = {g for g, _ in self.request.required}
        return named.union(g for g, n in enumerate(self.fairness.beta) if n)

    @property
    def key(self) -> str:
        """The same text for requests that mean the same, and for no others."""
        fairness, counts = self.fairness, self.counts
        shares = [str(share) if g in counts else "" for g, share in enumerate(fairness.alpha)]
        return repr((self.n_clusters, shares, fairness.beta, list(map(str, fairness.max_share))))


def is_as_strict(one: Asked, other: Asked) -> bool:
    """Whether every clustering that keeps `one` keeps `other`: no smaller promises, with as many clusters.

    They are of one frontier, and so differ in nothing but what that varies.
    """
    if one.n_clusters != other.n_clusters:
        return False
    more, less, counts = one.fairness, other.fairness, other.counts
    return all(
        more.beta[g] >= less.beta[g]
        and (g not in counts or more.alpha[g] >= less.alpha[g])
        and more.max_share[g] <= less.max_share[g]
        for g in range(len(less.names))
    )


def read_values(max_requests: object, **given: object) -> list[dict[str, Any]]:
    """All combinations of the values given for each parameter, the last varying fastest."""
    lists = {name: _as_list(value, name) for name, value in given.items()}
    lists["n_clusters"] = [positive(number, "n_clusters") for number in lists["n_clusters"]]
    n_requests, most = prod(map(len, lists.values())), positive(max_requests, "max_requests")
    if n_requests > most:
        sizes = " x ".join(f"{len(values):,} of {name}" for name, values in lists.items() if len(values) > 1)
        raise ParameterValueError(
            "max_requests",
            "must be at least the number of requests",
            max_requests,
            Message(f"raise it to {n_requests} if that is meant, or ask for fewer values"),
            found=Message("is ", str(most), f" for {n_requests:,} ({sizes})"),
        )
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def _as_list(value: object, name: str) -> list[Any]:
    """The values of a parameter, each once: a number, a word or a mapping is one value."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return [value]
    if isinstance(value, set | frozenset):
        rule = "must be one value or a list of values, in their order"
        raise ParameterTypeError(name, rule, value, "write a list", found="is a set, which has none")
    if isinstance(value, np.ndarray) and value.ndim != 1:
        if value.ndim == 0:
            return [value.item()]
        rule, found = "must be one value or a list of values", f"has shape {value.shape}"
        raise ParameterValueError(name, rule, value, found=found)
    values: dict[object, Any] = {}
    for each in value.tolist() if isinstance(value, np.ndarray) else value:
        values.setdefault(_same(each), each)
    if not values:
        rule = "must be one value or a list of at least one"
        raise ParameterValueError(name, rule, value, "give at least one value", found="is empty")
    return list(values.values())


def _same(value: object) -> object:
    """A key that is the same for equal values."""
    try:
        key = frozenset(value.items()) if isinstance(value, Mapping) else value
        hash(key)
    except TypeError:  # no value of any of these parameters, which is said where it is read
        return repr(value)
    return key


def too_many(values: dict[str, Any], counts: tuple[int, ...], names: tuple[Any, ...]) -> Message | None:
    """Say that more clusters are promised to a group than there are; None if not."""
    n_clusters = values["n_clusters"]
    for name, count in zip(names, counts, strict=True):
        if count > n_clusters:
            return Message(
                Parameter("beta", name),
                f" is {count}, but there are ",
                Parameter("n_clusters", value=n_clusters),
                ": lower it, or raise ",
                Parameter("n_clusters"),
            )
    return None
