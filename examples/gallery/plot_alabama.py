"""
Two districts of Alabama
========================

1,837 precincts are to be seven districts of equal population. Black people are 26% of Alabama's voting-age
population; compact districts give them at most 39% anywhere. The promise: at least half of the voting-age
population of two districts. A precinct is a mix of people and is never divided, so what counts are numbers
of members and totals, not labels.

Needs: alabama_precincts_2020.csv in MINIREL_DATA (2020 census by precinct, as compiled in rdatools/rdabase,
MIT).

Needs: the package minirel.points.members
"""

# %%
# Places are kilometres east and north. Each precinct has its population (which sizes count) and its
# voting-age population, all and Black (which shares count).

import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from minirel import MiniReL, audit

state = pd.read_csv(Path(os.environ["MINIREL_DATA"]) / "alabama_precincts_2020.csv")
degrees = state[["longitude", "latitude"]].to_numpy()
X = 111.2 * degrees * [np.cos(np.radians(32.8)), 1]
people = state[["black_vap", "vap"]]
print(
    f"{people['black_vap'].sum() / people['vap'].sum():.1%} of {people['vap'].sum():,} people of voting age"
)

# %%
# K-means is compact and nothing else. ``total="vap"`` says which column is the total; the other is a group,
# by its members.

plain = KMeans(7, n_init=10, random_state=0).fit(X, sample_weight=state["population"])
asked = {"alpha": 0.5, "beta": {"black_vap": 2}, "total": "vap"}
print(audit(plain.labels_, people, sample_weight=state["population"], **asked))

# %%
# Districts within 1% of equal population, and the promise. Whole precincts are a puzzle, so the proof is to
# half a percent.

average = state["population"].sum() / 7
model = MiniReL(7, min_size=0.99 * average, max_size=1.01 * average, gap=5e-3, random_state=0, **asked)
model.fit(X, sensitive_features=people, sample_weight=state["population"])
print(model.audit_)
print(
    f"{model.status_}: for these centers and holders no plan of whole precincts costs {model.gap_:.2%} less"
)

# %%
# What it costs: how far people typically are from the middle of their district.

total = state["population"].sum()
print(
    f"k-means {np.sqrt(plain.inertia_ / total):.1f} km, the promise {np.sqrt(model.inertia_ / total):.1f} km"
)

# %%
# The map. Districts in which Black people are at least half of the voting-age population have a black
# border around their dots.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 6), layout="constrained", sharey=True)
for ax, labels, title in ((axes[0], plain.labels_, "k-means"), (axes[1], model.labels_, "with the promise")):
    found = audit(labels, people, sample_weight=state["population"], **asked)
    held = found.represented[0][labels]
    size = 2 + state["population"] / 400
    ax.scatter(
        *X.T, s=size, c=labels, cmap="tab10", vmax=9, linewidths=np.where(held, 0.6, 0), edgecolors="black"
    )
    ax.set(title=f"{title}: {found.n_represented[0]} of 7 districts", aspect="equal")
    ax.axis("off")

# %%
# A clustering is a draft: nothing here makes a district hang together, and what is lawful is decided
# elsewhere (see :doc:`/guide/honesty`).
