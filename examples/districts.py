"""Eight districts of nearly equal population, two of them promised to a minority.

The story: a county of 320 census blocks is to be divided into 8 districts. Three rules hold:

1. Districts are compact. This is what k-means is good at.
2. Districts have nearly the same population: at most 5% more or fewer people than the average. Blocks are
   never divided, so this is about sums of whole blocks.
3. The minority is promised 2 districts in which at least half of the people live in blocks where it is the
   majority. It lives along the railway, and every compact district cuts the railway into small pieces.

K-means keeps the first rule, breaks the second, and gives the minority no district at all. So we first ask
for the second rule alone, then for the third as well: the difference between the two is the price of the
promise.

Compactness is all that is asked of the shape. Nothing here makes a district hang together on the map, which
a law may demand: see it as a first draft for those who draw the lines.

Run it with ``python examples/districts.py out``: ``out`` is the folder for the report and the table.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from minirel import MiniReL, audit, explain, next_clusters
from minirel.report import fit_report

BLOCKS, DISTRICTS, PROMISED = 320, 8, 2
HALF = 0.5
TOLERANCE = 0.05

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

# ---- the county ------------------------------------------------------------------------------------------

random = np.random.default_rng(7)
place = random.uniform((0, 0), (40, 20), size=(BLOCKS, 2))  # km east and north
people = 50 * random.integers(1, 4, size=BLOCKS)  # in each block; the census rounds to fifties
railway = 10 + 6 * np.sin(place[:, 0] / 6)
along = np.abs(place[:, 1] - railway) < 2.2
minority_share = np.where(along, random.uniform(0.45, 0.95, BLOCKS), random.uniform(0.02, 0.3, BLOCKS))

# A block counts for the group that is its majority: groups are made of whole blocks, as districts are.
group = np.where(minority_share > 0.5, "minority", "majority")

average = people.sum() / DISTRICTS
smallest, largest = int(np.ceil((1 - TOLERANCE) * average)), int((1 + TOLERANCE) * average)
print(f"A county of {people.sum():,} people in {BLOCKS} blocks, to be {DISTRICTS} districts.")
in_its_blocks = people[group == "minority"].sum() / people.sum()
print(f"{in_its_blocks:.0%} of them live in blocks where the minority is the majority.\n")

# ---- what k-means does -----------------------------------------------------------------------------------

kmeans = KMeans(DISTRICTS, n_init=10, random_state=0).fit(place, sample_weight=people)
before = audit(
    kmeans.labels_,
    group,
    alpha=HALF,
    beta={"minority": PROMISED},
    sample_weight=people,  # shares of people, not of blocks
)
print("K-means draws compact districts, and looks at nothing else:\n")
print(before)
print(f"\nIts districts have from {before.sizes.min():,} to {before.sizes.max():,} people.\n")

# ---- equal population, then the promise as well ----------------------------------------------------------

# Whole blocks in districts of nearly equal population are a hard puzzle: a proof to within 0.5% takes a
# second, one to within the usual 0.01% can take much longer. Three starts, because the first middles decide
# much.
common = {"n_init": 3, "gap": 0.005, "random_state": 0, "min_size": smallest, "max_size": largest}
equal = MiniReL(DISTRICTS, beta=0, **common).fit(place, sensitive_features=group, sample_weight=people)
fair = MiniReL(DISTRICTS, alpha=HALF, beta={"minority": PROMISED}, **common)
fair.fit(place, sensitive_features=group, sample_weight=people)

print(f"With {smallest:,} to {largest:,} people in each district, and {PROMISED} for the minority:\n")
print(fair.audit_)
held = [district for _, district in fair.prefix_]
print(f"\nThe minority holds districts {' and '.join(map(str, held))}.")
# Half the people live in its blocks, but not all of these people belong to it: say so, before others do. If
# the people are what counts, ask for a larger alpha.
for district in held:
    here = fair.labels_ == district
    share = np.average(minority_share[here], weights=people[here])
    print(f"  Of the people themselves, {share:.0%} belong to it in district {district}.")

# ---- what it costs, and what more would cost -------------------------------------------------------------


def spread(cost: float) -> str:
    """Cost is the sum of people's squared distances; the root of its mean is a distance that says more."""
    return f"{np.sqrt(cost / people.sum()):.2f} km"


print("\nHow far people typically are from the middle of their district:")
print(f"  k-means                            {spread(kmeans.inertia_)}")
print(f"  equal population                   {spread(equal.inertia_)}")
print(f"  equal population and the promise   {spread(fair.inertia_)}")
why = explain(fair)
print(f"{len(why.points)} of {BLOCKS} blocks are not with the nearest middle:")
for_the_promise = why.kind.count("share")
print(f"  {for_the_promise} for the sake of the promise")
print(f"  {len(why.points) - for_the_promise} for the sake of equal population, or as the blocks just fit")
at_most = np.ceil(1000 * fair.gap_) / 10  # rounded up, so that what is said is true
print(f"Proven: with these middles, and the minority in these two, no plan costs over {at_most:.1f}% less.\n")

more_districts = next_clusters(fair, place)
for row in more_districts:
    if row["group"] == "minority":
        if row["cost"] is None:
            print(f"A district more, {row['beta']} in all: {row['status']}, {row['why']}.")
        else:
            more = spread(fair.inertia_ + row["cost"])
            print(f"A district more, {row['beta']} in all, would make it {more}.")

# ---- to hand round ---------------------------------------------------------------------------------------

names = [f"block {i}" for i in range(BLOCKS)]
page = fit_report(fair, title="Eight districts", next_clusters=more_districts, row_names=names)
(out / "districts.html").write_text(page, encoding="utf-8")
with (out / "districts.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["block", "east", "north", "people", "group", "k-means", "district"])
    table.writerows(zip(names, *place.round(3).T, people, group, kmeans.labels_, fair.labels_, strict=True))
print(f"\nWritten: {out / 'districts.html'} and {out / 'districts.csv'}.")
