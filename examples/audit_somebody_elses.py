"""An audit of clusters that somebody else made, and the smallest repair.

The story: a library has split its 300 readers into six reading circles by taste, with a program of its own
(here hierarchical clustering, which knows nothing of fairness). The circles have names and members, and are
liked. Then a young reader asks: "in which circle are we not the odd ones out?" The library has promised the
young at least half of the seats in 2 circles.

We need nothing but the names of the circles and the ages to see whether that is so: this is the audit. It
says no, and how many young readers are missing where. Then comes the repair. We could cluster afresh, but
then nobody would know their circle again. So the circles stay, and we ask for the cheapest moves of readers
between them.

Run it with ``python examples/audit_somebody_elses.py out``: ``out`` is the folder for the reports and the
table.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from minirel import audit, fair_assignment
from minirel.report import audit_report

PROMISE = {"alpha": 0.5, "beta": {"young": 2}}
CIRCLES = np.array(["Austen", "Borges", "Christie", "Dickinson", "Eco", "Ferrante"])
READERS = 300

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

# ---- somebody else's clusters ----------------------------------------------------------------------------

random = np.random.default_rng(5)
typical = random.uniform(0, 10, size=(6, 4))  # six kinds of taste: crime, poetry, history, fantasy
kind = random.integers(6, size=READERS)
taste = typical[kind] + random.normal(scale=1.5, size=(READERS, 4))
# The young are everywhere, more in some circles than in others, and nowhere many.
age = np.where(random.random(READERS) < np.array([0.42, 0.1, 0.35, 0.15, 0.3, 0.1])[kind], "young", "older")

circle = CIRCLES[AgglomerativeClustering(len(CIRCLES)).fit_predict(taste)]

# ---- the audit -------------------------------------------------------------------------------------------

before = audit(circle, age, **PROMISE)
print(f"{READERS} readers, {np.mean(age == 'young'):.0%} of them young. Their circles as they are:\n")
print(before)

# shortfall: how many young readers would have to join a circle, all else unchanged, for it to count.
missing = before.shortfall[before.groups.index("young")]
nearly = np.argsort(missing)[: PROMISE["beta"]["young"]]
print("\nWhere the young come closest:")
for k in nearly:
    print(
        f"  {before.clusters[k]}, of {before.sizes[k]} readers, would need {missing[k]:.0f} more young ones."
    )

# ---- the repair ------------------------------------------------------------------------------------------

# What a circle is about is the average taste of its readers. A reader's cost in a circle is the squared
# distance from that, which says how ill at ease the reader would be there.
middle = np.array([taste[circle == name].mean(axis=0) for name in CIRCLES])
cost = ((taste[:, None, :] - middle) ** 2).sum(axis=2)
own = np.arange(READERS), np.searchsorted(CIRCLES, circle)  # the names are sorted

# Some readers are nearer to another circle already. That is not our business: only what the promise needs
# should change. So moving costs a fee, as large as the most that any reader could gain by it.
fee = (cost[own] - cost.min(axis=1)).max()
with_fee = cost + fee
with_fee[own] = cost[own]

# gap=0 asks for the best there is, and which circles are to be the two is part of the question.
fair = fair_assignment(with_fee, age, gap=0, **PROMISE)
repaired = CIRCLES[fair.labels]
after = audit(repaired, age, **PROMISE)

moved = np.flatnonzero(repaired != circle)
print("\nThe cheapest repair:\n")
print(after)
print(f"\n{len(moved)} readers change their circle, {np.sum(age[moved] == 'young')} of them young:")
for old in CIRCLES:
    for new in CIRCLES:
        many = np.sum((circle[moved] == old) & (repaired[moved] == new))
        if many:
            print(f"  {many} from {old} to {new}")
rise = cost[own[0], fair.labels].sum() / cost[own].sum() - 1
print(f"Readers are {rise:.1%} further from the taste of their circle (in squared distance).")
print(f"With this fee for moving, no cheaper repair keeps the promise: {fair.status}, proven.")

# ---- to hand round ---------------------------------------------------------------------------------------

for name, result in (("before", before), ("after", after)):
    page = audit_report(result, title=f"Reading circles {name} the repair")
    (out / f"circles-{name}.html").write_text(page, encoding="utf-8")
with (out / "circles.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["reader", "age", "circle", "new circle"])
    table.writerows(zip(range(READERS), age, circle, repaired, strict=True))
print(f"\nWritten: circles-before.html, circles-after.html and circles.csv, in {out}.")
