"""
What can be promised for two percent more?
==========================================

Nobody knows the right number of clusters, share and number of promises beforehand. A frontier is the table
of requests with what each costs, proven, and where it cannot be had, why. Then the question is turned
round: with 2% more cost than k-means, what can we promise?
"""

# %%
# A town of 400 households, of which fewer than one in four rent, mostly in two quarters.

import numpy as np

from minirel import frontier

rng = np.random.default_rng(3)
quarters = np.array([[0, 0], [3, 0.5], [1.2, 2.6], [4.2, 3], [2.6, 4.6], [5.4, 1.2]])
renting = np.array([0.46, 0.15, 0.44, 0.1, 0.25, 0.12])
quarter = rng.integers(6, size=400)
X = quarters[quarter] + rng.normal(scale=0.8, size=(400, 2))
tenure = np.where(rng.random(400) < renting[quarter], "rents", "owns")

found = frontier(
    X,
    tenure,
    n_clusters=[5, 7],
    alpha=[0.4, 0.51, 0.6],
    beta=[{"rents": 1}, {"rents": 2}],
    min_size=30,
    n_swaps=5,
    random_state=0,
)
print(found.to_frame()[["n_clusters", "alpha", "beta", "feasible", "price"]].round(3).to_string())

# %%
# With 2% more cost than k-means with as many clusters, these are the requests that no other one of them
# betters:

print(found.within(0.02)[["n_clusters", "alpha", "beta", "price"]].round(3).to_string())

# %%
# Each row is a fitted model, with its audit and its proof:

best = found.best_within(0.02)[-1]
model = found.model(best)
print(model.audit_)
print(model.status_, f"{found.price(best):.2%} more than k-means")

# %%
# The requests with five clusters at a glance:

from minirel.plotting import FrontierDisplay

FrontierDisplay.from_frontier(found, n_clusters=5)
