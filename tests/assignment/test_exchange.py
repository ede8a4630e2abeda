"""Exchanges of whole points: moves, swaps and chains, from any labels to cheap ones that keep every row."""

from itertools import product

import numpy as np
import pytest

from minirel import fair_assignment
from minirel.assignment.exchange import MovablePoints, _State, exchange
from minirel.assignment.rows import Rows
from minirel.promises.kinds import KINDS
from minirel.promises.rows import RowList
from minirel.solvers.limits import Deadline
from priced import Priced, counts_of, priced
from promptly import promptly
from thorough import often

FOREVER = Deadline(None)


class Counted(Deadline):
    """Time without end, that counts how often it was asked for."""

    def __init__(self) -> None:
        super().__init__(None)
        self.n_asked = 0

    def passed(self) -> bool:
        self.n_asked += 1
        return False


def exchanged(
    at: Priced, start: np.ndarray, target: float = -np.inf, deadline: Deadline = FOREVER
) -> np.ndarray | None:
    problem = at.problem
    units = problem.weights.units
    movable = MovablePoints.of(at.rows, problem.costs, problem.groups.signature, units)
    slack = at.rows.slack(counts_of(problem, start))
    return exchange(at.rows, at.best.prices, movable, start, slack, target, deadline)


def starts(at: Priced, seed: int) -> list[np.ndarray]:
    """Labels of the best prices, and some that know nothing."""
    rng = np.random.default_rng(seed)
    return [at.scan.labels, rng.integers(3, size=at.problem.n_points)]


def is_kept(at: Priced, labels: np.ndarray) -> bool:
    """Every promise in Python's integers, from the labels alone."""
    problem = at.problem
    units, fairness = problem.weights.units.tolist(), problem.fairness
    sizes = [sum(units[i] for i in np.flatnonzero(labels == k).tolist()) for k in range(3)]
    limits = zip(fairness.min_units, sizes, fairness.max_units, strict=True)
    if not all(least <= size <= most for least, size, most in limits):
        return False
    return all(
        sum(units[i] for i in np.flatnonzero((labels == k) & problem.groups.membership[:, g]).tolist())
        >= fairness.alpha[g] * sizes[k]
        for g, k in problem.prefix
    )


def cheapest(at: Priced) -> float:
    every = (np.array(labels) for labels in product(range(3), repeat=at.problem.n_points))
    return min((at.cost(labels) for labels in every if is_kept(at, labels)), default=np.inf)


def test_labels_keep_every_row_and_cost_no_more_than_those_that_did() -> None:
    n_found = 0
    for seed in range(12):
        at = priced(seed, 60, "weights")
        for start in starts(at, seed):
            before = start.copy()
            labels = exchanged(at, start)
            assert np.array_equal(start, before), "the labels given are the caller's"
            if labels is None:
                continue
            n_found += 1
            assert is_kept(at, labels), seed
            assert at.cost(labels) >= at.best.bound - 1e-9, seed
            again = exchanged(at, labels)
            assert again is not None, seed
            assert is_kept(at, again), seed
            assert at.cost(again) <= at.cost(labels) + 1e-9, seed
    assert n_found >= 20


def test_labels_that_hold_never_come_back_dearer() -> None:
    rng = np.random.default_rng(0)
    n_held = 0
    for seed in range(often(6, 15)):
        at = priced(seed, 7, "weights")
        for labels in rng.integers(3, size=(60, 7)):
            if not is_kept(at, labels):
                continue
            n_held += 1
            better = exchanged(at, labels)
            assert better is not None, seed
            assert is_kept(at, better), seed
            assert at.cost(better) <= at.cost(labels) + 1e-9, seed
    assert n_held >= often(10, 30)


def test_a_start_that_holds_is_not_lost_where_nothing_else_does() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        units, start = rng.integers(1, 5000, 12), rng.integers(2, size=12)
        sizes = np.bincount(start, units, 2).astype(int).tolist()
        rows = sized([0, 0, 1, 1], [1, -1, 1, -1], [sizes[0], -sizes[0], sizes[1], -sizes[1]])
        costs = rng.random((12, 2)) * units[:, None]
        found = by_size(rows, [0.1] * 4, costs.tolist(), units.tolist(), start.tolist())
        assert found is not None, seed
        assert np.bincount(found, units, 2).tolist() == sizes, seed
        assert costs[range(12), found].sum() <= costs[range(12), start].sum() + 1e-9, seed


def test_mostly_the_best_of_all_labels_are_found() -> None:
    n_possible = n_found = n_best = 0
    for seed in range(often(15, 30)):
        at = priced(seed, 7, "weights")
        best = cheapest(at)
        labels = exchanged(at, at.scan.labels)
        if np.isinf(best):
            assert labels is None, seed
            continue
        n_possible += 1
        if labels is not None:
            assert is_kept(at, labels), seed
            assert at.cost(labels) >= best - 1e-9, seed
            n_found += 1
            n_best += at.cost(labels) <= best + 1e-9
    assert n_possible >= often(9, 20)
    assert n_found >= 0.9 * n_possible
    assert n_best >= 0.8 * n_possible, f"{n_best} of {n_possible}"


def test_the_same_every_time() -> None:
    for seed in range(5):
        at = priced(seed, 60, "weights")
        for start in starts(at, seed):
            first, second = exchanged(at, start), exchanged(at, start)
            assert (first is None) == (second is None)
            assert first is None or np.array_equal(first, second)


