"""The search of a frontier: k-means, then every request, then what neighbours have found."""

from dataclasses import dataclass
from functools import partial

from minirel.clustering.known import Known
from minirel.frontiers.asked import Asked, is_as_strict
from minirel.frontiers.fits import Fits, from_starts
from minirel.frontiers.found import Found, cheapest
from minirel.frontiers.log import digest
from minirel.frontiers.wording import as_typed
from minirel.frontiers.work import Outcome, Work
from minirel.points.errors import InfeasibleFairnessError

# The share by which a promise must cost more than a laxer one for the centers of the laxer one to be tried.
_MUCH = 0.02


@dataclass(frozen=True, eq=False)
class Table:
    """What came of it: k-means by number of clusters, and each request by its key."""

    plain: dict[int, Found]
    answers: dict[str, Outcome]


def search(fits: Fits, asked: list[Asked], work: Work) -> Table:
    """Fit every request, so that none that asks for less costs more.

    The starts of k-means are made once for each number of clusters. Where a clustering that was found for one
    request keeps another as well, and is cheaper, the other goes on from there, with its centers, holders and
    prices, and with a proof of its own. Requests take their turn from the strictest to the laxest; k-means is
    the last. Where a promise costs much more than a laxer one, the centers of that are tried as well.
    """
    requests = {one.key: one for one in asked if one.request is not None}
    levels = _levels(requests)
    table = Table({}, {})
    with work.interruptible():
        _fit_each(fits, requests, table, work)
        _share(fits, requests, levels, table, work)
        if fits.shares_starts and _try_neighbours(fits, requests, levels, table.answers, work):
            _share(fits, requests, levels, table, work)
    if work.stop == "interrupted":  # perhaps between two fits: what is known is shared all the same
        _share(fits, requests, levels, table, work)
    for n_clusters in table.plain:
        table.plain[n_clusters] = _cheaper_plain(fits, n_clusters, table, requests, work)
    return table


def _fit_each(fits: Fits, requests: dict[str, Asked], table: Table, work: Work) -> None:
    """K-means for each number of clusters, and from there each request on its own."""
    numbers = sorted({one.n_clusters for one in requests.values()})
    has_swaps = fits.shares_starts and fits.template.n_swaps > 0
    work.expect(len(numbers) * (len(fits.seeds) + has_swaps) + len(requests))
    starts = _starts(fits, numbers, work)
    table.plain.update({n_clusters: cheapest(found) for n_clusters, found in starts.items()})
    if has_swaps:
        table.plain.update(_with_swaps(fits, table.plain, work))
    made = work.run(
        {
            f"fit {key}": (
                in_words(one),
                partial(from_starts, fits, one, starts[one.n_clusters], table.plain[one.n_clusters]),
            )
            for key, one in requests.items()
            if one.n_clusters in table.plain
        }
    )
    table.answers.update({key: made[f"fit {key}"] for key in requests if f"fit {key}" in made})


def _share(fits: Fits, requests: dict[str, Asked], levels: list[list[str]], table: Table, work: Work) -> None:
    """Let what was found for one request serve others that it keeps, from the strictest to the laxest."""
    for level in levels:
        _go_on(fits, requests, level, table.answers, work)


def _starts(fits: Fits, numbers: list[int], work: Work) -> dict[int, list[Found]]:
    """The starts of k-means for each number of clusters; those that were reached."""
    made = work.run(
        {
            f"start {n_clusters} {seed}": (
                f"k-means, K={n_clusters}",
                partial(fits.k_means, n_clusters, seed=seed),
            )
            for n_clusters in numbers
            for seed in fits.seeds
        }
    )
    starts: dict[int, list[Found]] = {}
    for n_clusters in numbers:
        for seed in fits.seeds:
            found = made.get(f"start {n_clusters} {seed}")
            if isinstance(found, Found):
                starts.setdefault(n_clusters, []).append(found)
    return starts


def _with_swaps(fits: Fits, best: dict[int, Found], work: Work) -> dict[int, Found]:
    """K-means after as many swaps as each request has; those that were reached."""
    made = work.run(
        {
            f"swaps {n_clusters}": (
                f"k-means, K={n_clusters}, swaps",
                partial(fits.k_means, n_clusters, _unpromised(found), n_swaps=fits.template.n_swaps),
            )
            for n_clusters, found in best.items()
        }
    )
    outcomes = {n_clusters: made.get(f"swaps {n_clusters}") for n_clusters in best}
    return {n_clusters: found for n_clusters, found in outcomes.items() if isinstance(found, Found)}


def _levels(requests: dict[str, Asked]) -> list[list[str]]:
    """The requests from strict to lax: each after all that are stricter.

    What is stricter than a request has fewer that are stricter, so that their number is an order.
    """
    levels: dict[int, list[str]] = {}
    for key, one in requests.items():
        n_stricter = sum(key != other and is_as_strict(asked, one) for other, asked in requests.items())
        levels.setdefault(n_stricter, []).append(key)
    return [levels[number] for number in sorted(levels)]


