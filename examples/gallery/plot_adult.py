"""
Adult, by sex and race
======================

48,842 people of the census of 1994. K-means with 10 clusters gives people who are not white no cluster in
which they are the majority, and women fewer than their share. Here both are promised clusters, at once:
groups of two columns overlap.

Needs: adult.data, adult.test in MINIREL_DATA (UCI Adult; without the variable, `load_adult` fetches it from
OpenML).
"""

# %%
# Two columns make overlapping groups. Race has five values, of which one is 85%: for this page, white or
# not.

import numpy as np
from sklearn.cluster import KMeans

from minirel import MiniReL, audit, explain
from minirel.datasets import load_adult

adult = load_adult(group=("sex", "race"))
groups = {
    "sex": adult.groups["sex"],
    "race": np.where(adult.groups["race"] == "White", "White", "not White"),
}
print(adult, {name: len(column) for name, column in groups.items()})

# %%
# What k-means does with them:

promise = {"sex=Female": 4, "sex=Male": 4, "race=not White": 1}
plain = KMeans(10, n_init=3, random_state=0).fit(adult.X)
print(audit(plain.labels_, groups, beta=promise))

# %%
# The promise: women and men are the majority of four clusters each, and people who are not white of one, of
# at least 500 people.

model = MiniReL(10, beta=promise, min_size=500, random_state=0).fit(adult.X, sensitive_features=groups)
print(model.audit_)

# %%
# The price and the proof:

why = explain(model)
print(f"{model.status_}, gap {model.gap_:.1e}")
print(f"cost {model.inertia_:.0f}, k-means with as much search {why.start_cost:.0f}", end=": ")
print(f"{model.inertia_ / why.start_cost - 1:+.2%}")
print(f"{len(why.points):,} of {len(adult.X):,} people are not in their nearest cluster")

# %%
# Who holds what. The line is the promised share.

from minirel.plotting import RepresentationDisplay

RepresentationDisplay.from_estimator(model)
