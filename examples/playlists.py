"""Number-one songs as playlists, in some of which women, and Black artists, are the majority.

The story: 1,175 songs topped the Billboard Hot 100 from 1958 to 2025. Eight playlists are to be made of them
by how they sound: tempo, energy, loudness and the like. By sound alone, in none of them half of the songs are
by women, nor half by Black artists: 24% of all songs are by women only, 30% by Black artists only, and sound
does not set them apart.

So we promise: in two playlists at least half of the songs are by women, in two at least half by Black
artists, and no playlist has fewer than 50 songs. The sound suffers by a few percent, and the page says which
songs were moved.

Run it with ``python examples/playlists.py out``: ``out`` is the folder for the report, the table and the
picture. It needs the file billboard_number_ones.csv in the folder that MINIREL_DATA names; without it, it
says where the file comes from.
"""

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from minirel import MiniReL, audit, explain
from minirel.datasets import load_billboard
from minirel.report import fit_report

PLAYLISTS = 8

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

songs = load_billboard()
promise = {"alpha": 0.5, "beta": {"women": 2, "Black artists": 2}}

# ---- by sound alone --------------------------------------------------------------------------------------

kmeans = KMeans(PLAYLISTS, n_init=10, random_state=0).fit(songs.X)
before = audit(kmeans.labels_, songs.groups, **promise)
print(f"{len(songs.X):,} songs in {PLAYLISTS} playlists, by sound alone:\n")
print(before)

# ---- with the promises -----------------------------------------------------------------------------------

model = MiniReL(PLAYLISTS, **promise, min_size=50, n_swaps=10, random_state=0)
model.fit(songs.X, sensitive_features=songs.groups)
print("\nWith the promises:\n")
print(model.audit_)
why = explain(model)
print(f"\nPrice: {model.inertia_ / kmeans.inertia_ - 1:.1%} more than k-means.")
print(f"{len(why.points)} songs are not in the playlist that sounds most like them.")
print(f"Status: {model.status_}, for these centers and holders.")
for group, k in model.prefix_:
    inside = np.flatnonzero((model.labels_ == k) & songs.groups[group])
    cost = model.result_.trace.own_cost[inside]
    typical = ", ".join(
        f"{songs.song[i]} ({songs.artist[i]}, {songs.year[i]})" for i in inside[np.argsort(cost)[:2]]
    )
    print(f"  playlist {k}, {group}: {typical}")

# ---- to hand round ---------------------------------------------------------------------------------------

names = [f"{song} ({artist})" for song, artist in zip(songs.song, songs.artist, strict=True)]
page = fit_report(model, title="Number ones as playlists", explanation=why, row_names=names)
(out / "playlists.html").write_text(page, encoding="utf-8")
with (out / "playlists.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["song", "artist", "year", "women", "Black artists", "k-means", "playlist"])
    groups = (member.astype(int) for member in songs.groups.values())
    table.writerows(
        zip(songs.song, songs.artist, songs.year, *groups, kmeans.labels_, model.labels_, strict=True)
    )
print(f"\nWritten: {out / 'playlists.html'} and {out / 'playlists.csv'}.")

try:
    import matplotlib.pyplot as plt
except ImportError:
    print("For the picture: pip install 'minirel[plot]'")
    sys.exit()
plt.switch_backend("agg")
figure, axes = plt.subplots(2, 2, figsize=(9, 5), sharex="col", sharey=True, layout="constrained")
for column, (found, title) in enumerate(((before, "k-means"), (model.audit_, "with the promises"))):
    axes[0, column].set_title(title)
    for axis, group, share, counts in zip(
        axes[:, column], found.groups, found.shares, found.represented, strict=True
    ):
        axis.bar(
            range(PLAYLISTS), share, color=["tab:purple" if enough else "lightgrey" for enough in counts]
        )
        axis.axhline(0.5, color="black", linewidth=0.8)
        axis.set_ylabel(group if column == 0 else "")
    axes[1, column].set_xlabel("playlist")
figure.savefig(out / "playlists.png", dpi=120)
print(f"Written: {out / 'playlists.png'}.")
