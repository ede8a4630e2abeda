"""The chart of a frontier: price against promise, a line for each share, with what is proven."""

import math

import numpy as np

from minirel.frontiers.shape import cheapest_of_each
from minirel.report.frontier_heat import MARKS
from minirel.report.frontier_view import View
from minirel.report.markup import Child, Markup, tag

_WIDTH, _HEIGHT = 480, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 8, 14, 48
_INSET, _MOST_TICKS = 28, 16
# Shapes of the lines' points, which tell them apart without colour.
_SHAPES = ("circle", "square", "diamond", "triangle")


def chart(view: View, number: int, share: int) -> Markup:
    """The figure of one number of clusters: along the clusters promised to all groups together."""
    alphas = range(len(view.values["alpha"]))
    rows = {a: _curve(view, number, a, share) for a in alphas}
    promised = sorted({n for curve in rows.values() for n, _ in curve})
    prices = [view.columns["price"][i] for curve in rows.values() for _, i in curve]
    top = _nice(max([p for p in prices if np.isfinite(p)] + [view.budget, 0.001]))
    name = f"{view.values['n_clusters'][number]} clusters"
    least, most = (promised[0], promised[-1]) if promised else (0, 1)
    step = (_WIDTH - _LEFT - _RIGHT - 2 * _INSET) / max(most - least, 1)

    def x(n: int) -> float:
        return _LEFT + _INSET + step * (n - least)

    def y(price: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(max(price, 0), top) / top)

    parts: list[Child] = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        at = y(tick * top)
        parts.append(tag("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=_at(at), y2=_at(at)))
        parts.append(tag("text", _tick(tick * top), class_="axis", x=_LEFT - 7, y=_at(at + 4.5)))
    shown = promised[:: len(promised) // _MOST_TICKS + 1]
    parts += [tag("text", f"{n}", x=_at(x(n)), y=_HEIGHT - _BOTTOM + 19) for n in shown]
    middle = _at((_LEFT + _WIDTH - _RIGHT) / 2)
    parts.append(tag("text", "clusters promised, all groups together", x=middle, y=_HEIGHT - 8))
    at = y(view.budget)
    parts.append(tag("line", class_="budget", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=_at(at), y2=_at(at)))
    for a in alphas:
        shift = 7 * (a - (len(alphas) - 1) / 2)
        parts += _line(view, a, [i for _, i in rows[a]], [x(n) + shift for n, _ in rows[a]], y)
    drawing = tag(
        "svg",
        parts,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="group",
        aria_label=f"Price against promise with {name}",
        data_top=f"{top:.12g}",
        data_high=_TOP,
        data_low=_HEIGHT - _BOTTOM,
    )
    keys = (
        tag("span", tag("span", class_=f"key s{a % 6}"), f"at least {view.label('alpha', a)}") for a in alphas
    )
    caption = tag(
        "figcaption",
        tag("strong", f"Price against promise, {name}. "),
        tag(
            "span",
            "The bar below a point reaches down to what is proven for its centers. The line joins the "
            "cheapest. ",
            class_="note",
        ),
        tag("span", keys, class_="keys"),
    )
    picture = tag(
        "div", drawing, class_="drawing scroll", tabindex=0, role="region", aria_label=f"Chart, {name}"
    )
    return tag("figure", caption, picture, class_="frontier")


def _curve(view: View, number: int, a: int, share: int) -> list[tuple[int, int]]:
    """The clusters promised and the row of each request with one share, in their order."""
    curve = []
    for b in range(len(view.values["beta"])):
        i = view.row(n_clusters=number, alpha=a, beta=b, max_share=share)
        if view.found.requests[i].request is not None:
            curve.append((sum(view.found.requests[i].fairness.beta), i))
    return sorted(curve)


def _line(view: View, a: int, rows: list[int], xs: list[float], y: object) -> list[Child]:
    """One share: its line, the bars of what is proven, its points, and crosses where nothing can be had."""
    assert callable(y)
    parts: list[Child] = []
    prices, at = view.columns["price"], dict(zip(rows, xs, strict=True))
    # Upright, the line would read as the bar of what is proven.
    known = cheapest_of_each(view.found.requests, prices, [i for i in rows if np.isfinite(prices[i])])
    path = " ".join(f"{'L' if n else 'M'}{_at(at[i])} {_at(y(prices[i]))}" for n, i in enumerate(known))
    parts.append(tag("path", d=path, class_=f"line s{a % 6}") if len(known) > 1 else None)
    for i, x in at.items():
        price, plain = prices[i], view.columns["kmeans_cost"][i]
        said = f"{view.title(i)}: {view.price(i) if view.heat(i) != 'never' else 'cannot be kept'}"
        if np.isfinite(price):
            bound = (view.columns["lower_bound"][i] - plain) / plain if plain > 0 else 0.0
            shapes: list[Child] = [
                tag(
                    "line", class_=f"band s{a % 6}", x1=_at(x), x2=_at(x), y1=_at(y(price)), y2=_at(y(bound))
                ),
                _point(_SHAPES[a % 4], x, y(price), f"point s{a % 6}"),
            ]
            # The signs of the cells, so that one key explains both.
            signs = "".join(MARKS[name][0] for name in ("knee", "dominated") if view.columns[name][i])
            if signs:
                shapes.append(tag("text", signs, x=_at(x), y=_at(y(price) - 8), class_="sign"))
        elif view.columns["feasible"][i] is None:
            shapes = [tag("text", MARKS["open"][0], x=_at(x), y=_TOP + 8, class_="sign")]
        else:
            shapes = [_point("cross", x, _TOP + 4, f"never s{a % 6}")]
        shapes.insert(
            0,
            tag(
                "circle",
                cx=_at(x),
                cy=_at(y(price) if np.isfinite(price) else _TOP + 4),
                r=11,
                class_="catch",
            ),
        )
        faded = " faded" if view.columns["dominated"][i] else ""
        parts.append(
            tag(
                "a",
                tag("title", said),
                shapes,
                href=f"#r{i}",
                data_row=i,
                class_=f"dot{faded}",
                aria_label=said,
            )
        )
    return parts


def _point(shape: str, x: float, y: float, class_: str) -> Markup:
    if shape == "circle":
        return tag("circle", cx=_at(x), cy=_at(y), r=4.5, class_=class_)
    paths = {
        "square": "M{0} {2}H{1}V{3}H{0}Z",
        "diamond": "M{4} {2}L{1} {5}L{4} {3}L{0} {5}Z",
        "triangle": "M{4} {2}L{1} {3}H{0}Z",
        "cross": "M{0} {2}L{1} {3}M{1} {2}L{0} {3}",
    }
    corners = [_at(v) for v in (x - 4.5, x + 4.5, y - 4.5, y + 4.5, x, y)]
    return tag("path", d=paths[shape].format(*corners), class_=class_)


def _nice(value: float) -> float:
    """The next round number above."""
    step = 10.0 ** math.floor(math.log10(value))
    return next(m * step for m in (1, 2, 4, 6, 8, 10) if m * step >= value * 1.02 or m == 10)


def _tick(price: float) -> str:
    return f"+{float(f'{100 * price:.3g}'):g}%" if price else "0%"


def _at(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
