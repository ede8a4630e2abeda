"""Requests in words, for tables, pages and pictures."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from minirel.points.percent import asked
from minirel.points.wording import agreeing, counted, listed, visible

if TYPE_CHECKING:
    from minirel.promises.fairness import Fairness

_MOST_NAMED, _MOST_UNPROMISED = 8, 5
_FREE = 1e-9  # a price that is only rounding


def value_in_words(parameter: str, value: Any, names: Mapping[Any, str] | None = None) -> str:
    """A value of alpha, beta or max_share in a few words; `names` are those of the groups as shown."""
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        entries = (f"{_name(group, names)} {value_in_words(parameter, one)}" for group, one in value.items())
        return listed(entries, most=_MOST_NAMED)
    if isinstance(value, str):
        return visible(value.replace("_", " "))
    return str(value) if parameter in ("beta", "n_clusters") else asked(Fraction(str(value)))


def as_typed(value: Any) -> Any:
    """A value as somebody would type it: exact fractions are 30%, or 1/3 where a percentage is not exact.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from minirel.frontiers.wording import as_typed
    >>> as_typed(Fraction(3, 10)), as_typed({"F": Fraction(1, 3), "M": Fraction(1, 8)}), as_typed(0.51)
    ('30%', {'F': '1/3', 'M': '12.5%'}, 0.51)
    """
    if isinstance(value, Mapping):
        return {name: as_typed(one) for name, one in value.items()}
    if not isinstance(value, Fraction):
        return value
    parts = f"{Decimal(100 * value.numerator) / value.denominator:f}"
    return f"{parts}%" if Fraction(parts) == 100 * value else str(value)


def price_in_words(price: float) -> str:
    """What a request costs more than k-means, rounded up so that nothing reads as free that is not."""
    if not math.isfinite(price):
        return "not known"
    if price < _FREE:
        return "0%"
    if price < 1e-4:
        return "<0.01%"
    if price >= 10:
        return f"×{price + 1:,.0f}"
    places = 2 if price < 0.0995 else 1 if price < 0.995 else 0
    return f"+{math.ceil(round(price * 100 * 10**places, 6)) / 10**places:,.{places}f}%"


def promise_in_words(fairness: "Fairness", names: Sequence[str] | None = None) -> str:
    """What a request promises: "at least 51% in 2 clusters for F and in 3 for M"."""
    shown = [visible(str(name)) for name in fairness.names] if names is None else list(names)
    by_share: dict[Fraction, list[str]] = {}
    for name, share, n in zip(shown, fairness.alpha, fairness.beta, strict=True):
        if n:
            by_share.setdefault(share, []).append(f"{counted(n, 'cluster')} for {name}")
    said = [
        f"at least {asked(share)} in {listed(parts, most=_MOST_NAMED, last=' and ')}"
        for share, parts in by_share.items()
    ]
    bounds: dict[Fraction, list[str]] = {}
    for name, most in zip(shown, fairness.max_share, strict=True):
        if most < 1:
            bounds.setdefault(most, []).append(name)
    said += [
        f"at most {asked(most)} {listed(whom, most=_MOST_NAMED, last=' and ')} in every cluster"
        for most, whom in bounds.items()
    ]
    return "; ".join(said) or "nothing"


def unpromised_in_words(fairness: "Fairness", names: Sequence[str] | None = None) -> str:
    """Whom a request promises nothing while others have a promise: "nothing for F and M"; "" if nobody."""
    shown = [visible(str(name)) for name in fairness.names] if names is None else list(names)
    promised = zip(shown, fairness.beta, fairness.min_share, strict=True)
    nothing = [name for name, n, least in promised if not n and not least] if any(fairness.beta) else []
    return f"nothing for {listed(nothing, most=_MOST_UNPROMISED, last=' and ')}" if nothing else ""


def open_in_words(n_open: int, n_requests: int) -> str:
    """That some requests have no answer yet, and what that means for a budget; "" if all have one."""
    if not n_open:
        return ""
    some = f"{n_open:,} of {counted(n_requests, 'request')} {agreeing('is', n_open)}"
    return f"{some} open (no answer yet) and may be within it"


def _name(group: Any, names: Mapping[Any, str] | None) -> str:
    return visible(str(group)) if names is None else names.get(group, visible(str(group)))
