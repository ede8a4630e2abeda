"""How long the rest will take, judged by runs of the same kind."""

from collections import Counter, defaultdict
from collections.abc import Hashable

from paper.plan import Plan
from paper.run import Record, Run


class Clock:
    """Told of every run that is done, it knows what is left.

    Parameters
    ----------
    plan : Plan
        All runs.
    side_by_side : int
        How many of the runs that are not timed go on at once.
    """

    def __init__(self, plan: Plan, side_by_side: int) -> None:
        self._share = dict.fromkeys(plan.timed, 1.0) | dict.fromkeys(plan.untimed, 1 / side_by_side)
        self._left = Counter(map(_kind, self._share))
        self._share_of_kind = {_kind(run): share for run, share in self._share.items()}
        self._took: defaultdict[Hashable, list[float]] = defaultdict(list)
        self.n_runs = len(self._share)
        self.n_done = 0

    def done(self, run: Run, record: Record) -> None:
        """A run is done."""
        self.n_done += 1
        self._left[_kind(run)] -= 1
        if "seconds" in record:  # not in one that was read back from a table without times
            self._took[_kind(run)].append(float(record["seconds"]))

    def seconds_left(self) -> float | None:
        """An estimate, or None as long as no run is done."""
        if not self._took:
            return None
        every = [seconds for took in self._took.values() for seconds in took]
        typical = sum(every) / len(every)
        return sum(
            n_left * self._share_of_kind[kind] * (_mean(self._took[kind]) if kind in self._took else typical)
            for kind, n_left in self._left.items()
        )


def _kind(run: Run) -> Hashable:
    """Runs that take about as long: the number of clusters matters, the seed does not."""
    return run.data, run.sample, run.method, run.n_clusters, run.solver, run.time_limit


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
