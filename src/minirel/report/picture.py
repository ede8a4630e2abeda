"""The points of a clustering in a plane or on a map, as a small drawing."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from minirel.outcome.audit import Audit
from minirel.outcome.plane import Plane, share_colours
from minirel.points.numbers import amount
from minirel.report.markup import Markup, tag
from minirel.report.names import name

_WIDTH, _LEAST, _MOST, _EDGE = 640, 240, 470, 14
# Points with an outline: those that were moved, as far as they do not hide the others.
_MOST_OUTLINED = 60
# Dots at one place from which on they are spread, and how far from each other.
_CROWD, _APART = 5, 1.7
_N_COLOURS = 10
# Beyond so many clusters their numbers are smaller.
_MANY = 20


def picture(plane: Plane, result: Audit) -> Markup:
    """Dots in the colours of their clusters, centers with their numbers, outlines around points moved."""
    stretch = (
        np.array([math.cos(math.radians(float(plane.centers[:, 1].mean()))), 1.0]) if plane.is_map else 1.0
    )
    points, centers = plane.points * stretch, plane.centers * stretch
    place, height = _frame(np.vstack([points, centers]))
    colour = share_colours(place(centers), _N_COLOURS)
    outlined = np.flatnonzero(plane.moved)[:_MOST_OUTLINED]
    dots, is_spread = _side_by_side(place(points))
    radius = 7 if len(centers) > _MANY else 9
    drawn = [
        tag("path", d=_path(dots[outlined]), class_="outline"),
        *(
            tag(
                "g",
                tag("title", f"Cluster {result.clusters[k]}: {amount(result.sizes[k].item(), 'member')}"),
                tag("path", d=_path(dots[plane.labels == k])),
                class_=f"bar dots c{colour[k]}",
                data_k=k,
            )
            for k in range(len(centers))
        ),
        *(
            tag(
                "g",
                tag("circle", cx=x, cy=y, r=radius, class_=f"center c{colour[k]}"),
                tag("text", str(result.clusters[k]), x=x, y=y + 3.5, class_="center"),
            )
            for k, (x, y) in enumerate(np.rint(place(centers)).astype(int).tolist())
        ),
    ]
    n_shown = len(points)
    said = "Each dot is a point in the colour of its cluster, and a number is a cluster’s center. "
    if n_shown < plane.n_points:
        said += f"{amount(n_shown)} of {amount(plane.n_points)} points are drawn, chosen at random. "
    if is_spread:
        said += "Points at the same place are drawn side by side. "
    if plane.n_moved:
        some = " some of" if len(outlined) < plane.moved.sum() else ""
        said += (
            f"Outlined are{some} those that are not with their nearest center "
            f"({amount(plane.n_moved)} in all). "
        )
    axes = f"Across: {plane.axis_names[0]}; up: {plane.axis_names[1]}."
    caption = tag(
        "figcaption",
        tag("b", "A map" if plane.is_map else "The clusters"),
        " ",
        tag("span", said),
        name(axes),
    )
    drawing = tag(
        "svg", tag("title", "The clusters in a plane"), drawn, viewBox=f"0 0 {_WIDTH} {height}", role="img"
    )
    return tag("figure", caption, drawing, class_="plane")


Place: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _frame(points: NDArray[np.float64]) -> tuple[Place, int]:
    """Where points are in the drawing, at the same scale across and up, and how high that is."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 1e-12 * max(1.0, float(np.abs(points).max())))
    inner = _WIDTH - 2 * _EDGE
    scale = min(inner / span[0], (_MOST - 2 * _EDGE) / span[1])
    height = int(min(max(span[1] * scale + 2 * _EDGE, _LEAST), _MOST))

    def place(some: NDArray[np.float64]) -> NDArray[np.float64]:
        middle = (low + high) / 2
        x = _WIDTH / 2 + (some[:, 0] - middle[0]) * scale
        y = height / 2 - (some[:, 1] - middle[1]) * scale
        return np.column_stack([x, y])

    return place, height


def _side_by_side(dots: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Dots that would hide each other in a spiral around their place, so that its area tells their number."""
    _, spot, n_there = np.unique(np.rint(dots), axis=0, return_inverse=True, return_counts=True)
    spot = spot.ravel()
    order = np.argsort(spot, kind="stable")
    place = np.empty(len(dots))
    place[order] = np.arange(len(dots)) - np.repeat(np.cumsum(n_there) - n_there, n_there)
    is_crowded = (n_there >= _CROWD)[spot]
    angle, away = place * math.pi * (3 - math.sqrt(5)), _APART * np.sqrt(place) * is_crowded
    return dots + np.column_stack([np.cos(angle), np.sin(angle)]) * away[:, None], bool(is_crowded.any())


def _path(dots: NDArray[np.float64]) -> str:
    """A line of no length for each dot, which round ends make visible: a few bytes for each."""
    return "".join(f"M{x} {y}h0" for x, y in np.rint(dots).astype(int).tolist())
