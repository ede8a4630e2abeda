"""Pages to test, and a reader that sees them as a browser without JavaScript would."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris

from minirel import Audit, MiniReL, audit, next_clusters, profile
from minirel.outcome.plane import plane
from minirel.report import Source, audit_report, fit_report

VOID = {"meta", "br"}
HOSTILE = (
    "<script>alert(1)</script>",
    '"onmouseover=alert(1) x="',
    "' onfocus='alert(1)",
    "</script>",
    "</style></title><!--",
    "]]>&lt;b&gt;",
    "שלום עולם",
    "\u202egnp.exe",
    "two\nlines\tand a tab",
    "x" * 500,
    "x" * 499 + "y",
    "many words " * 45,
    "",
    " ",
    "\x00\x07\x85",
    "a \x1b[31m red",
    "\ud800",
    "javascript:alert(1)",
    "${alert(1)}",
)


@dataclass(eq=False)
class Node:
    """An element with what is in it."""

    tag: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def all(self, tag: str) -> list["Node"]:
        return [node for node in self.walk() if node.tag == tag]

    def region(self, label: str) -> "Node":
        """The table called `label`."""
        return next(node for node in self.walk() if node.attributes.get("aria-label") == label)

    def rows(self, label: str, part: str = "tbody") -> list[list[str]]:
        """The text of a table's cells."""
        found = self.region(label).all(part)
        return [
            [cell.text for cell in row.walk() if cell.tag in ("th", "td")]
            for each in found
            for row in each.all("tr")
        ]

    def values(self, label: str, column: int) -> list[float]:
        """The numbers that a column is sorted by."""
        body = self.region(label).all("tbody")[0]
        cells = [[c for c in row.walk() if c.tag in ("th", "td")][column] for row in body.all("tr")]
        return [float(cell.attributes["data-v"] or "nan") for cell in cells]


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        assert len(node.attributes) == len(attrs), f"an attribute twice in {tag}"
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"{tag} is closed where it is not open"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read_page(page: str) -> Node:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root], "something is left open"
    return reader.root


@pytest.fixture(scope="session")
def read() -> Callable[[str], Node]:
    return read_page


@pytest.fixture(scope="session")
def iris() -> tuple[np.ndarray, np.ndarray]:
    data = load_iris()
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def model(iris: tuple[np.ndarray, np.ndarray]) -> MiniReL:
    """A fit that moved points."""
    X, species = iris
    return MiniReL(4, beta={"versicolor": 3}, random_state=0).fit(X, sensitive_features=species)


@pytest.fixture(scope="session")
def source() -> Source:
    return Source(
        name="iris.csv",
        n_rows=150,
        n_columns=5,
        fingerprint="sha256:0123456789abcdef",
        command="minirel fit iris.csv --group species",
        columns=(("sepal length", "number"), ("species", "group"), ("id", "left out")),
        seconds=1.5,
    )


@pytest.fixture(scope="session")
def page(model: MiniReL, iris: tuple[np.ndarray, np.ndarray], source: Source) -> str:
    return fit_report(
        model, title="Iris", X=iris[0], source=source, next_clusters=next_clusters(model, iris[0])
    )


@pytest.fixture(scope="session")
def broken(iris: tuple[np.ndarray, np.ndarray]) -> Audit:
    """An audit of a clustering that breaks promises."""
    return audit(np.arange(150) // 25, iris[1], alpha=0.6, beta={"setosa": 2, "virginica": 4})


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture(scope="session")
def hostile_pages() -> dict[str, str]:
    """Pages in which whatever comes from the data is hostile."""
    random = np.random.RandomState(0)
    names = np.array(HOSTILE, dtype=object)
    which = random.randint(len(names), size=400)
    # In no order that pleases cost, so that points are moved.
    X = random.randn(400, 2)
    model = MiniReL(6, alpha=0.25, beta=dict.fromkeys(HOSTILE[:6], 1), random_state=0)
    model.fit(X, sensitive_features=names[which])
    source = Source(
        name=HOSTILE[0],
        n_rows=400,
        n_columns=2,
        fingerprint=HOSTILE[1],
        command=HOSTILE[3],
        columns=tuple((name, name) for name in HOSTILE),
    )
    rows = [HOSTILE[i % len(HOSTILE)] for i in range(400)]
    # Features of hostile names, and of hostile categories, which differ from cluster to cluster.
    columns = {name: model.labels_ + random.randn(400) for name in HOSTILE[:9]}
    columns |= {name: names[(model.labels_ * 3 + i) % len(names)] for i, name in enumerate(HOSTILE[9:])}
    labels = names[random.randint(len(names), size=400)]
    result = audit(labels, names[which], alpha=0.25, beta=2)
    return {
        "fit": fit_report(
            model,
            title="".join(HOSTILE[:4]),
            source=source,
            row_names=rows,
            profile=profile(model, columns),
            plane=plane(model, X, max_points=300, feature_names=HOSTILE[:2]),
            next_clusters=next_clusters(model, X),
        ),
        "audit": audit_report(result, title=HOSTILE[4] + HOSTILE[9], source=source),
    }
