"""What keeps a request from being answered."""

from collections.abc import Hashable, Mapping


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
    """
