"""Table 1: how long k-means and MiniReL take."""

from paper.experiment import PROOF, Experiment, Figure
from paper.experiments.comparison import METHODS, QUICK, WHOLE

TIMES = Experiment(
    name="times",
    title="How long does it take?",
    about="Seconds of one fit, the k-means of MiniReL's warm start included; one run after the other.",
    place="Section 5, Table 1",
    methods=METHODS,
    whole=WHOLE,
    quick=QUICK,
    measured=("seconds", "iterations", *PROOF),
    figures=(
        Figure(
            "times",
            "Seconds of a fit, mean over seeds; bars are standard errors.",
            measure="seconds",
            label="seconds",
            log=True,
        ),
    ),
    timed=True,
)
