"""The paper's method beside what search makes of the same requests."""

from dataclasses import replace

from paper.experiment import PROOF, Experiment, Figure
from paper.experiments.comparison import FAIR, METHODS, QUICK, WHOLE
from paper.run import SAMPLED, Method

N_SWAPS = 30
# How far to search, and by how many swaps of centers after minirel's default.
SEARCHES = {"search": 0, "swaps": N_SWAPS}
_WORDS = {"search": "search", "swaps": f"{N_SWAPS} swaps"}


def searched(method: str, search: str) -> str:
    """The name of a fair method of the paper, with a search."""
    return f"{method}, {_WORDS[search]}"


def _with(method: Method, n_swaps: int) -> Method:
    return Method(method.beta, SAMPLED, "assignment", n_swaps)


# By the name of a fair method of the paper: it, and each search for the same request.
STORIES = {method: (method, *(searched(method, search) for search in SEARCHES)) for method in FAIR}
_METHODS = dict(METHODS) | {
    searched(name, search): _with(METHODS[name], n_swaps)
    for name in FAIR
    for search, n_swaps in SEARCHES.items()
}


def _figures(method: str, short: str, notion: str) -> tuple[Figure, Figure]:
    price = Figure(
        f"search_price_{short}",
        f"Least cost of all seeds under {notion}, above that of k-means with as many starts and swaps.",
        measure="cost",
        label="% above k-means",
        over_seeds="price",
        methods=STORIES[method],
    )
    one_fit = Figure(
        f"search_one_fit_{short}",
        f"Cost of one fit under {notion}, above the least that k-means found with any search and seed.",
        measure="cost",
        label="% above k-means",
        over_seeds="one fit",
        methods=STORIES[method],
    )
    return price, one_fit


SEARCH = Experiment(
    name="search",
    title="What does search make of it?",
    about="MiniReL-SP and MiniReL-EqOp alone are the paper's method: it starts from one run of k-means and "
    "chooses the holders once, by local cost. minirel's default starts from the best of ten runs of k-means "
    "on a sample, chooses the holders by the assignment they lead to, and again when centers have settled: "
    "“search”. “30 swaps” are tried after that, each of which moves a center elsewhere. Every clustering is "
    "compared with that of k-means after as many starts and swaps; the seconds of a fit with swaps include "
    "those of that k-means.",
    place="Beside sections 1 and 5",
    methods=_METHODS,
    whole=WHOLE,
    quick=replace(QUICK, n_clusters=(4, 8), seeds=(0,)),
    measured=("seconds", "iterations", "cost", "k_means_cost", "smallest_held", *PROOF),
    figures=(
        *_figures("MiniReL-SP", "sp", "statistical parity"),
        *_figures("MiniReL-EqOp", "eqop", "equality of opportunity"),
    ),
    timed=True,
    # Search is minirel's: the paper's integer program has no part in it.
    solvers=("certified",),
)
