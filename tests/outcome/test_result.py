"""The result of a fit: what it holds, what it does not, and that others read nothing else."""

import ast
import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import minirel
from minirel import KMeansStart, MiniReL, Result, audit, explain, next_clusters
from minirel.points import weights as weights_module
from minirel.report import fit_report

X, SPECIES = load_iris(return_X_y=True)
SOURCE = Path(minirel.__file__).parent


def fitted(**options: object) -> MiniReL:
    weight = options.pop("sample_weight", None)
    model = MiniReL(**{"n_clusters": 4, "beta": {1: 2}, "random_state": 0, **options})
    return model.fit(X, sensitive_features=SPECIES, sample_weight=weight)


def test_it_agrees_with_the_attributes() -> None:
    model = fitted(min_size=5, max_size=80)
    result = model.result_
    assert result.labels is model.labels_
    assert result.centers is model.cluster_centers_
    assert (result.cost, result.lower_bound, result.gap) == (model.inertia_, model.lower_bound_, model.gap_)
    assert (result.status, result.stop, result.covers) == (model.status_, model.stop_, "prefix")
    assert result.prefix == model.prefix_
    assert [(result.groups.names[g], k) for g, k in result.holders] == sorted(model.prefix_)
    assert result.prices is model.assignment_.prices
    assert list(result.history) == model.history_
    assert 0 < result.seconds == sum(sum(record.seconds.values()) for record in model.history_)
    assert dict(zip(result.groups.names, result.fairness.beta, strict=True)) == model.beta_
    assert (result.fairness.min_units, result.fairness.max_units) == ((5,) * 4, (80,) * 4)
    assert result.audit is model.audit_


def test_every_field_is_documented_and_none_can_be_set() -> None:
    result = fitted().result_
    documented = Result.__doc__ or ""
    for field in fields(Result):
        assert field.name in documented.split("Examples")[0], field.name
    with pytest.raises(FrozenInstanceError):
        result.cost = 0.0  # type: ignore[misc]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "sample_weight", [None, np.linspace(0.5, 2, 150).round(2)], ids=["points", "weights"]
)
@pytest.mark.parametrize("alpha", [0.51, {1: 0.4}], ids=str)
def test_the_audit_of_a_fit_is_that_of_its_labels(alpha: object, sample_weight: object) -> None:
    model = fitted(alpha=alpha, sample_weight=sample_weight, allowed={1: [0, 1, 2]})
    allowed = {1: [0, 1, 2]}
    other = audit(
        model.labels_,
        SPECIES,
        alpha=alpha,  # type: ignore[arg-type]
        beta={1: 2},
        allowed=allowed,
        sample_weight=sample_weight,  # type: ignore[arg-type]
        n_clusters=4,
    )
    for name, value in vars(other).items():
        np.testing.assert_array_equal(getattr(model.audit_, name), value)


@pytest.mark.parametrize(
    ("init", "name"),
    [
        ("k-means", "k-means"),
        (KMeansStart(2), "k-means"),
        ("random", "random"),
        (X[:4], "centers"),
        (lambda X, n_clusters, random_state: X[:n_clusters], "function"),
    ],
    ids=["k-means", "KMeansStart", "random", "centers", "function"],
)
def test_where_it_started(init: object, name: str) -> None:
    result = fitted(init=init).result_
    assert result.init == name
    assert result.starts_from_kmeans == (name == "k-means")
    assert not fitted(init=init, objective="k-medians").result_.starts_from_kmeans


def test_parameters_set_after_the_fit_change_nothing_that_is_told_of_it() -> None:
    model = fitted(beta={1: 3})
    more, why = next_clusters(model, X), explain(model)
    model.set_params(objective="k-medians", init="random", gap=0.5, n_init=7)
    assert next_clusters(model, X) == more
    np.testing.assert_array_equal(explain(model).points, why.points)
    page = fit_report(model, title="Iris")
    assert "than k-means (one start), which promises nothing" in page
    assert "from one start." in page


def test_a_pickle_carries_labels_codes_and_costs_but_no_table_of_groups() -> None:
    n, n_groups = 100_000, 20
    rng = np.random.default_rng(0)
    points, groups = rng.normal(size=(n, 2)), rng.random((n, n_groups)) < 0.02
    model = MiniReL(4, beta=0, max_iter=1, init=points[:4], random_state=0)
    with pytest.warns(UserWarning, match="stopped at max_iter=1"):
        model.fit(points, sensitive_features=groups)
    result = model.result_
    carried = (
        result.labels,
        result.groups.signature,
        result.trace.start.labels,
        result.trace.start.cost,
        result.trace.end.labels,
        result.trace.end.cost,
        result.trace.own_cost,
    )
    assert sum(array.nbytes for array in carried) == 52 * n
    small = result.groups.signatures.nbytes + 100_000  # centers, counts, parameters
    assert "membership" not in vars(result.groups)
    assert result.groups.membership.nbytes == n * n_groups
    explain(model)
    frozen = pickle.dumps(model)
    assert len(frozen) < 52 * n + small
    assert len(frozen) - 52 * n < n * n_groups / 5
    thawed = pickle.loads(frozen).result_
    np.testing.assert_array_equal(thawed.groups.membership, groups)


def test_what_is_no_fitted_model_is_refused() -> None:
    with pytest.raises(NotFittedError):
        explain(MiniReL())
    with pytest.raises(TypeError, match="model must be a fitted MiniReL, but is a KMeans: pass the step"):
        explain(KMeans(2, n_init=1).fit(X))


def test_a_fit_reads_its_weights_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    read = weights_module.read_weights

    def counting(*args: object) -> object:
        calls.append(args)
        return read(*args)  # type: ignore[arg-type]

    for module in ("minirel.estimator", "minirel.outcome.audit"):
        monkeypatch.setattr(f"{module}.read_weights", counting)
    fitted(sample_weight=np.linspace(0.5, 2, 150).round(2))
    assert len(calls) == 1


def test_nobody_reads_private_attributes_of_a_model() -> None:
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "model"
            ):
                assert not node.attr.startswith("_"), f"{file}: model.{node.attr}"


def test_what_is_told_of_a_fit_does_not_know_the_estimator() -> None:
    for file in (SOURCE / "outcome").glob("*.py"):
        assert "minirel.estimator" not in file.read_text(encoding="utf-8"), file
