"""`minirel demo`: a small town in which k-means leaves a minority without a cluster."""

from math import floor
from typing import TYPE_CHECKING, Annotated

import typer

from minirel.cli.messages import say, told
from minirel.cli.output import check_outputs, write_outputs
from minirel.cli.typed import typed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from minirel import Explanation, MiniReL

_WARDS, _PROMISED, _SMALLEST, _SWAPS, _SEED = 7, 2, 50, 30, 3


def town() -> "tuple[NDArray[np.float64], list[str]]":
    """Where 600 households live (east and north, in km), and whether they rent or own.

    Three in eleven rent, mostly in two quarters, but in no quarter are they the majority.
    """
    import numpy as np

    random = np.random.default_rng(_SEED)
    quarters = np.array([[0.0, 0.0], [3.0, 0.5], [1.2, 2.6], [4.2, 3.0], [2.6, 4.6], [5.4, 1.2]])
    rents = np.array([0.46, 0.15, 0.44, 0.1, 0.25, 0.12])
    quarter = random.integers(len(quarters), size=600)
    X = quarters[quarter] + random.normal(scale=0.8, size=(600, 2))
    rent = random.random(600) < rents[quarter]
    return X, np.where(rent, "rents", "owns").tolist()


def demo(
    report: Annotated[
        str, typer.Option(metavar="FILE", help="Where to write the page.")
    ] = "minirel-demo.html",
) -> None:
    """Show on a small town what k-means leaves out and what minirel does about it.

    \b
    Example: minirel demo --report page.html
    """  # noqa: D301
    with told():
        check_outputs({"--report": report}, "-")
        lines, page = _story()
        shown = {} if report == "-" else {"-": "\n".join([*lines, ""]).encode()}
        write_outputs(shown | {report: page})
        if report != "-":
            say(f"The whole story is in {report}. Open it in a browser:")
            say(f"  xdg-open {report}    (on a Mac: open {report})")


def _story() -> tuple[list[str], bytes]:
    """What is told in the terminal, and the page."""
    from sklearn.cluster import KMeans

    from minirel import MiniReL, audit, explain
    from minirel.outcome.proven import covers
    from minirel.points.percent import floored, percent

    X, tenure = town()
    labels = KMeans(_WARDS, n_init=10, random_state=0).fit(X).labels_
    before = audit(labels, tenure, beta=_PROMISED)
    model = MiniReL(_WARDS, beta=_PROMISED, min_size=_SMALLEST, random_state=0)
    first = explain(model.fit(X, sensitive_features=tenure))
    why = explain(model.set_params(n_swaps=_SWAPS).fit(X, sensitive_features=tenure))
    paid = sum(record.paid for record in model.history_)
    renting = tenure.count("rents")
    lines = [
        f"A town of {len(X)} households, {renting} of which rent, is split into {_WARDS} wards by place.",
        "First k-means, which finds compact wards:",
        "",
        str(before),
        "",
        f"Tenants are {floored(renting / len(X))} of the town, and the majority nowhere. minirel promises",
        f"both groups a majority in at least {_PROMISED} wards, of at least {_SMALLEST} households each, "
        "and gives up as",
        "little compactness as it can:",
        "",
        str(model.audit_),
        "",
        f"The price: {len(why.points)} households are not in their nearest ward, and the wards are "
        f"{percent(why.cost / why.start_cost - 1)}",
        f"less compact than those of k-means (cost {why.cost:.1f} and {why.start_cost:.1f}). "
        "The search paid: the",
        f"first fit was {percent(first.cost / first.start_cost - 1)} less compact, "
        f"and {paid} of {_SWAPS} swaps of a center found better.",
        f"The proof ({model.status_}): for {covers(model.assignment_)}, no fair",
        f"assignment costs less than {floor(10 * model.lower_bound_) / 10:.1f}.",
        "",
    ]
    return lines, _page(model, why, X)


def _page(model: "MiniReL", why: "Explanation", X: "NDArray[np.float64]") -> bytes:
    from hashlib import sha256

    from minirel import next_clusters
    from minirel.report import Source, fit_report

    source = Source(
        name="a town made up for this demo",
        n_rows=len(X),
        n_columns=X.shape[1] + 1,
        fingerprint=sha256(X.tobytes()).hexdigest(),
        command=typed(),
        columns=(
            ("east", "number, in km"),
            ("north", "number, in km"),
            ("tenure", "group: owns or rents"),
        ),
    )
    page = fit_report(
        model,
        title="A town in seven wards",
        X=X,
        feature_names=["east, in km", "north, in km"],
        source=source,
        explanation=why,
        next_clusters=next_clusters(model, X),
    )
    return page.encode()
