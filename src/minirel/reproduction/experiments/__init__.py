"""The paper's experiments, one a file, in the order of the paper."""

from minirel.reproduction.experiments.costs import COSTS
from minirel.reproduction.experiments.first_centers import FIRST_CENTERS
from minirel.reproduction.experiments.full_program import FULL_PROGRAM
from minirel.reproduction.experiments.prefix_costs import PREFIX_COSTS
from minirel.reproduction.experiments.race import RACE
from minirel.reproduction.experiments.representation import REPRESENTATION
from minirel.reproduction.experiments.times import TIMES

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (RACE, FIRST_CENTERS, PREFIX_COSTS, FULL_PROGRAM, REPRESENTATION, COSTS, TIMES)
}
