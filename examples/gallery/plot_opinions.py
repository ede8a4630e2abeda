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
# Votes are 1 (agree), -1 (disagree), 0 (pass) or unseen, taken as 0 here. Statements 64 to 67 say on which
# island one lives: groups, and so not among the features. People may agree to several or to none of them.

import os
from pathlib import Path

import numpy as np
import pandas as pd

from minirel import MiniReL, audit

votes = pd.read_csv(Path(os.environ["MINIREL_DATA"]) / "polis_islands_votes.csv")
islands = {"Orcas": "64", "Lopez": "65", "San Juan": "66", "Shaw": "67"}
lives = {name: (votes[column] == 1).to_numpy() for name, column in islands.items()}
statements = [name for name in votes.columns if name.isdigit() and name not in islands.values()]
X = votes[statements].fillna(0).to_numpy()
seen = votes[statements].notna().to_numpy()
X = X / np.sqrt(np.maximum(seen.sum(axis=1, keepdims=True), 1))  # who saw few statements is no outlier
print({name: int(here.sum()) for name, here in lives.items()}, "of", len(votes))

# %%
# The groups that Polis made (some people were in none):

known = votes["group-id"].notna().to_numpy()
promise = {"alpha": {"Orcas": 0.5, "Lopez": 0.4, "San Juan": 0.5, "Shaw": 0.5}}
promise["beta"] = {"Orcas": 1, "Lopez": 1, "San Juan": 1}
print(audit(votes["group-id"][known], {name: here[known] for name, here in lives.items()}, **promise))

# %%
# The promise: an opinion group, of at least 25 people, in which each of the three is at least half (Lopez:
# 40%).

model = MiniReL(6, min_size=25, n_swaps=10, random_state=0, **promise).fit(X, sensitive_features=lives)
print(model.audit_)
print(model.status_, f"gap {model.gap_:.1e}")

# %%
# On which statements the group of each island differs most from everybody: the mean vote there, and of all.
# Their texts are in Polis's report.

for name, k in model.prefix_:
    here = votes[statements][model.labels_ == k].mean()
    apart = (here - votes[statements].mean()).abs().sort_values(ascending=False).index[:3]
    told = ", ".join(f"statement {one}: {here[one]:+.2f} ({votes[one].mean():+.2f})" for one in apart)
    print(f"{name}, group {k}: {told}")

# %%
# Shares by group:

from minirel.plotting import RepresentationDisplay

RepresentationDisplay.from_estimator(model)
