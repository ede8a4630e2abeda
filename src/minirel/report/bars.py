"""The picture of a group: one bar per cluster, and the line that it has to reach."""

from minirel.outcome.audit import Audit
from minirel.outcome.verdict import bounds_in_words
from minirel.points.numbers import amount
from minirel.points.percent import asked
from minirel.report.markup import Markup, tag
from minirel.report.names import Names
from minirel.report.shares import out_of_bounds, shown_share

_WIDTH, _HEIGHT = 320, 130
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 4, 16, 20
_MOST_BARS = 60
# Room that a cluster's name takes below its bar.
_LABEL = 7.0


def panel(result: Audit, g: int, groups: Names, clusters: Names) -> Markup:
    """One group's shares of all clusters."""
    places = list(range(len(clusters)))
    if len(places) > _MOST_BARS:
        places = sorted(places, key=lambda k: (-result.shares[g, k], k))[:_MOST_BARS]
    held, promised = result.n_represented[g], result.beta[g]
    said = f"represented in {amount(held, 'cluster')}" + (
        f", {amount(promised)} promised" if promised else ""
    )
    if len(places) < len(clusters):
        said += f"; its {_MOST_BARS} largest shares"
    wide = (_WIDTH - _LEFT - _RIGHT) / len(places)
    longest = max(len(clusters.short[k]) for k in places)
    step = max(1, -(-longest * _LABEL // wide)) if longest <= 6 else 0
    picture = tag(
        "svg",
        tag("title", f"{groups.short[g]}: {said}"),
        _scale(),
        (_bar(result, g, k, place, wide, groups, clusters) for place, k in enumerate(places)),
        (
            _words(clusters.short[k], _LEFT + (place + 0.5) * wide, _HEIGHT - 6)
            for place, k in enumerate(places)
            if step and place % step == 0
        ),
        (_line(_y(bound), "bound") for bound in _bounds(result, g)),
        _line(_y(result.alpha[g]), "need"),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
    )
    said += f", needs {asked(result.alpha[g])}"
    if _bounds(result, g):
        said += f"; in every cluster {bounds_in_words(result.min_share[g], result.max_share[g])}"
    words = tag("figcaption", tag("b", groups.of(g)), " ", tag("span", said))
    return tag("figure", words, picture)


def _bounds(result: Audit, g: int) -> list[float]:
    """The bounds that a group has on its share in every cluster."""
    least, most = result.min_share[g], result.max_share[g]
    return [*([least] if least > 0 else []), *([most] if most < 1 else [])]


def _bar(
    result: Audit, g: int, k: int, place: int, wide: float, groups: Names, clusters: Names
) -> list[Markup | None]:
    represented, allowed = bool(result.represented[g, k]), bool(result.allowed[g, k])
    count, size = result.counts[g, k].item(), result.totals[k].item()
    out = out_of_bounds(result, g, k)
    top = _y(float(result.shares[g, k]))
    middle = _LEFT + (place + 0.5) * wide
    detail = (
        f"Cluster {clusters.short[k]}: {shown_share(result, g, k)} {groups.short[g]}, "
        f"{amount(count)} of {amount(size)} members"
        + (", represented" if represented and allowed else "")
        + (", enough but does not count" if represented and not allowed else "")
        + (f", {out}" if out else "")
    )
    kind = ("held" if represented and allowed else "other") + (" out" if out else "")
    bar = tag(
        "rect",
        x=f"{middle - 0.39 * wide:.1f}",
        y=f"{top:.1f}",
        width=f"{0.78 * wide:.1f}",
        height=f"{_y(0) - top:.1f}",
        class_=kind,
    )
    # The whole column answers to the pointer, also where the bar is short.
    column = tag(
        "rect",
        x=f"{middle - 0.5 * wide:.1f}",
        y=_TOP,
        width=f"{wide:.1f}",
        height=_HEIGHT - _TOP - _BOTTOM,
        class_="catch",
    )
    star = _words("★" if allowed else "☆", middle, top - 3, "star") if represented and wide >= 8 else None
    return [tag("g", tag("title", detail), column, bar, star, class_="bar", data_k=k)]


def _scale() -> list[Markup]:
    marks = []
    for percent in (0, 50, 100):
        marks += [
            _line(_y(percent / 100), "grid"),
            _words(f"{percent}%", _LEFT - 4, _y(percent / 100) + 3.5, "axis"),
        ]
    return marks


def _y(part: float) -> float:
    return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)


def _line(y: float, kind: str) -> Markup:
    return tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}", class_=kind)


def _words(shown: str, x: float, y: float, kind: str = "tick") -> Markup:
    return tag("text", shown, x=f"{x:.1f}", y=f"{y:.1f}", class_=kind)
