"""
Iris in ten lines
=================

K-means on iris finds clusters in which one species is the majority of most. minirel promises each of the
three its two of six.
"""

# %%
# What k-means does, audited: *versicolor* and *virginica* overlap, and who gets which cluster is left to
# chance.

from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from minirel import MiniReL, audit

iris = load_iris()
X, species = iris.data, iris.target_names[iris.target]
plain = KMeans(6, n_init=10, random_state=0).fit(X)
print(audit(plain.labels_, species, alpha=0.7, beta=2))

# %%
# The same with a promise: each species is at least 70% of at least two clusters, of ten flowers or more.

model = MiniReL(6, alpha=0.7, beta=2, min_size=10, random_state=0).fit(X, sensitive_features=species)
print(model.audit_)

# %%
# What it costs, and the proof. The bound is for these centers and these holders.

print(f"k-means {plain.inertia_:.2f}, fair {model.inertia_:.2f} ({model.inertia_ / plain.inertia_ - 1:+.1%})")
print(f"{model.status_}: for these centers and holders, nothing costs less than {model.lower_bound_:.2f}")

# %%
# Shares by cluster: a filled bar where a cluster was set aside for a species.

from minirel.plotting import ProjectionDisplay, RepresentationDisplay

RepresentationDisplay.from_estimator(model)

# %%
# And where the flowers are, on the two axes along which they differ most.

ProjectionDisplay.from_estimator(model, X)
