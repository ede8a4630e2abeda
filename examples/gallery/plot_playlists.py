"""
Playlists in which women are heard
==================================

1,177 songs that topped the Billboard Hot 100 from 1958 to 2025, to be eight playlists of songs that sound
alike. Songs by women alone are a quarter of them. K-means, which only listens, makes them the majority of
no playlist; here two are promised, at which cost, and which songs move.

Needs: billboard_number_ones.csv in MINIREL_DATA (compiled by Chris Dalla Riva, published by TidyTuesday
2025-08-26, CC0).
"""

# %%
# What is heard are the features; who sings is the group, and no feature.

import os
from pathlib import Path

import pandas as pd
from sklearn.cluster import KMeans
from sklearn.preprocessing import MinMaxScaler

from minirel import MiniReL, audit, explain

songs = pd.read_csv(Path(os.environ["MINIREL_DATA"]) / "billboard_number_ones.csv").dropna(subset="bpm")
heard = ["bpm", "energy", "danceability", "happiness", "loudness_d_b", "acousticness", "length_sec"]
X = MinMaxScaler().fit_transform(songs[heard])
singers = songs["artist_male"].map({0: "women", 1: "men", 2: "both", 3: "other"}).to_numpy()
print(
    songs["artist_male"]
    .map({0: "women", 1: "men", 2: "both", 3: "other"})
    .value_counts(normalize=True)
    .round(3)
)

# %%
# By sound alone:

plain = KMeans(8, n_init=10, random_state=0).fit(X)
print(audit(plain.labels_, singers, alpha=0.5, beta={"women": 2}))

# %%
# The promise: at least half of two playlists, each of at least 60 songs. Swaps look for better centers.

model = MiniReL(8, alpha=0.5, beta={"women": 2}, min_size=60, n_swaps=20, random_state=0)
model.fit(X, sensitive_features=singers)
print(model.audit_)

# %%
# The price, and some songs that were moved for the promise:

why = explain(model)
price = model.inertia_ / why.start_cost - 1
print(f"{price:.1%} less alike than by sound alone; {len(why.points)} songs moved\n")
for point, reason in list(zip(why.points, why.because, strict=True))[:5]:
    print(f"{songs['song'].iloc[point]} ({songs['artist'].iloc[point]}): {reason}")

# %%
# What the two playlists sound like, beside all songs:

means = songs[heard].groupby(model.labels_).mean()
held = [k for _, k in model.prefix_]
print(pd.concat([means.loc[held].T, songs[heard].mean().rename("all songs")], axis=1).round(0).to_string())

# %%
# Before and after:

from minirel.plotting import ComparisonDisplay

ComparisonDisplay.from_estimator(model)
