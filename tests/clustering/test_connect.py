"""Connected clusters keep every promise; where such a clustering exists, one is mostly found."""

import itertools
import re
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from minirel import MiniReL, ParameterError
from minirel.clustering.border_search import grown
from minirel.clustering.history import Connecting, Iteration
from minirel.points.neighbours import read_neighbours
from thorough import often

WIDE, HIGH = 4, 3


def lattice(wide: int, high: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Points of a lattice and those beside each other."""
    place = np.array([(x, y) for x in range(wide) for y in range(high)], dtype=float)
    pairs = [
        (a, b) for a, b in itertools.combinations(range(len(place)), 2) if abs(place[a] - place[b]).sum() == 1
    ]
    return place, pairs


def n_pieces(pairs: list[tuple[int, int]], labels: np.ndarray) -> int:
    """Pieces of all clusters, by joining sets."""
    root = list(range(len(labels)))

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    for a, b in pairs:
        if labels[a] == labels[b]:
            root[find(a)] = find(b)
    return len({find(i) for i in range(len(labels))})


def keeps(every: np.ndarray, asked: dict) -> np.ndarray:
    """Which labels of two clusters keep the promises, counted by hand in whole numbers."""
    fits, held = np.ones(len(every), dtype=bool), np.zeros(len(every), dtype=int)
    for k in range(2):
        size, total, members = ((every == k) @ asked[what] for what in ("weight", "total", "members"))
        fits &= (asked["least"] <= size) & (size <= asked["most"])
        held += (total > 0) & (2 * members >= total)
    return fits & (held >= 1)


def random_request(seed: int) -> dict:
    random = np.random.default_rng(seed)
    n = WIDE * HIGH
    total = random.integers(1, 9, n)
    weight = random.integers(1, 6, n) if seed % 2 else np.ones(n, dtype=np.int64)
    slack = 1 + random.integers(0, 3)
    half = weight.sum() / 2
    return {
        "total": total,
        "members": np.minimum(random.integers(0, 9, n), total) * (random.random(n) < 0.7),
        "weight": weight,
        "least": int(np.ceil(half - slack)),
        "most": int(half + slack),
    }


def test_against_every_clustering() -> None:
    place, pairs = lattice(WIDE, HIGH)
    n = len(place)
    every = np.array([(0, *rest) for rest in itertools.product(range(2), repeat=n - 1)])
    connected = np.array([labels for labels in every if labels.any() and n_pieces(pairs, labels) == 2])
    exists = found = 0
    for seed in range(often(12, 30)):
        asked = random_request(seed)
        if not keeps(every, asked).any():
            continue
        possible = keeps(connected, asked).any()
        model = MiniReL(
            2,
            alpha=0.5,
            beta={"m": 1},
            total="t",
            min_size=asked["least"],
            max_size=asked["most"],
            connect=True,
            random_state=0,
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(
                place,
                sensitive_features={"m": asked["members"], "t": asked["total"]},
                sample_weight=asked["weight"],
                neighbours=pairs,
            )
        assert keeps(model.labels_[None], asked)[0], seed
        assert model.audit_.satisfied
        assert model.lower_bound_ <= model.inertia_ * (1 + 1e-12)
        pieces = n_pieces(pairs, model.labels_)
        assert sum(model.audit_.n_pieces) == pieces
        told = any("could not be connected" in str(warning.message) for warning in caught)
        assert told == (pieces > 2) == bool(model.disconnected_), seed
        exists += possible
        found += pieces == 2
        assert possible or pieces > 2
    assert exists >= often(7, 20)
    assert found >= 0.95 * exists, f"{found} of {exists}"


@pytest.mark.filterwarnings("ignore:cluster:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "options", [{}, {"exclusive": True}, {"min_share": 0.1}, {"prefix": None}, {"objective": "k-medians"}]
)
def test_all_kinds_of_promises(options: dict) -> None:
    place, pairs = lattice(8, 6)
    random = np.random.default_rng(0)
    sex = np.where(random.random(len(place)) < 0.4, "F", "M")
    asked = {"alpha": 0.6, "beta": {"F": 2, "M": 1}, "min_size": 5, "max_size": 18} | options
    fits = [
        MiniReL(4, **asked, connect=connect, random_state=0).fit(
            place, sensitive_features=sex, neighbours=pairs
        )
        for connect in (False, True)
    ]
    before, after = (sum(model.audit_.n_pieces) for model in fits)
    assert after < before, "nothing was connected"
    assert after == n_pieces(pairs, fits[1].labels_)
    assert all(model.audit_.satisfied for model in fits)
    assert fits[1].status_ == "heuristic"
    assert fits[1].gap_ == pytest.approx(1 - fits[1].lower_bound_ / fits[1].inertia_)


def test_the_same_seed_gives_the_same_result() -> None:
    place, pairs = lattice(6, 4)
    likes = np.random.default_rng(0).random(len(place)) < 0.4
    model = MiniReL(3, alpha=0.6, beta={True: 1}, connect=True, random_state=0)
    labels = [model.fit(place, sensitive_features=likes, neighbours=pairs).labels_ for _ in range(2)]
    np.testing.assert_array_equal(*labels)


@pytest.mark.filterwarnings("ignore:stopped by callback", "ignore:clusters")
def test_it_says_how_far_it_is_and_can_be_ended() -> None:
    place, pairs = lattice(6, 6)
    groups = np.array(["a", "b"])[(place.sum(axis=1) % 3 == 0).astype(int)]
    told: list[Iteration] = []
    asked = {"n_clusters": 3, "alpha": 0.5, "beta": {"b": 2}, "connect": True, "random_state": 0}

    def fitted(callback: Callable[[Iteration], object]) -> MiniReL:
        model = MiniReL(**asked, callback=callback)
        return model.fit(place, sensitive_features=groups, neighbours=pairs)

    model = fitted(told.append)
    connecting = [record for record in told if isinstance(record, Connecting)]
    assert len(connecting) == 40
    assert (connecting[0].done, connecting[20].done) == (0.0, 0.5)
    assert np.all(np.diff([record.done for record in connecting]) > 0)
    assert told[-1] is connecting[-1]
    assert str(connecting[20]) == "connecting  50%"
    assert list(model.history_) == told[: -len(connecting)]  # what is kept is as before
    ended = fitted(lambda record: isinstance(record, Connecting))
    assert ended.stop_ == "callback"
    assert ended.audit_.satisfied


def test_connected_clusters_are_left_alone() -> None:
    place, pairs = lattice(6, 2)
    fits = [
        MiniReL(2, connect=connect, random_state=0).fit(place, neighbours=pairs) for connect in (False, True)
    ]
    assert (fits[0].labels_ == fits[1].labels_).all()
    assert fits[1].status_ == fits[0].status_ == "optimal"


def test_points_that_stay_together_are_neighbours() -> None:
    place, pairs = lattice(6, 4)
    household = np.arange(24)
    household[23] = 0  # the corners
    model = MiniReL(3, min_size=6, max_size=10, connect=True, random_state=0)
    model.fit(place, together=household, neighbours=pairs)
    assert model.labels_[0] == model.labels_[23]
    assert model.audit_.n_pieces == (1, 1, 1)


def test_what_cannot_be_connected_is_said() -> None:
    # The two ends of a line, of one colour each, must share a cluster.
    place = np.arange(9.0)[:, None]
    pairs = [(i, i + 1) for i in range(8)]
    red = np.array([1, 1, 0, 0, 0, 0, 0, 1, 1], dtype=bool)
    model = MiniReL(2, alpha=1, beta={"red": 1}, min_members=4, connect=True, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=re.escape("of 2 could not be connected: every promise is kept")
    ):
        model.fit(place, sensitive_features={"red": red, "blue": ~red}, neighbours=pairs)
    assert model.audit_.satisfied
    assert len(model.disconnected_) == 1
    assert "is in 2 pieces: beside the largest, of 2 points, of 2." in str(model.audit_)


def test_refusals() -> None:
    place, pairs = lattice(3, 2)
    with pytest.raises(ParameterError, match="connect=True needs to know which points are neighbours"):
        MiniReL(2, connect=True).fit(place)
    with pytest.raises(ParameterError, match="connect must be True or False"):
        MiniReL(2, connect="yes").fit(place, neighbours=pairs)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="cut off from the largest: 5"):
        MiniReL(2, connect=True).fit(place, neighbours=[pair for pair in pairs if 5 not in pair])
    counted = MiniReL(2, random_state=0).fit(place, neighbours=[pair for pair in pairs if 5 not in pair])
    assert counted.audit_.pieces is not None
    assert MiniReL(2, random_state=0).fit(place).audit_.pieces is None


def test_a_time_limit_is_kept() -> None:
    place, pairs = lattice(20, 20)
    random = np.random.default_rng(0)
    sex = np.where(random.random(len(place)) < 0.3, "F", "M")
    model = MiniReL(6, alpha=0.5, beta={"F": 2}, connect=True, time_limit=1e-3, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(place, sensitive_features=sex, neighbours=pairs)
    assert model.stop_ == "time_limit"
    assert model.audit_.satisfied


def test_grown_clusters_are_connected() -> None:
    place, pairs = lattice(7, 5)
    random = np.random.default_rng(3)
    for _ in range(20):
        labels = random.integers(0, 4, len(place))
        labels[:4] = range(4)
        result = grown(labels, read_neighbours(pairs, len(place)), random.random((len(place), 4)), 4)
        assert n_pieces(pairs, result) == len(set(result.tolist())) == 4


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
def test_pieces_without_weight_join_clusters_that_have_some(objective: str) -> None:
    """The point of weight 0 has the number of a cluster that lies elsewhere."""
    X, pairs, weight = np.arange(5.0)[:, None], [(1, 0), (2, 1), (3, 1), (4, 2)], [0, 1, 1, 1, 1]
    model = MiniReL(2, connect=True, objective=objective, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.fit(X, sample_weight=weight, neighbours=pairs)
    assert found.disconnected_ == []
    assert n_pieces(pairs, found.labels_) == 2
    assert np.isfinite(found.cluster_centers_).all()


@pytest.mark.parametrize("objective", ["k-means", "k-medians"])
def test_connecting_with_many_points_without_weight(objective: str) -> None:
    place, pairs = lattice(WIDE, HIGH)
    for seed in range(often(3, 20)):
        random = np.random.default_rng(seed)
        weight = random.integers(0, 2, len(place))
        weight[random.permutation(len(place))[:3]] = 1
        model = MiniReL(3, connect=True, objective=objective, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = model.fit(random.permutation(place), sample_weight=weight, neighbours=pairs)
        assert (np.bincount(found.labels_, weight, 3) > 0).all()
        assert np.isfinite(found.cluster_centers_).all()
