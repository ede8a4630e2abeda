"""The sizes that a clustering was asked for."""

from minirel.promises.fairness import Fairness
from minirel.report.numbers import amount


def asked_sizes(fairness: Fairness) -> list[str] | None:
    """What was asked of the size of each cluster, or None if that was nothing but a member."""
    least, most, total = fairness.min_units, fairness.max_units, fairness.total
    if max(least) <= 1 and min(most) >= total:
        return None
    return [_said(fairness, *bounds) for bounds in zip(least, most, strict=True)]


def _said(fairness: Fairness, least: int, most: int) -> str:
    low, high = (amount(fairness.weight(units)) for units in (least, most))
    if most >= fairness.total:
        return f"at least {low}" if least > 1 else "any size"
    return f"{low} to {high}" if least > 1 else f"at most {high}"
