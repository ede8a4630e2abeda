"""Runs that go on from what is known: never dearer, and proven for their own request."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import MiniReL
from minirel.assignment.certificate import CertificateError
from minirel.clustering.known import Known

X, SPECIES = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def strict() -> MiniReL:
    return MiniReL(4, alpha=0.8, beta={1: 2, 2: 1}, random_state=0).fit(X, sensitive_features=SPECIES)


def known(model: MiniReL, **options: object) -> Known:
    result = model.result_
    return Known(result.centers, result.labels, tuple(result.holders), result.prices, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("prefix", ["assignment", "local_cost", None])
@pytest.mark.parametrize("beta", [{1: 2}, {1: 1}, {2: 1}, {1: 1, 2: 1}])
def test_laxer_promises_go_on_from_stricter_ones(strict: MiniReL, beta: dict, prefix: str | None) -> None:
    lax = MiniReL(4, alpha=0.6, beta=beta, prefix=prefix, init=known(strict), random_state=0)
    lax.fit(X, sensitive_features=SPECIES)
    assert lax.inertia_ <= strict.inertia_
    assert lax.audit_.satisfied
    assert len(lax.prefix_) == sum(beta.values())
    assert lax.status_ in ("optimal", "within gap")


def test_what_is_final_stays_as_it_is(strict: MiniReL) -> None:
    same = MiniReL(4, alpha=0.8, beta={1: 2, 2: 1}, random_state=0)
    same.set_params(init=known(strict, lower_bound=strict.lower_bound_, is_final=True))
    same.fit(X, sensitive_features=SPECIES)
    np.testing.assert_array_equal(same.labels_, strict.labels_)
    assert (same.inertia_, same.lower_bound_, same.status_) == (
        strict.inertia_,
        strict.lower_bound_,
        strict.status_,
    )
    assert same.prefix_ == strict.prefix_


def test_labels_that_break_a_promise_are_not_returned(strict: MiniReL) -> None:
    wrong = MiniReL(4, alpha=0.8, beta={0: 3}, random_state=0)
    wrong.set_params(init=known(strict, is_final=True))
    with pytest.raises(CertificateError, match="group 0 is represented in 1 clusters, not 3"):
        wrong.fit(X, sensitive_features=SPECIES)


def test_centers_alone_are_like_those_of_k_means() -> None:
    plain = MiniReL(5, random_state=0).fit(X)
    from_centers = MiniReL(5, beta=1, init=Known(plain.cluster_centers_), random_state=0)
    from_centers.fit(X, sensitive_features=SPECIES)
    alone = MiniReL(5, beta=1, random_state=0).fit(X, sensitive_features=SPECIES)
    assert from_centers.inertia_ == pytest.approx(alone.inertia_, rel=0.02)
