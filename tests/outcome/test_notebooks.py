"""What notebooks and `print` show: short, escaped, and the same promises as everywhere."""

from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris

from minirel import MiniReL, audit, explain, fair_assignment
from minirel.points.glance import glance

X, SPECIES = load_iris(return_X_y=True)
HOSTILE = np.array(["<script>alert(1)</script>", "</style><b>", "a & b"])[SPECIES]


@pytest.fixture(scope="module")
def model():
    return MiniReL(4, beta={HOSTILE[60]: 3}, random_state=0).fit(X, sensitive_features=HOSTILE)


class Tags(HTMLParser):
    """The elements that a browser would see."""

    def __init__(self, page):
        super().__init__()
        self.seen = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)


def shown(thing):
    page = thing._repr_html_()
    tags = Tags(page).seen
    assert "b" not in tags
    assert "alert(1)</script>" not in page
    return page


def test_an_audit(model):
    page = shown(model.audit_)
    assert Tags(page).seen.count("script") == 0
    assert "Every promise is kept." in page
    assert "was promised nothing" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    broken = audit([0, 1] * 75, HOSTILE, beta={"a & b": 1})._repr_html_()
    assert "1 of 1 promise is broken: a &amp; b lacks 1 cluster." in broken


def test_an_assignment(model):
    page = shown(model.assignment_)
    assert f"({model.status_}, gap" in page
    assert "150 points in 4 clusters; the bound is true for these holders." in page
    free = fair_assignment([[1, 2], [3, 1], [2, 2]], ["F", "M", "F"], alpha=0.5, beta=1)
    assert free.groups == ("F", "M")
    assert "the bound is true whoever holds which cluster" in free._repr_html_()


def test_a_model_keeps_the_diagram_and_adds_the_promises(model):
    bare = clone(model)
    assert "minirel-glance" not in bare._repr_html_()
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "sk-" in page
        assert page.count('class="minirel-glance"') == 1
        assert "against k-means (one start)." in page
        assert page.index("sk-") < page.index("minirel-glance")
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
        assert not hasattr(model, "_repr_html_")


def test_many_rows_are_cut_with_a_word():
    page = glance("x", ["group", "has"], [[str(i), "1"] for i in range(33)])
    assert Tags(page).seen.count("tr") == 21
    assert "... and 13 more rows" in page


def test_an_explanation_is_printed_as_a_summary():
    random = np.random.default_rng(0)
    groups = random.integers(0, 30, 600)
    model = MiniReL(8, alpha=0.1, beta=1, random_state=0, gap=0.05)
    why = explain(model.fit(random.normal(size=(600, 3)), sensitive_features=groups))
    assert len(why.points) > 50
    text = str(why)
    assert len(text) < 2_000
    assert max(map(len, text.splitlines())) <= 96
    assert f"{len(why.points):,} points are not with the nearest center" in text
    assert "... and 22 more" in text
    assert len(repr(why)) < 100
    nobody = str(explain(MiniReL(3, random_state=0).fit(X)))
    assert nobody.endswith("Every point is with its nearest center.")
