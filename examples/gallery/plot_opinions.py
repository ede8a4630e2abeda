"""
Opinions in which islanders are heard
=====================================

404 people of four islands voted on statements about farmland (Polis, San Juan County). Opinion groups are
clusters of votes. Polis itself made two, and in neither of them does any island reach half; people of
Lopez, one in seven, vanish. Here each of the three larger islands is promised an opinion group in which it
is heard, and the statements on which that group differs are shown.

Needs: polis_islands_votes.csv in MINIREL_DATA (data was gathered using the Polis software,
compdemocracy.org/polis, and is sub-licensed under CC BY 4.0 with Attribution to The Computational Democracy
Project).
"""

# %%
# Votes are 1 (agree), -1 (disagree) or 0 (pass, or not seen). People may live on several islands, or on
# none.

import numpy as np

from minirel import MiniReL, audit
from minirel.datasets import load_islands

votes = load_islands()
lives = votes.groups
X = votes.X / np.sqrt(np.maximum(votes.n_votes, 1))[:, None]  # who saw few statements is no outlier
print(votes, {name: int(np.sum(here)) for name, here in lives.items()})

# %%
# The groups that Polis made; some people were in none, -1.

promise = {
    "alpha": {"Orcas": 0.5, "Lopez": 0.4, "San Juan": 0.5, "Shaw": 0.5},
    "beta": {"Orcas": 1, "Lopez": 1, "San Juan": 1},
}
known = votes.target >= 0
print(audit(votes.target[known], {name: here[known] for name, here in lives.items()}, **promise))

# %%
# The promise: an opinion group, of at least 25 people, in which each of the three is at least half (Lopez:
# 40%).

model = MiniReL(6, min_size=25, n_swaps=10, random_state=0, **promise).fit(X, sensitive_features=lives)
print(model.audit_)
print(model.status_, f"gap {model.gap_:.1e}")

# %%
# On which statements the group of each island differs most from everybody: the mean vote there, and of all.
# Their texts are in Polis's report.

everybody = votes.X.mean(axis=0)
for name, k in model.prefix_:
    here = votes.X[model.labels_ == k].mean(axis=0)
    apart = np.argsort(-np.abs(here - everybody))[:3]
    told = ", ".join(f"{votes.feature_names[j]}: {here[j]:+.2f} ({everybody[j]:+.2f})" for j in apart)
    print(f"{name}, group {k}: {told}")

# %%
# Shares by group:

from minirel.plotting import RepresentationDisplay

RepresentationDisplay.from_estimator(model)