def test_it_ends_once_labels_are_good_enough_or_time_is_up() -> None:
    at = priced(5, 60, "weights")
    long, short = Counted(), Counted()
    best = exchanged(at, at.scan.labels, deadline=long)
    some = exchanged(at, at.scan.labels, target=1e9, deadline=short)
    assert best is not None
    assert some is not None
    assert is_kept(at, some)
    assert at.cost(best) <= at.cost(some)
    assert short.n_asked < long.n_asked
    assert not is_kept(at, at.scan.labels)
    assert exchanged(at, at.scan.labels, deadline=Deadline(0)) is None


def sized(clusters: list[int], signs: list[int], least: list[int]) -> Rows:
    """Rows on the sizes of clusters, of points that are all in one signature."""
    exact = np.array(signs, dtype=np.int64)[:, None]
    kind = np.where(exact[:, 0] > 0, KINDS.index("min_size"), KINDS.index("max_size"))
    nothing = np.zeros(len(signs), dtype=np.intp)
    return Rows(
        listed=RowList(kind, nothing, np.array(clusters), nothing, nothing, exact[:, 0], np.array(least)),
        exact=exact,
        least=np.array(least, dtype=np.int64),
        scale=np.ones(len(signs)),
        coefficients=exact.astype(np.float64),
        rhs=np.array(least, dtype=np.float64),
        per_unit=np.ones(len(signs)),
    )


def by_size(
    rows: Rows, prices: list[float], costs: list[list[float]], units: list[int], start: list[int]
) -> list[int] | None:
    """Exchange points of one signature; `costs` are those of whole points."""
    weights, labels = np.array(units, dtype=np.int64), np.array(start)
    per_unit = np.array(costs, dtype=np.float64) / weights[:, None]
    movable = MovablePoints.of(rows, per_unit, np.zeros(len(units), dtype=np.int32), weights)
    counts = np.zeros((1, len(costs[0])), dtype=np.int64)
    np.add.at(counts, (0, labels), weights)
    found = exchange(rows, np.array(prices), movable, labels, rows.slack(counts))
    return None if found is None else found.tolist()


# Either heavy point would gain 5 in the other's place, but alone would break a size worth 20 to 40.
SWAP = {
    "rows": sized([0, 1], [-1, -1], [-21, -21]),
    "prices": [1.0, 1.0],
    "costs": [[5.0, 0.0], [0.0, 5.0], [0.0, 1.0], [1.0, 0.0]],
    "units": [20, 20, 1, 1],
    "start": [0, 1, 0, 1],
}
# The first point would gain 10 in the middle, which is full until the second, content there, goes on.
CHAIN = {
    "rows": sized([0, 1, 2], [1, -1, 1], [0, -20, 0]),
    "prices": [0.0, 1.0, 0.0],
    "costs": [[10.0, 0.0, 10.0], [30.0, 0.0, 1.0], [0.0, 5.0, 5.0]],
    "units": [20, 20, 1],
    "start": [0, 1, 0],
}


@pytest.mark.parametrize(
    ("case", "best", "kind"), [(SWAP, [1, 0, 0, 1], "_swaps"), (CHAIN, [1, 2, 0], "_chains")]
)
def test_two_points_go_where_neither_could_alone(
    case: dict, best: list[int], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_size(**case) == best
    monkeypatch.setattr(_State, kind, lambda self: 0)
    assert by_size(**case) == case["start"], f"this is no case for {kind}"


def test_nothing_where_nothing_keeps_the_rows() -> None:
    # 3 + 3 + 2 cannot be two clusters of at least 4 each: one gets 3 or less, or all but nothing.
    rows = sized([0, 1], [1, 1], [4, 4])
    costs = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]]
    assert by_size(rows, [0.1, 0.1], costs, [3, 3, 2], [0, 1, 0]) is None
    assert by_size(rows, [0.1, 0.1], costs, [3, 3, 1], [0, 1, 0]) is None
    # With one unit less asked there is one way.
    assert by_size(sized([0, 1], [1, 1], [5, 3]), [0.1, 0.1], costs, [3, 3, 2], [1, 1, 1]) == [0, 1, 0]


def test_pieces_weigh_what_their_points_do() -> None:
    at = priced(3, 10, "weights")
    problem, units = at.problem, at.problem.weights.units
    some = np.array([2, 5, 7])
    signature = problem.groups.signature[some]
    movable = MovablePoints.of(at.rows, problem.costs[some], signature, units[some])
    np.testing.assert_allclose(movable.costs, problem.costs[some] * units[some][:, None])
    for j, i in enumerate(some.tolist()):
        counts = np.zeros((problem.groups.n_signatures, 3), dtype=np.int64)
        empty = at.rows.slack(counts)
        counts[signature[j]] = units[i]
        assert np.array_equal(at.rows.slack(counts) - empty, movable.change[:, j])


def test_points_that_cost_the_same_everywhere_do_not_go_round_in_circles() -> None:
    """Penalties are all that is lowered then, and rounding must not pass for a gain."""
    members = [
        *((1, 4, 2, 6), (3, 5, 3, 6), (4, 2, 2, 6), (3, 4, 2, 6), (1, 5, 1, 6), (1, 3, 5, 6), (0, 0, 5, 6)),
        *((1, 6, 5, 6), (6, 0, 1, 6)),
    ]
    answer = promptly(
        lambda: fair_assignment(
            np.zeros((9, 3)),
            np.array(members),
            total=3,
            sample_weight=[2.3, 0.37, 0.37, 1.5, 2.3, 0.25, 0.5, 0.5, 0.37],
            alpha=0.51,
            prefix=[(1, 0), (2, 1)],
            max_size=(0.37, 2.5, 5.59),
            min_share={1: 0.4666666666666666, 2: 0.36666666666666664},
            max_share={1: 0.8333333333333334, 2: 0.67},
        )
    )
    assert answer.status == "optimal"
