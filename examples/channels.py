"""Seven television channels for two languages and three audiences.

The story: a broadcaster sorts 280 programmes into 7 channels, so that what is alike is shown together. Each
programme has a language and an audience, and these overlap: a Welsh programme for children counts for both.
The smaller groups are scattered over channels that belong to others. So shares are promised, which differ
by group, as does the number of channels:

- Welsh is to be at least 60% of some channels, for a channel is to be a place where one hears it most of
  the time;
- programmes for children are to be at least half of some, and those for teenagers at least 40%.

The first draft of the promise was generous, and nobody could have kept it: there are too few Welsh
programmes. minirel says so before it does any work, and names the nearest promise that can be kept. That
one is then fitted.

Run it with ``python examples/channels.py out``: ``out`` is the folder for the report, the table and the
picture.
"""

import csv
import sys
from pathlib import Path
from textwrap import fill

import numpy as np

from minirel import InfeasibleFairnessError, MiniReL, audit, next_clusters
from minirel.report import fit_report

PROGRAMMES, CHANNELS = 280, 7
# The names of groups say of which column they are. English and everyone are promised nothing, and are here
# only so that the tables below mark the channels in which they are at least half.
SHARES = {
    "language=English": 0.5,
    "language=Welsh": 0.6,
    "audience=children": 0.5,
    "audience=everyone": 0.5,
    "audience=teenagers": 0.4,
}
FIRST_DRAFT = {"language=Welsh": 3, "audience=children": 2, "audience=teenagers": 1}
SMALLEST = 25  # programmes, or a channel falls silent at night

out = Path(sys.argv[1] if len(sys.argv) > 1 else "example-output")
out.mkdir(parents=True, exist_ok=True)

# ---- the programmes --------------------------------------------------------------------------------------

random = np.random.default_rng(11)
# How much of each there is in a programme, from 0 to 10: facts, music, laughter, suspense.
genres = random.uniform(0, 10, size=(8, 4))
genre = random.integers(len(genres), size=PROGRAMMES)
features = genres[genre] + random.normal(scale=1.3, size=(PROGRAMMES, 4))
language = random.choice(["English", "Welsh"], p=[0.85, 0.15], size=PROGRAMMES)
audience = random.choice(["everyone", "children", "teenagers"], p=[0.55, 0.25, 0.2], size=PROGRAMMES)

# Two columns make overlapping groups: "language=Welsh", "audience=children" and so on. A frame of pandas or
# polars would do as well as this dict.
groups = {"language": language, "audience": audience}

alone = MiniReL(CHANNELS, beta=0, min_size=SMALLEST, random_state=0).fit(features, sensitive_features=groups)
before = audit(alone.labels_, groups, alpha=SHARES, beta=FIRST_DRAFT)
print(f"{PROGRAMMES} programmes in {CHANNELS} channels, by likeness alone:\n")
print(before)

# ---- a promise that nobody can keep ----------------------------------------------------------------------

print(f"\nThe first draft of the promise: {', '.join(f'{n} x {name}' for name, n in FIRST_DRAFT.items())}.\n")
model = MiniReL(CHANNELS, alpha=SHARES, beta=FIRST_DRAFT, min_size=SMALLEST, random_state=0)
try:
    model.fit(features, sensitive_features=groups)
except InfeasibleFairnessError as error:
    print("It cannot be kept:")
    print(fill(f"{error}.", 96, initial_indent="  ", subsequent_indent="  "))
    print(f"These are in each other's way: {', '.join(error.conflict)}.")
    print(f"The nearest that can be kept: {error.nearest}")
    # What to change is given by parameter, so it can be put into the model as it is.
    model.set_params(**error.nearest)

# ---- one that can ----------------------------------------------------------------------------------------

model.fit(features, sensitive_features=groups)
print("\nFitted with that, all else as before:\n")
print(model.audit_)
print()
held = {name: [channel for group, channel in model.prefix_ if group == name] for name in FIRST_DRAFT}
for name, channels in held.items():
    print(f"{name} holds {' and '.join(f'channel {channel}' for channel in channels)}.")
shared = set(held["language=Welsh"]) & {*held["audience=children"], *held["audience=teenagers"]}
print(f"Groups overlap, so a channel can serve two promises at once: here {len(shared)} of {CHANNELS}.")
price = model.inertia_ / alone.inertia_ - 1
print(f"The price: within a channel, programmes are {price:.0%} less alike than by likeness alone.")

# ---- to hand round ---------------------------------------------------------------------------------------

page = fit_report(model, title="Seven channels", next_clusters=next_clusters(model, features))
(out / "channels.html").write_text(page, encoding="utf-8")
with (out / "channels.csv").open("w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["programme", "language", "audience", "channel"])
    table.writerows(zip(range(PROGRAMMES), language, audience, model.labels_, strict=True))
print(f"\nWritten: channels.html and channels.csv, in {out}.")

# matplotlib is an extra, so the rest of the story must do without it.
try:
    import matplotlib
except ImportError:
    print("There is no picture, because matplotlib is not installed: pip install 'minirel[plot]'")
else:
    from minirel.plotting import RepresentationDisplay

    matplotlib.use("agg")  # draws into files, and needs no screen
    display = RepresentationDisplay.from_estimator(model)
    display.figure_.savefig(out / "channels.png", dpi=120)
    print("The picture is channels.png.")