def _go_on(
    fits: Fits, requests: dict[str, Asked], level: list[str], answers: dict[str, Outcome], work: Work
) -> None:
    """Let each request of a level go on from the cheapest clustering that keeps it, unless it is its own."""
    better = {}
    for key in level:
        if isinstance(answers.get(key), InfeasibleFairnessError):
            continue
        found = _cheapest_that_keeps(fits, requests[key], key, answers, requests)
        if found is not None:
            better[key] = found
    if work.is_over():
        for key, found in better.items():
            answers[key] = fits.fair(requests[key], found.without_proof(work.end))
        return
    work.expect(len(better))
    steps = {
        f"go on {key} {_digest(found)}": (
            f"{in_words(requests[key])}, from a neighbour",
            partial(_from_neighbour, fits, requests[key], found),
        )
        for key, found in better.items()
    }
    made = work.run(steps)
    for key, found in better.items():
        outcome = made.get(f"go on {key} {_digest(found)}")
        if not isinstance(outcome, Found) or outcome.cost > found.cost:
            outcome = fits.fair(requests[key], found.without_proof(work.end))
        answers[key] = outcome


def _try_neighbours(
    fits: Fits, requests: dict[str, Asked], levels: list[list[str]], answers: dict[str, Outcome], work: Work
) -> bool:
    """Start requests that cost much more than laxer ones from their centers; whether that paid."""
    paid = False
    for level in reversed(levels):
        if work.is_over():
            break
        starts = {key: _dearest_laxer(key, requests, answers) for key in level}
        tries = {
            key: (f"start {key} {_digest(start)}", start)
            for key, start in starts.items()
            if start is not None
        }
        work.expect(len(tries))
        made = work.run(
            {
                name: (
                    f"{in_words(requests[key])}, from a neighbour's centers",
                    partial(fits.fair, requests[key], Known(start.centers)),
                )
                for key, (name, start) in tries.items()
            }
        )
        for key, (name, _) in tries.items():
            found, own = made.get(name), answers[key]
            if isinstance(found, Found) and isinstance(own, Found) and found.cost < own.cost:
                answers[key], paid = found, True
    return paid


def _dearest_laxer(key: str, requests: dict[str, Asked], answers: dict[str, Outcome]) -> Found | None:
    """The dearest of the laxer requests, if this one costs much more; None if not."""
    own = answers.get(key)
    if not isinstance(own, Found):
        return None
    laxer = [
        found
        for other, found in answers.items()
        if other != key and isinstance(found, Found) and is_as_strict(requests[key], requests[other])
    ]
    if not laxer:
        return None
    dearest = max(laxer, key=lambda found: found.cost)
    return dearest if own.cost > dearest.cost * (1 + _MUCH) else None


def _cheapest_that_keeps(
    fits: Fits, asked: Asked, own: str, answers: dict[str, Outcome], requests: dict[str, Asked]
) -> Found | None:
    """The cheapest clustering of another request that keeps this one and costs less than its own."""
    mine = answers.get(own)
    most = mine.cost if isinstance(mine, Found) else float("inf")
    others = sorted(
        (
            (found.cost, key, found)
            for key, found in answers.items()
            if isinstance(found, Found) and found.cost < most and requests[key].n_clusters == asked.n_clusters
        ),
        key=lambda other: other[:2],
    )
    return next((found for _, _, found in others if fits.keeps(found, asked)), None)


def _from_neighbour(fits: Fits, asked: Asked, found: Found) -> Found:
    return fits.fair(asked, found.as_start())


def _cheaper_plain(
    fits: Fits, n_clusters: int, table: Table, requests: dict[str, Asked], work: Work
) -> Found:
    """K-means, from the cheapest clustering of all if that is one with promises."""
    of_requests = [
        found
        for key, found in table.answers.items()
        if requests[key].n_clusters == n_clusters and isinstance(found, Found)
    ]
    if not of_requests or cheapest(of_requests).cost >= table.plain[n_clusters].cost:
        return table.plain[n_clusters]
    found = cheapest(of_requests)
    key = f"k-means {n_clusters} {_digest(found)}"
    work.expect(1)
    made = work.run(
        {key: (f"k-means, K={n_clusters}, again", partial(fits.k_means, n_clusters, _unpromised(found)))}
    )
    outcome = made.get(key)
    if isinstance(outcome, Found) and outcome.cost <= found.cost:
        return outcome
    return fits.k_means(n_clusters, found.without_proof(work.end))


def _unpromised(found: Found) -> Known:
    """A clustering as a start without promises."""
    return Known(found.centers, found.labels)


def _digest(found: Found) -> str:
    return digest(found.centers, found.labels)[:16]


def in_words(asked: Asked) -> str:
    """A request in a few words."""
    said = [f"K={asked.n_clusters}"]
    for name in ("alpha", "beta", "max_share"):
        if asked.values.get(name) is not None:
            said.append(f"{name}={as_typed(asked.values[name])}")
    return ", ".join(said)
