"""A reproduction as one page: every claim with its verdict, and what the verdict rests on."""

from collections.abc import Mapping, Sequence

from minirel.report.markup import Child, Markup
from minirel.report.page import COST_WORDS, WORDS, page, section
from minirel.report.table import paragraph
from paper.claims.claim import Judged
from paper.experiment import Experiment
from paper.page.claims import claims_in_full
from paper.page.experiments import experiment_in_full
from paper.page.repeat import repeat
from paper.page.search import claims_for_search, search_in_full
from paper.page.solvers import both_solvers
from paper.page.summary import claims_table, lead
from paper.page.times import table_1_in_full
from paper.results import Results

__all__ = ["reproduction_page"]

_TITLE = "The paper, reproduced"
_TIMES, _SEARCH = "times", "search"
_FAIRNESS_WORDS = (
    (
        "Represented",
        "A group is represented in a cluster if at least 51% of the cluster's members are of it.",
    ),
    ("β", "How many clusters a group is promised."),
    ("Statistical parity (SP)", "Every group is promised the same number of clusters."),
    ("Equality of opportunity (EqOp)", "Every group is promised clusters in proportion to its size."),
)
# The first two of the words that every page explains: a cluster and a group.
_WORDS = (*WORDS[:2], *_FAIRNESS_WORDS, *COST_WORDS)


def reproduction_page(
    results: Results,
    judged: Sequence[Judged],
    pictures: Mapping[str, bytes],
    conditions: Mapping[str, object],
    command: str,
) -> str:
    """Write the page, which needs nothing but itself.

    Parameters
    ----------
    results : Results
        What was planned and what came of it.
    judged : sequence of Judged
        The claims with their verdicts, in the order of the paper.
    pictures : mapping of str to bytes
        Figures as SVG, by their names; one that is not here is said to be not drawn.
    conditions : mapping of str to object
        Under which conditions the runs were made, such as versions.
    command : str
        The command that makes this page anew.

    Returns
    -------
    str
        HTML.
    """
    anchors = {each.claim.name: f"claim-{place}" for place, each in enumerate(judged, start=1)}
    parts: list[tuple[str, Sequence[Child]]] = [
        ("Which claims of the paper hold?", [claims_table(judged, anchors)])
    ]
    for experiment in results.plan.experiments:
        of_it = [each for each in judged if each.claim.experiment == experiment.name]
        shown = [*_experiment(experiment, results, pictures), *claims_in_full(of_it, anchors)]
        if experiment.name == _SEARCH:
            shown.append(claims_for_search(judged, anchors))
        parts.append((experiment.title, shown))
    asked = {experiment.name for experiment in results.plan.experiments}
    others = [each for each in judged if each.claim.experiment not in asked]
    if others:
        why = "These rest on no experiment that is shown on this page."
        parts.append(("Other claims", [paragraph(why), *claims_in_full(others, anchors)]))
    if beside := both_solvers(results):
        parts.append(("The paper's integer program beside ours", beside))
    parts.append(("How can this be repeated?", repeat(results, conditions, command)))
    sections: list[Markup] = [section(i, title, *children) for i, (title, children) in enumerate(parts, 1)]
    return page(_TITLE, lead(results, judged), sections, _WORDS)


def _experiment(experiment: Experiment, results: Results, pictures: Mapping[str, bytes]) -> list[Child]:
    whole = experiment_in_full(experiment, results, pictures)
    if experiment.name == _TIMES:
        whole += table_1_in_full(results.tables[_TIMES], results.plan.quick)
    if experiment.name == _SEARCH:
        whole += search_in_full(results.tables[_SEARCH])
    return whole
