"""
Two districts of Alabama
========================

1,837 precincts are to be seven districts of equal population. Black people are 26% of Alabama's voting-age
population; compact districts give them at most 39% anywhere. The promise: at least half of the voting-age
population of two districts. A precinct is a mix of people and is never divided, so what counts are numbers
of members out of totals, not labels.

Needs: alabama_precincts_2020.csv, alabama_adjacency_2020.csv in MINIREL_DATA (2020 census by precinct, as
compiled in rdatools/rdabase, MIT).
"""

# %%
# Places are kilometres east and north. Sizes count the population, shares the people of voting age: all of
# them, and those who are Black.

import numpy as np
from sklearn.cluster import KMeans

from minirel import MiniReL, audit
from minirel.datasets import load_alabama

state = load_alabama()
people = {name: state.members[name] for name in ("black_vap", "vap")}
print(state, f"{people['black_vap'].sum() / people['vap'].sum():.1%} of voting age are Black")

# %%
# K-means is compact and nothing else. ``total="vap"`` says which column is the total; the other is a group,
# by its members.

plain = KMeans(7, n_init=10, random_state=0).fit(state.X, sample_weight=state.population)
asked = {"alpha": 0.5, "beta": {"black_vap": 2}, "total": "vap"}
counted = {"sample_weight": state.population, "neighbours": state.neighbours}
print(audit(plain.labels_, people, **asked, **counted))

# %%
# Districts within 1% of equal population, and the promise. Whole precincts are a puzzle, so the proof is to
# half a percent.

average = state.population.sum() / 7
sizes = {"min_size": 0.99 * average, "max_size": 1.01 * average}
model = MiniReL(7, gap=5e-3, random_state=0, **asked, **sizes)
model.fit(state.X, sensitive_features=people, **counted)
print(model.audit_)
print(
    f"{model.status_}: for these centers and holders no plan of whole precincts costs {model.gap_:.2%} less"
)

# %%
# What it costs: how far people typically are from the middle of their district.

for name, cost in (("k-means", plain.inertia_), ("the promise", model.inertia_)):
    print(f"{name}: {np.sqrt(cost / state.population.sum()):.1f} km")

# %%
# The map. Precincts of districts in which Black people are at least half of the voting-age population have
# a black border.

import matplotlib.pyplot as plt


def draw(*plans):
    """A map of each plan."""
    _, axes = plt.subplots(1, len(plans), figsize=(9, 6), layout="constrained")
    for ax, (title, labels) in zip(axes, plans, strict=True):
        found = audit(labels, people, **asked, **counted)
        held = found.represented[0][labels]
        ax.scatter(
            *state.X.T,
            s=2 + state.population / 400,
            c=labels,
            cmap="tab10",
            vmax=9,
            linewidths=np.where(held, 0.6, 0),
            edgecolors="black",
        )
        ax.set(title=f"{title}: {found.n_represented[0]} of 7 districts", aspect="equal")
        ax.axis("off")


draw(("k-means", plain.labels_), ("with the promise", model.labels_))

# %%
# Districts should hang together, too. ``neighbours`` are the precincts that touch; ``connect=True`` moves
# pieces to where they do, and keeps every promise. This part is a heuristic, and what it could not connect
# is said.

whole = MiniReL(7, gap=5e-3, random_state=0, connect=True, **asked, **sizes)
whole.fit(state.X, sensitive_features=people, **counted)
print("in pieces before:", model.disconnected_, "after:", whole.disconnected_)
print(whole.audit_.satisfied, whole.status_)
print(f"{np.sqrt(whole.inertia_ / state.population.sum()):.1f} km")

draw(("in pieces", model.labels_), ("connected", whole.labels_))

# %%
# A clustering is a draft, and an argument about what is possible. What is lawful is decided elsewhere: see
# :doc:`/guide/honesty`.
