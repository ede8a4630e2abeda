"""Alabama in seven districts: what it costs that Black voters are the majority in one, two or three of them.

The story: the 1,837 precincts of the census of 2020 are to be seven districts, each within 1% of equal
population. No precinct is divided. 26% of the people of voting age are Black; k-means on the map leaves them
without a majority in any district (their best share is 39%). We ask for at least half of the voting-age
population in one, two and three districts, and say what each costs in compactness, with a proof: two can be
had, and three are proven impossible.

Two denominators are at work: districts are equal by population, and shares are of the voting-age population.
Both are sums over whole precincts, counted exactly.

Then two districts with ``connect=True``: every district in one piece on the map, by the precincts that touch.
That is a heuristic. What is proven is that every promise is kept, and what any assignment to the same centers
costs at least.

What this is not: legal advice, or a plan to adopt. Compactness here is the mean squared distance to a
district's center, one of many measures; communities of interest, county lines and incumbents are not in the
model. docs/alabama.md says more.

Run it with ``python examples/alabama.py out``: ``out`` is the folder for the plan, the page and the maps. It
needs the files alabama_precincts_2020.csv and alabama_adjacency_2020.csv in the folder that MINIREL_DATA
names; without them, it says where they come from.
"""

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial import Voronoi
from sklearn.cluster import KMeans

from minirel import InfeasibleFairnessError, MiniReL, audit
from minirel.datasets import load_alabama
from minirel.report import fit_report

DISTRICTS, TOLERANCE, HALF = 7, 0.01, 0.5

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

state = load_alabama()
people = state.population
voters = {name: state.members[name] for name in ("black_vap", "vap")}
average = people.sum() / DISTRICTS
smallest, largest = int(np.ceil((1 - TOLERANCE) * average)), int((1 + TOLERANCE) * average)


def spread(cost: float) -> str:
    """Cost is the sum of people's squared distances; the root of its mean is a distance."""
    return f"{np.sqrt(cost / people.sum()):.1f} km"


# ---- what k-means does -----------------------------------------------------------------------------------

kmeans = KMeans(DISTRICTS, n_init=10, random_state=0).fit(state.X, sample_weight=people)
before = audit(
    kmeans.labels_,
    voters,
    total="vap",
    alpha=HALF,
    beta={"black_vap": 2},
    sample_weight=people,
    neighbours=state.neighbours,
)
share = voters["black_vap"].sum() / voters["vap"].sum()
print(f"{len(people):,} precincts, {people.sum():,} people; {share:.1%} of those of voting age are Black.")
print(f"K-means: at most {before.shares.max():.1%} in a district, and from {before.sizes.min():,} to")
print(f"{before.sizes.max():,} people. People are typically {spread(kmeans.inertia_)} from the middle.\n")

# ---- one, two, three districts ---------------------------------------------------------------------------

common = {
    "alpha": HALF,
    "total": "vap",
    "min_size": smallest,
    "max_size": largest,
    "gap": 2e-3,  # whole precincts are a puzzle: this is proven in seconds
    "random_state": 0,
}
given = {"sensitive_features": voters, "sample_weight": people, "neighbours": state.neighbours}
plans = {}
print(f"Seven districts of {smallest:,} to {largest:,} people:")
for promised in range(4):
    plan = MiniReL(DISTRICTS, beta={"black_vap": promised}, **common)
    try:
        plans[promised] = plan.fit(state.X, **given)
    except InfeasibleFairnessError as error:
        print(f"  {promised} with a Black majority: {error}")
        break
    has = plan.audit_.n_represented[0]
    print(
        f"  {promised} with a Black majority ({has} found): {spread(plan.inertia_)}; proven within "
        f"{np.ceil(1e4 * plan.gap_) / 100:.2f}% of the best for these centers ({plan.status_}); "
        f"{sum(plan.audit_.n_pieces)} pieces"
    )

# ---- two districts, each district in one piece -----------------------------------------------------------

connected = MiniReL(DISTRICTS, beta={"black_vap": 2}, connect=True, **common)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what could not be connected is told below
    connected.fit(state.X, **given)
print("\nTwo districts, and all of them connected:\n")
print(connected.audit_)
apart = connected.disconnected_
print("\nNot in one piece: " + ", ".join(map(str, apart)) if apart else "\nEvery district is in one piece.")
more = connected.inertia_ / plans[2].inertia_ - 1
print(
    f"{spread(connected.inertia_)}: connecting the plan costs {more:.1%} more, as far as a heuristic found."
)
print(f"For its centers and holders, no plan, connected or not, costs over {connected.gap_:.1%} less.")

# ---- to hand round ---------------------------------------------------------------------------------------

with (out / "alabama-plan.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["geoid", "district"])
    # Districts are numbered from 1, as GerryChain and redist users do.
    table.writerows(zip(state.geoid, (connected.labels_ + 1).tolist(), strict=True))
page = fit_report(connected, title="Alabama in seven districts", row_names=state.geoid)
(out / "alabama.html").write_text(page, encoding="utf-8")
print(f"\nWritten: {out / 'alabama-plan.csv'} and {out / 'alabama.html'}.")

try:
    import matplotlib.pyplot as plt
    from matplotlib.patches import Polygon
except ImportError:
    print("For the maps: pip install 'minirel[plot]'")
    sys.exit()
plt.switch_backend("agg")
# Cells of the precincts' points, bounded by points mirrored beyond the edge of the state.
low, high = state.X.min(axis=0) - 8, state.X.max(axis=0) + 8
mirrored = [
    np.where(axis == np.arange(2), 2 * side - state.X, state.X) for side in (low, high) for axis in range(2)
]
cells = Voronoi(np.vstack([state.X, *mirrored]))
colours = plt.get_cmap("Set2").colors
figure, axes = plt.subplots(1, 3, figsize=(10, 5.6), layout="constrained")
maps = (
    (kmeans.labels_, before, "k-means"),
    (plans[2].labels_, plans[2].audit_, "two promised"),
    (connected.labels_, connected.audit_, "two promised, connected"),
)
for axis, (labels, found, title) in zip(axes, maps, strict=True):
    for i, k in enumerate(labels):
        corners = cells.vertices[cells.regions[cells.point_region[i]]]
        # Near the edge of the state cells are long: drawn up to 12 km from the point.
        corners = state.X[i] + np.clip(corners - state.X[i], -12, 12)
        axis.add_patch(Polygon(corners, facecolor=colours[k], edgecolor=colours[k], linewidth=0.4))
    for k in range(DISTRICTS):
        at = np.average(state.X[labels == k], axis=0, weights=people[labels == k])
        weight = "bold" if found.represented[0, k] else "normal"
        axis.text(*at, f"{found.shares[0, k]:.0%}", ha="center", va="center", weight=weight)
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xticks=[], yticks=[])
    axis.set_title(f"{title}\n{sum(found.n_pieces)} pieces", fontsize=10)
figure.suptitle("Black share of the voting-age population by district, bold from one half", fontsize=10)
figure.savefig(out / "alabama.png", dpi=80)
print(f"Written: {out / 'alabama.png'}.")
