"""
On a Dask cluster
=================

The passes over the points run where the points are; the answer is the same, label for label, as on one
machine. Here the cluster is two workers in this process; on a real one only the address of the client
changes.

Needs: the package minirel.dask (``pip install 'minirel[dask]'``).
"""

# %%
# A cluster, and points that live on it in chunks: one for the features, one for the groups.

import dask.array as da
import numpy as np
from distributed import Client

from minirel.dask import MiniReL

client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0")

rng = np.random.default_rng(0)
n = 100_000
blob = rng.integers(12, size=n)
points = (6 * rng.normal(size=(12, 4))[blob] + rng.normal(size=(n, 4))).astype(np.float32)
sex = np.where(rng.random(n) < np.linspace(0.15, 0.48, 12)[blob], "F", "M")
X, groups = da.from_array(points, chunks=(25_000, 4)), da.from_array(sex, chunks=25_000)

# %%
# The estimator takes what `minirel.MiniReL` takes. ``labels_`` is a Dask array; everything small is here.

model = MiniReL(8, beta={"F": 3, "M": 3}, random_state=0).fit(X, sensitive_features=groups)
print(model.labels_)
print(model.audit_)
print(model.status_, f"gap {model.gap_:.1e}")

# %%
# The same labels as without a cluster:

import minirel

local = minirel.MiniReL(8, beta={"F": 3, "M": 3}, random_state=0).fit(points, sensitive_features=sex)
print(bool((model.labels_.compute() == local.labels_).all()))
client.close()

# %%
# The cost after each iteration, and the gap that was proven:

from minirel.plotting import ConvergenceDisplay

ConvergenceDisplay.from_estimator(model)
