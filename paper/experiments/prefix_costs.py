"""Prefix costs: which cluster is to represent which group, chosen in four ways."""

from paper.experiment import PROOF, Experiment, Figure
from paper.experiments.comparison import QUICK, WHOLE
from paper.run import Method

PREFIX_COSTS = Experiment(
    name="prefix_costs",
    title="Who should hold which cluster?",
    about="Equality of opportunity; naive draws the holders at random, the others choose them by a small "
    "integer program.",
    place="Section 3.2, and appendix D",
    methods={
        "naive": Method("equality_of_opportunity", prefix="random"),
        "proportion": Method("equality_of_opportunity", prefix="proportion"),
        "weighted proportion": Method("equality_of_opportunity", prefix="weighted_proportion"),
        "local cost": Method("equality_of_opportunity", prefix="local_cost"),
    },
    whole=WHOLE,
    quick=QUICK,
    measured=("seconds", "prefix_seconds", "iterations", "cost", *PROOF),
    figures=(
        Figure("prefix_time", "Seconds of a fit.", measure="seconds", label="seconds", log=True),
        Figure(
            "prefix_iterations",
            "Iterations until nothing changes.",
            measure="iterations",
            label="iterations",
        ),
        Figure("prefix_cost", "Cost of the clustering found.", measure="cost", label="cost"),
    ),
    timed=True,
)
