"""
Playlists in which women are heard
==================================

1,175 songs that topped the Billboard Hot 100 from 1958 to 2025, to be eight playlists of songs that sound
alike. Songs by women alone are a quarter of them. K-means, which only listens, makes them the majority of
no playlist; here two are promised, and the page says at which cost, and which songs move.

Needs: billboard_number_ones.csv in MINIREL_DATA (compiled by Chris Dalla Riva, published by TidyTuesday
2025-08-26, CC0).
"""

# %%
# What is heard are the features; who sings is the group, and no feature.

import numpy as np
from sklearn.cluster import KMeans

from minirel import MiniReL, audit, explain
from minirel.datasets import load_billboard

songs = load_billboard()
women = {"women": songs.groups["women"]}
print(songs, f"{women['women'].mean():.1%} of them by women alone")

# %%
# By sound alone:

plain = KMeans(8, n_init=10, random_state=0).fit(songs.X)
print(audit(plain.labels_, women, alpha=0.5, beta=2))

# %%
# The promise: at least half of two playlists, each of at least 60 songs. Swaps look for better centers.

model = MiniReL(8, alpha=0.5, beta=2, min_size=60, n_swaps=20, random_state=0)
model.fit(songs.X, sensitive_features=women)
print(model.audit_)

# %%
# The price, and some songs that were moved for the promise:

why = explain(model)
price = model.inertia_ / why.start_cost - 1
print(f"{price:.1%} less alike than by sound alone; {len(why.points)} songs moved\n")
for point, reason in list(zip(why.points, why.because, strict=True))[:5]:
    print(f"{songs.song[point]} ({songs.artist[point]}): {reason}")

# %%
# What the two playlists sound like, beside all songs, from 0 to 1:

for k in [k for _, k in model.prefix_]:
    here = songs.X[model.labels_ == k].mean(axis=0) - songs.X.mean(axis=0)
    apart = np.argsort(-np.abs(here))[:3]
    print(f"playlist {k}:", ", ".join(f"{songs.feature_names[j]} {here[j]:+.2f}" for j in apart))

# %%
# Before and after:

from minirel.plotting import ComparisonDisplay

ComparisonDisplay.from_estimator(model)
