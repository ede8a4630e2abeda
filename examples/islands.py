"""Islanders' opinions: small islands vanish in two large groups, and are given one of their own.

The story: 404 people of the San Juan Islands, in the north-west of the United States, voted on each other's
statements about farmland, housing and much else, with the Polis software. Polis finds groups of opinion:
here two. Some participants also said on which island they live. Nobody asked whether the small islands can be
heard: in both groups the large island, San Juan, has the most members, and those of Lopez and Shaw are lost.

We audit Polis's own groups, then make five groups of opinion from the same votes in which Orcas, Lopez and
San Juan each have half of one. Shaw has ten voters, too few for a majority: it is promised a group in
which it has a share of a tenth and at least five members, four times its share of all.

A group of opinion in which an island is the majority says what is particular to the opinions of that island;
it does not say that islanders agree. Where people live was left out of the features.

Run it with ``python examples/islands.py out``: ``out`` is the folder for the report, the table and the
picture. It needs the file polis_islands_votes.csv in the folder that MINIREL_DATA names; without it, it says
where the file comes from. Data was gathered using the Polis software (see compdemocracy.org/polis) and is
sub-licensed under CC BY 4.0 with Attribution to The Computational Democracy Project.
"""

import csv
import sys
from pathlib import Path

import numpy as np

from minirel import MiniReL, audit
from minirel.datasets import load_islands
from minirel.report import fit_report

GROUPS = 5

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

votes = load_islands()
grouped = votes.target >= 0  # Polis leaves out who voted on very little
X, polis = votes.X[grouped], votes.target[grouped]
island = {name: lives[grouped] for name, lives in votes.groups.items()}

# ---- what Polis found ------------------------------------------------------------------------------------

promise = {
    "alpha": {"Orcas": 0.5, "Lopez": 0.5, "San Juan": 0.5, "Shaw": 0.1},
    "beta": 1,
    "min_members": {"Orcas": 1, "Lopez": 1, "San Juan": 1, "Shaw": 5},
}
print(f"{len(X)} islanders and {X.shape[1]} statements. The two groups of Polis:\n")
print(audit(polis, island, **promise))

# ---- five groups in which islands are heard --------------------------------------------------------------

model = MiniReL(GROUPS, **promise, exclusive=True, min_size=20, n_swaps=2, random_state=0)
model.fit(X, sensitive_features=island)
print(f"\n{GROUPS} groups of opinion, with a group for each island:\n")
print(model.audit_)
plain = model.result_.trace.start.cost.sum()
print(f"\nThe votes are {model.inertia_ / plain - 1:.1%} further from their groups than with k-means;")
print(f"for these centers and holders, {model.status_}, proven to within {model.gap_:.2%}.")

# ---- what an island's group thinks -----------------------------------------------------------------------

for name, k in model.prefix_:
    inside = model.labels_ == k
    differs = X[inside].mean(axis=0) - X[~inside].mean(axis=0)
    most = np.argsort(-np.abs(differs))[:3]
    said = ", ".join(f"{'+' if differs[s] > 0 else '-'}{votes.feature_names[s]}" for s in most)
    print(f"  {name}: group {k}, {inside.sum()} people; differs most on statements {said}")

# ---- to hand round ---------------------------------------------------------------------------------------

page = fit_report(model, title="Opinions on the San Juan Islands")
(out / "islands.html").write_text(page, encoding="utf-8")
with (out / "islands.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["participant", *island, "polis", "group"])
    who = np.flatnonzero(grouped)
    table.writerows(
        zip(who, *(lives.astype(int) for lives in island.values()), polis, model.labels_, strict=True)
    )
print(f"\nWritten: {out / 'islands.html'} and {out / 'islands.csv'}.")

try:
    import matplotlib.pyplot as plt
except ImportError:
    print("For the picture: pip install 'minirel[plot]'")
    sys.exit()
plt.switch_backend("agg")
before, after = audit(polis, island, **promise), model.audit_
figure, axes = plt.subplots(
    1, 2, figsize=(10, 4), sharey=True, width_ratios=[2, GROUPS], layout="constrained"
)
for axis, found, title in zip(
    axes, (before, after), ("The two groups of Polis", "Five with promises"), strict=True
):
    x, width = np.arange(len(found.clusters)), 0.8 / len(found.groups)
    for g, name in enumerate(found.groups):
        bars = axis.bar(x + (g - 1.5) * width, found.shares[g], width, label=str(name))
        for bar, counts in zip(bars, found.represented[g], strict=True):
            bar.set_alpha(1.0 if counts else 0.4)
    axis.axhline(0.5, color="black", linewidth=0.8)
    axis.set_xticks(x, [f"{k}\n{size} people" for k, size in zip(found.clusters, found.sizes, strict=True)])
    axis.set_title(title)
axes[0].set_ylabel("share of the group")
axes[1].legend(ncols=4, loc="upper right")
figure.savefig(out / "islands.png", dpi=120)
print(f"Written: {out / 'islands.png'}.")
