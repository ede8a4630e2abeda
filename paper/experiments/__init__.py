"""The paper's experiments, one per file, in the order of the paper, and ours beside them."""

from paper.experiments.costs import COSTS
from paper.experiments.first_centers import FIRST_CENTERS
from paper.experiments.full_program import FULL_PROGRAM
from paper.experiments.prefix_costs import PREFIX_COSTS
from paper.experiments.race import RACE
from paper.experiments.representation import REPRESENTATION
from paper.experiments.search import SEARCH
from paper.experiments.times import TIMES

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        RACE,
        FIRST_CENTERS,
        PREFIX_COSTS,
        FULL_PROGRAM,
        REPRESENTATION,
        COSTS,
        TIMES,
        SEARCH,
    )
}
