"""
Audit somebody else's clusters
==============================

A reading club of 180 has six circles, made by hand. Are the young, who are a third, at least half of two of
them? The audit counts; and if they are not, the cheapest repair is a fair assignment in which staying costs
nothing and moving costs one.
"""

# %%
# The circles as somebody made them:

import numpy as np

from minirel import audit, fair_assignment

rng = np.random.default_rng(5)
age = np.where(np.arange(180) % 3 == 0, "young", "older")
circle = np.array(["Austen", "Borges", "Camus", "Dante", "Eco", "Ferrante"])[
    rng.permutation(np.arange(180) % 6)
]
found = audit(circle, age, alpha=0.5, beta={"young": 2})
print(found)

# %%
# How many would have to join a circle for it to count, all else unchanged:

young = found.groups.index("young")
print({name: int(lack) for name, lack in zip(found.clusters, found.shortfall[young], strict=True)})

# %%
# The repair: any table of costs can be assigned fairly. Here a move costs one, and circles keep 25 to 35
# members.

names = np.array(found.clusters)
moving = (circle[:, None] != names).astype(float)
fair = fair_assignment(
    moving, age, alpha=0.5, beta={"young": 2}, min_size=25, max_size=35, prefix=None, gap=0
)
print(
    f"{fair.cost:.0f} of 180 have to move: {fair.status}, nothing less will do, whichever two circles it is"
)

# %%
# Before and after:

from minirel.plotting import ComparisonDisplay

ComparisonDisplay.from_predictions(
    circle,
    names[fair.labels],
    age,
    alpha=0.5,
    beta={"young": 2},
)
