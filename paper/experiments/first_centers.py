"""First centers: random, k-means++, and k-means with 1 and with 100 restarts."""

from paper.data import ALL_DATA
from paper.experiment import PROOF, Experiment, Figure, Grid
from paper.experiments.comparison import ALL_K, TEN_SEEDS
from paper.run import STARTS, Method

FIRST_CENTERS = Experiment(
    name="first_centers",
    title="Where should the first centers be?",
    about="Equality of opportunity, on one sample of each large data set; the time includes the placing.",
    place="Section 3.1, and appendix C",
    methods={start: Method("equality_of_opportunity", start=start) for start in STARTS},
    whole=Grid(ALL_DATA, ALL_K, TEN_SEEDS, sample=2_000),
    quick=Grid(ALL_DATA, (4, 8), (0, 1), sample=1_000),
    measured=("seconds", "iterations", "cost", *PROOF),
    figures=(
        Figure(
            "first_centers_time",
            "Seconds of a fit, the placing of the first centers included.",
            measure="seconds",
            label="seconds",
            log=True,
        ),
        Figure(
            "first_centers_iterations",
            "Iterations until nothing changes.",
            measure="iterations",
            label="iterations",
        ),
        Figure("first_centers_cost", "Cost of the clustering found.", measure="cost", label="cost"),
    ),
    timed=True,
)
