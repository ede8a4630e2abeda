"""Number of represented clusters: what k-means gives each group, and what MiniReL does."""

from paper.experiment import Experiment, Figure
from paper.experiments.comparison import METHODS, QUICK, WHOLE

REPRESENTATION = Experiment(
    name="representation",
    title="Who is represented?",
    about="Clusters of which a group makes up at least 51%, counted from the labels.",
    place="Section 5, figure of represented clusters",
    methods=METHODS,
    whole=WHOLE,
    quick=QUICK,
    measured=("cost", "promises_kept"),
    figures=(
        Figure(
            "represented",
            "Represented clusters of each group, in the run of least cost; rows of beta: what is promised.",
            measure="represented",
            label="clusters",
            kind="represented",
            over_seeds="best",
        ),
    ),
    timed=True,
    by_group=True,
)
