"""What keeps a request from being answered."""

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

from minirel.points.messages import Message, Parameter, Value


class ParameterError(Exception):
    """A parameter was given what it must not be.

    It always comes as a `ValueError` or a `TypeError` as well. The message says all of it: "alpha must be a
    share above 0 and at most 1, but is 1.5".

    Attributes
    ----------
    parameter : str
        Its name, such as ``"alpha"``, or ``"alpha['F']"`` where the entry of a group is meant.
    rule : str
        What it must be, such as "must be a share above 0 and at most 1".
    value : object
        What was given, or the part of it that breaks the rule.
    way_out : str
        What to do about it; "" if the rule says that already.

    Examples
    --------
    >>> from minirel import ParameterError, fair_assignment
    >>> try:
    ...     fair_assignment([[0, 1], [1, 0]], ["F", "M"], alpha={"F": 1.5, "M": 0.5}, beta=1)
    ... except ParameterError as error:
    ...     print(error.parameter, "|", error.rule, "|", error.value)
    alpha['F'] | must be a share above 0 and at most 1 | 1.5
    """

    def __init__(
        self,
        parameter: str,
        rule: str,
        value: object,
        way_out: str = "",
        *,
        found: str | None = None,
        obvious: bool = False,
    ) -> None:
        """Compose the message.

        `found` says what is wrong with the value, "is 1.5" if not given. A rule that is `obvious` from that
        is left out: "beta names an unknown group 'X': the groups are ...".
        """
        self.parameter = parameter if isinstance(parameter, Parameter) else Parameter(parameter)
        self.rule, self.value, self.way_out = rule, value, way_out
        self._wording: dict[str, Any] = {"found": found, "obvious": obvious}
        found = Message("is ", Value(value)) if found is None else found
        told = [found] if obvious else [rule, ", but ", found] if found else [rule]
        super().__init__(Message(self.parameter, " ", *told, *([": ", way_out] if way_out else [])))

    def about(self, parameter: str) -> "ParameterError":
        """The same of another parameter."""
        return type(self)(parameter, self.rule, self.value, self.way_out, **self._wording)

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.parameter, self.rule, self.value, self.way_out)
        return partial(type(self), **self._wording), given


class ParameterValueError(ParameterError, ValueError):
    """A `ParameterError` about a value."""


class ParameterTypeError(ParameterError, TypeError):
    """A `ParameterError` about a type."""


class InfeasibleFairnessError(ValueError):
    """No clustering keeps all that is asked.

    Attributes
    ----------
    conflict : tuple of str
        Promises that contradict each other, such as ``"beta['F']"`` or ``"max_size"``; without any one of
        them the rest could be kept, unless there are too many promises to work that out.
    largest_beta : dict
        For each group name the largest beta that the rest of the request leaves room for, or None where
        the rest is in conflict by itself. Groups for which it could not be worked out are left out.
    nearest : dict
        What to change, by parameter name, for the nearest request that can be met; it is proven that it
        can. Empty if none could be worked out.
    status : str
        Always ``"infeasible"``.

    Examples
    --------
    >>> from minirel import InfeasibleFairnessError, fair_assignment
    >>> try:
    ...     fair_assignment([[0, 1]] * 4, ["F", "M", "M", "M"], alpha=0.5, beta=2)
    ... except InfeasibleFairnessError as error:
    ...     print(error.nearest)
    {'beta': {'F': 1, 'M': 2}}
    """

    status = "infeasible"

    def __init__(
        self,
        message: str,
        *,
        conflict: tuple[str, ...] = (),
        largest_beta: Mapping[Hashable, int | None] | None = None,
        nearest: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        self.conflict = conflict
        self.largest_beta = dict(largest_beta or {})
        self.nearest = dict(nearest or {})


class NothingFoundError(RuntimeError):
    """No labels were found that keep all that is asked, nor a proof that there are none.

    Whole points that must fill narrow bounds exactly are a puzzle that can be out of reach. More time, wider
    bounds, a larger `gap` or lighter points may help.

    Examples
    --------
    Catch both: what is impossible, and what was only not found.

    >>> from minirel import InfeasibleFairnessError, NothingFoundError, fair_assignment
    >>> try:
    ...     fair = fair_assignment([[0, 1], [1, 0]], ["F", "M"], alpha=0.5, beta=1, time_limit=10)
    ... except (InfeasibleFairnessError, NothingFoundError) as error:
    ...     print(error)
    ... else:
    ...     print(fair.status)
    optimal
    """
