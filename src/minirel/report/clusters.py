"""The question of what each cluster is: a picture, and what sets it apart in the data's own units."""

from collections.abc import Mapping, Sequence

import numpy as np

from minirel.outcome.audit import Audit
from minirel.outcome.plane import Plane
from minirel.outcome.profile import KNOWN, CategoricalFeature, Difference, NumericFeature, Profile
from minirel.points.numbers import amount, rough
from minirel.points.percent import percent
from minirel.points.wording import listed
from minirel.report.markup import Child, Markup, tag
from minirel.report.names import Names, name
from minirel.report.page import section
from minirel.report.picture import picture
from minirel.report.table import Cell, Head, number, table, word

QUESTION = "What is each cluster?"
_MOST_ROWS, _MOST_APART, _MOST_FEATURES, _MOST_COLUMNS = 100, 4, 200, 24
_LONGEST = 60
# Categories that are as common in a cluster as this many times elsewhere are told with that number.
_LIFT = 1.95


def clusters_are(
    place: int,
    profile: Profile | None,
    plane: Plane | None,
    result: Audit,
    groups: Names,
    served: Mapping[int, Sequence[int]],
) -> Markup:
    """A picture of the clusters, and a row for each: size, holders, what sets it apart from all points."""
    parts: list[Child] = []
    if plane is not None:
        parts.append(picture(plane, result))
    if profile is not None:
        parts += [_rows(profile, result, groups, served), _features(profile, result)]
    return section(place, QUESTION, parts)


def _rows(profile: Profile, result: Audit, groups: Names, served: Mapping[int, Sequence[int]]) -> Markup:
    total, n_clusters = float(result.sizes.sum()) or 1.0, len(result.clusters)
    largest = np.lexsort((np.arange(n_clusters), -result.sizes))[:_MOST_ROWS]
    body = []
    for k in sorted(largest.tolist()):
        size = result.sizes[k].item()
        held = [groups.short[g] for g in served.get(k, ())]
        apart = profile.apart(k, _MOST_APART)
        said = tag("ul", (tag("li", _told(each)) for each in apart), class_="apart") if apart else "–"
        body.append(
            (
                Cell(str(result.clusters[k]), float(k)),
                number(f"{amount(size)} ({percent(size / total)})", size),
                word(tag("bdi", listed(held, most=6), class_="list") if held else "–"),
                word(said),
            )
        )
    heads = [
        Head("Cluster"),
        Head("Size", True),
        Head("Set aside for", note="The groups that hold this cluster"),
        Head("What sets it apart from all points"),
    ]
    caption = (
        "The features in which each cluster differs most from all points, in the units of the data: means of "
        "numbers, shares of categories."
    )
    return table(caption, heads, body, label="Clusters in words", n_in_all=n_clusters, folded=n_clusters > 24)


def _told(each: Difference) -> Child:
    """One difference: the mean here and of all, or the share of a category here and of all."""
    if each.value is None:
        return [
            name(_clip(each.feature)),
            " ",
            tag("b", _mean(each.here, each.is_year)),
            tag("span", f" on average (all: {_mean(each.everywhere, each.is_year)})", class_="of-all"),
        ]
    lift = ""
    if each.everywhere > 0 and each.here / each.everywhere >= _LIFT:
        lift = f", {_times(each.here / each.everywhere)} times as many"
    return [
        name(_clip(f"{each.feature}: {each.value}")),
        " ",
        tag("b", percent(each.here)),
        tag("span", f" (all: {percent(each.everywhere)}{lift})", class_="of-all"),
    ]


def _mean(value: float, is_year: bool) -> str:
    return f"{value:.0f}" if is_year and np.isfinite(value) else rough(value)


def _times(lift: float) -> str:
    """Two digits, written out: 2.5, 12, 300."""
    two = float(f"{lift:.2g}")
    return f"{two:,.0f}" if two >= 10 else f"{two:g}"


def _features(profile: Profile, result: Audit) -> Markup:
    n_clusters = len(result.clusters)
    order = np.lexsort((np.arange(n_clusters), -result.sizes))[:_MOST_COLUMNS]
    shown = sorted(order.tolist())
    heads = [Head("Feature"), Head("All", True), *(Head(str(result.clusters[k]), True) for k in shown)]
    body = []
    for feature in profile.features[:_MOST_FEATURES]:
        if isinstance(feature, NumericFeature):
            body.append(
                [
                    word(name(_clip(feature.name))),
                    number(_mean(feature.mean, feature.is_year), feature.mean),
                    *(_own_mean(feature, k) for k in shown),
                ]
            )
        else:
            body.append(
                [word(name(_clip(feature.name))), *(_most_common(feature, k) for k in (None, *shown))]
            )
    caption = (
        "Every feature in every cluster: the mean of numbers, the most common category with its share in the "
        "cluster."
    )
    if len(shown) < n_clusters:
        caption += f" The {len(shown)} largest of {amount(n_clusters)} clusters are shown."
    return table(
        caption,
        heads,
        body,
        label="All features by cluster",
        n_in_all=len(profile.features),
        folded=True,
    )


def _own_mean(feature: NumericFeature, k: int) -> Cell:
    """The mean in a cluster, and how much of the cluster it rests on where that is not most of it."""
    mean = float(feature.means[k])
    known = 1.0 if feature.known is None else float(feature.known[k])
    of_few = f" ({percent(known)} known)" if 0 < known < KNOWN else ""
    return number(f"{_mean(mean, feature.is_year)}{of_few}", mean if np.isfinite(mean) else 0.0)


def _most_common(feature: CategoricalFeature, k: int | None) -> Cell:
    share = feature.share if k is None else feature.shares[k]
    if not len(share):
        return Cell("–", 0.0, "number")
    best = int(np.argmax(share))
    return Cell(
        [name(_clip(feature.values[best], 24)), f" {percent(float(share[best]))}"], float(share[best])
    )


def _clip(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
