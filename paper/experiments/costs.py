"""Clustering cost of k-means and of MiniReL."""

from paper.experiment import PROOF, Experiment, Figure
from paper.experiments.comparison import METHODS, QUICK, WHOLE

COSTS = Experiment(
    name="costs",
    title="What does fairness cost?",
    about="Sum of squared distances to the centers, in the run of least cost of all seeds.",
    place="Section 5, figure of clustering costs",
    methods=METHODS,
    whole=WHOLE,
    quick=QUICK,
    measured=("cost", *PROOF),
    figures=(
        Figure(
            "costs",
            "Clustering cost in the run of least cost.",
            measure="cost",
            label="cost",
            over_seeds="best",
        ),
    ),
    timed=True,
)
