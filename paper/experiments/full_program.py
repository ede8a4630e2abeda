"""Prefix against the full program, in which the choice of clusters is part of every assignment."""

from paper.data import ALL_DATA
from paper.experiment import PROOF, Experiment, Figure, Grid
from paper.run import Method

FULL_PROGRAM = Experiment(
    name="full_program",
    title="What does choosing the clusters beforehand save?",
    about="Equality of opportunity. A fit that reaches the time limit returns the best it has: its time is "
    "then a lower bound of what it needs.",
    place="Section 3.2, and appendix D",
    methods={
        "prefix": Method("equality_of_opportunity"),
        "full program": Method("equality_of_opportunity", prefix=None),
    },
    whole=Grid(ALL_DATA, (4, 6, 8, 10, 12), (0, 1, 2)),
    quick=Grid(ALL_DATA, (4, 6), (0,), sample=1_000),
    measured=("seconds", "time_limit", "iterations", "cost", *PROOF),
    figures=(
        Figure(
            "full_program_time",
            "Seconds of a fit; hollow marks were stopped by the time limit.",
            measure="seconds",
            label="seconds",
            log=True,
        ),
        Figure("full_program_cost", "Cost of the clustering found.", measure="cost", label="cost"),
    ),
    timed=True,
    time_limit=240,
)
