"""
An objective of one's own
=========================

Texts are compared by direction, not by length: *spherical* k-means. An objective is a class of three
methods, put into a table under a name; promises, proofs and reports then work with it as with any other.
"""

# %%
# Costs are one minus the cosine of the angle to the center. Centers have to be the cheapest for their
# labels: here the direction of the sum.

import numpy as np

from minirel import MiniReL
from minirel.clustering.objectives import OBJECTIVES


def directions(rows):
    """Rows of length one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


class Spherical:
    """One minus the cosine of the angle to the center."""

    accepts_sparse = False
    metric_power = None
    centers_are_means = False

    def __init__(self, X, weight):
        self.points, self.weight = directions(X), weight

    def costs(self, centers, points=None):
        """What each point costs in each cluster."""
        known = self.points if points is None else self.points[points]
        return 1 - known @ directions(centers).T

    def centers(self, labels, n_clusters):
        """The cheapest centers for these labels."""
        sums = np.zeros((n_clusters, self.points.shape[1]))
        weighted = self.points if self.weight is None else self.points * self.weight[:, None]
        np.add.at(sums, labels, weighted)
        return directions(sums)

    def distances(self, X, centers):
        """For new points."""
        return 1 - directions(X) @ directions(centers).T


OBJECTIVES["spherical"] = Spherical

# %%
# 300 "texts" over 12 words, in two languages. Texts in Welsh are one in five.

rng = np.random.default_rng(1)
topics = rng.dirichlet(np.full(12, 0.3), size=5)
words = np.array([rng.multinomial(rng.integers(20, 400), topics[i % 5]) for i in range(300)], dtype=float)
language = np.where(rng.random(300) < 0.2, "Welsh", "English")

model = MiniReL(5, objective="spherical", alpha=0.5, beta={"Welsh": 2}, min_size=20, random_state=0)
model.fit(words, sensitive_features=language)
print(model.audit_)

# %%
# The cost never rises, and the proof is one as for k-means:

print([round(step.cost, 3) for step in model.history_], model.status_)

from minirel.plotting import ConvergenceDisplay

ConvergenceDisplay.from_estimator(model)

# %%
# What was put into the table can be taken out again.

del OBJECTIVES["spherical"]
