"""What the experiments of section 5 share: k-means, and MiniReL under both notions of fairness."""

from paper.data import ALL_DATA
from paper.experiment import Grid
from paper.run import EQUAL_OPPORTUNITY, K_MEANS, STATISTICAL_PARITY

METHODS = {"k-means": K_MEANS, "MiniReL-SP": STATISTICAL_PARITY, "MiniReL-EqOp": EQUAL_OPPORTUNITY}
# The methods that promise something.
FAIR = tuple(name for name, method in METHODS.items() if method.is_fair)
ALL_K = tuple(range(4, 16))
TEN_SEEDS = tuple(range(10))

WHOLE = Grid(ALL_DATA, ALL_K, TEN_SEEDS)
QUICK = Grid(ALL_DATA, (4, 6, 8), (0, 1), sample=2_000)
