"""The opening example: race in Adult, and how many clusters those get who are not white."""

from paper.data import ADULT_BY_RACE
from paper.experiment import Experiment, Figure, Grid
from paper.experiments.comparison import METHODS, TEN_SEEDS

RACE = Experiment(
    name="race",
    title="Do people who are not white get a cluster?",
    about="Adult with the groups white and non-white; race is no feature.",
    place="Section 1",
    methods=METHODS,
    whole=Grid((ADULT_BY_RACE,), tuple(range(4, 21)), TEN_SEEDS),
    quick=Grid((ADULT_BY_RACE,), (8, 20), (0, 1), sample=2_000),
    measured=("cost", "promises_kept"),
    figures=(
        Figure(
            "race",
            "Clusters with a majority that is not white, in the run of least cost, and what is promised.",
            measure="represented",
            label="clusters",
            kind="represented",
            over_seeds="best",
        ),
    ),
    timed=False,
    by_group=True,
)
