"""Local search: single moves, and the centers updated after them, until no move lowers the cost."""

import numpy as np
from numpy.typing import NDArray

from minirel.assignment.costs import Costs, Part, over_blocks
from minirel.assignment.problem import Problem, costs_of
from minirel.assignment.request import Request
from minirel.clustering.border import Border
from minirel.clustering.cost_table import cost_table
from minirel.clustering.moves import Moves, PromiseState, single_moves
from minirel.clustering.objectives import Data, Matrix, Objective
from minirel.clustering.recentring import Means, recentred_moves
from minirel.points.workers import SERIAL, Workers
from minirel.solvers.limits import Deadline


def descend(
    X: Data,
    objective: Objective,
    centers: Matrix,
    costs: Costs,
    labels: NDArray[np.intp],
    request: Request,
    deadline: Deadline,
    workers: Workers = SERIAL,
) -> tuple[NDArray[np.intp], Matrix] | None:
    """Labels and centers after single moves until no move is left; None if they do not lower the cost.

    First points go where they cost less at the centers as they are, many at a time. Then, where centers are
    means, one by one also where it pays only when both centers follow.

    Centers are rounded to the precision of the data, so the last moves may be due to rounding: the search
    ends when labels repeat, and its result counts only if it lowers the cost by more than rounding.
    """
    before, start = request.problem(costs, None, workers), labels
    weight, n_clusters = request.weights.values, len(centers)
    # All points are looked at once; after that, those near the border and those that move.
    labels, state = labels.copy(), PromiseState(request, labels)
    of_cluster = state.weight_of_clusters if objective.centers_are_means else None
    means = None if of_cluster is None else Means(X, centers, of_cluster, weight)
    border = Border(objective, centers, costs, labels, of_cluster, weight, workers)
    moved = np.empty(0, dtype=np.intp)
    # Labels are told apart by the changes since the start, so that no round hashes all of them.
    digest, seen = 0, set[int]()
    while digest not in seen and not deadline.passed():
        seen.add(digest)
        points = border.points(centers, of_cluster, moved)
        if points is None:
            costs = cost_table(objective, centers, workers)
            border = Border(objective, centers, costs, labels, of_cluster, weight, workers)
            points = border.near
        known = objective.costs(centers, points)
        border.update(known, labels[points])
        moves = single_moves(known, points, labels, state)
        if not moves and means is not None:
            moves = recentred_moves(X, centers, known, points, labels, state)
        if not moves:
            break
        digest ^= _difference(moves, n_clusters)
        moved = moves.points
        labels[moved] = moves.target
        if means is None:
            centers = objective.centers(labels, n_clusters)
        else:
            centers, of_cluster = means.follow(moves), state.weight_of_clusters
    if digest == 0:
        return None
    centers = objective.centers(labels, n_clusters)
    after = request.problem(cost_table(objective, centers, workers), None, workers)
    return (labels, centers) if is_cheaper(after, labels, before, start) else None


def _difference(moves: Moves, n_clusters: int) -> int:
    """A number of 64 bits for what changed: combined by exclusive or, it is 0 where labels are as before.

    It combines one number for each pair of point and cluster (Zobrist's), from the finaliser of SplitMix64.
    """
    moved = moves.points.astype(np.uint64)
    pairs = [moved * np.uint64(n_clusters) + of.astype(np.uint64) for of in (moves.source, moves.target)]
    bits = np.concatenate(pairs) + np.uint64(1)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    return int(np.bitwise_xor.reduce(bits))


def is_cheaper(
    problem: Problem, labels: NDArray[np.intp], than: Problem, other: NDArray[np.intp], rounding: float = 0.0
) -> bool:
    """Whether labels cost less than others, by more than the rounding error of the costs that differ."""
    epsilon = float(np.finfo(problem.costs.dtype).eps)

    parts = over_blocks(
        _saved,
        (problem.costs, than.costs),
        (labels, other, problem.weights.units),
        (epsilon,),
        workers=problem.workers,
    )
    saved, rounding_error = (sum(part) for part in zip(*parts, strict=True))
    return bool(saved > max(rounding_error, rounding))


def _saved(
    part: Part,
    than: Part,
    labels: NDArray[np.intp],
    other: NDArray[np.intp],
    units: NDArray[np.int64] | None,
    epsilon: float,
) -> tuple[float, float]:
    """What the labels of a block save, and the rounding error of that."""
    here, there = costs_of(part, labels, units), costs_of(than, other, units)
    differs = here != there
    here, there = here[differs], there[differs]
    rounding_error = 4 * epsilon * np.maximum(np.abs(here), np.abs(there))
    return float((there - here).sum()), float(rounding_error.sum())
