"""`Frontier`: requests, what each costs, and which are worth a look."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from minirel.estimator import MiniReL
from minirel.frontiers.asked import VARIED, is_as_strict
from minirel.frontiers.choose_k import choose_k
from minirel.frontiers.rows import Rows
from minirel.frontiers.wording import price_in_words, value_in_words
from minirel.outcome.audit import Audit
from minirel.outcome.frame import frame
from minirel.points.errors import InfeasibleFairnessError, ParameterValueError
from minirel.points.glance import glance
from minirel.points.wording import counted
from minirel.promises.exact import exact, whole
from minirel.promises.limits import read_time_limit
from minirel.solvers.limits import Deadline


class Frontier(Rows):
    """What each of many requests costs; made by `frontier`.

    Attributes
    ----------
    requests : list of Asked
        The requests, in the order of the rows.
    stop : {"done", "time_limit", "callback", "interrupted"}
        Why it ended.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from minirel import frontier
    >>> X, species = load_iris(return_X_y=True)
    >>> found = frontier(X, species, n_clusters=[3, 4], beta=[1, 2], random_state=0)
    >>> found
    <Frontier: 4 requests, 2 feasible>
    >>> found.to_frame()[["n_clusters", "beta", "feasible"]]
       n_clusters  beta  feasible
    0           3     1      True
    1           3     2     False
    2           4     1      True
    3           4     2     False
    """

    def __repr__(self) -> str:
        n_feasible = sum(found is not None for found in map(self._found, range(len(self))))
        open_ = "" if self.stop == "done" else f", stopped: {self.stop}"
        return f"<Frontier: {counted(len(self), 'request')}, {n_feasible} feasible{open_}>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        names = [name for name in ("n_clusters", "alpha", "beta", "max_share") if name in columns]
        rows = [
            [str(i), *(value_in_words(name, columns[name][i]) for name in names), self._price_in_words(i)]
            for i in range(len(self))
        ]
        n_kept = sum(self.clustering(i) is not None for i in range(len(self)))
        verdict = f"{n_kept} of {counted(len(self), 'request')} can be kept."
        heads = ["row", "K", "share", "clusters promised", "largest share"][: len(names) + 1]
        notes = ["Prices are over plain k-means with as many clusters."]
        return str(glance(verdict, [*heads, "price"], rows, notes))

    def _price_in_words(self, i: int) -> str:
        if self.clustering(i) is None:
            return "open" if self.nearest(i) is None else "cannot be kept"
        return price_in_words(self.price(i))

    def to_frame(self) -> Any:
        """Lay the requests out as a table.

        Returns
        -------
        pandas.DataFrame or dict of list
            One row per request: `n_clusters`, `alpha`, `beta` and, if it was given, `max_share` as asked;
            `feasible` (None if it is open) and `why` not; `cost`, `price` (the share by which it is dearer
            than plain k-means with as many clusters), `lower_bound`, `gap` and `status` as of the fit;
            `kmeans_cost`; `least_size`, the weight of the smallest cluster; `moved`, the share of points
            that are not with their nearest center; `promised` and `represented`, clusters by group;
            `nearest`, what to change for the nearest request that can be met; `dominated`, whether another
            row promises more and costs no more; and `knee`, whether it is the last promise of its curve (over
            `beta`) before the price turns up. Without pandas, a dict of the columns.
        """
        return _as_asked(self.columns())

    def within(self, budget: float) -> Any:
        """The promises that can be had for a budget, and that no other such promise betters.

        A request betters another with as many clusters if it promises at least as much to every group, and
        more to one.

        Parameters
        ----------
        budget : float
            What it may cost more than plain k-means with as many clusters, as a share: 0.02 is 2%.

        Returns
        -------
        pandas.DataFrame or dict of list
            Those rows of `to_frame`.
        """
        kept = self.best_within(budget)
        columns = self.columns()
        table = _as_asked({name: [column[i] for i in kept] for name, column in columns.items()})
        if hasattr(table, "index"):
            table.index = kept
        return table

    def best_within(self, budget: float) -> list[int]:
        """The rows of `within`, by number."""
        most = read_budget(budget)
        rows = [i for i in range(len(self)) if self.price(i) <= most]

        def betters(i: int, j: int) -> bool:
            one, other = self.requests[i], self.requests[j]
            if not is_as_strict(one, other):
                return False
            return i < j or not is_as_strict(other, one)  # of two that mean the same, the first

        return [j for j in rows if not any(i != j and betters(i, j) for i in rows)]

    def best_beta(self, group: Hashable, budget: float) -> Any:
        """The most clusters that a group can be promised for a budget.

        Parameters
        ----------
        group : hashable
            Name of the group.
        budget : float
            What it may cost more than plain k-means with as many clusters, as a share.

        Returns
        -------
        pandas.DataFrame or dict of list
            For each number of clusters and each share that was asked for the group, a row with `n_clusters`,
            `alpha`, `beta` (the clusters of the group; 0 if nothing can be promised), the `row` of the
            cheapest request with it, and its `price`. Only requests of this frontier are compared.
        """
        most, g = read_budget(budget), self._fits.groups.index(group, "group")
        best: dict[tuple[int, float], tuple[int, float, int | None]] = {}
        for i, one in enumerate(self.requests):
            if one.request is None or one.fairness.beta[g] == 0:
                continue
            key = (one.n_clusters, float(one.fairness.alpha[g]))
            known = best.setdefault(key, (0, 0.0, None))
            n, price = one.fairness.beta[g], self.price(i)
            if price <= most and (n, -price) > (known[0], -known[1]):
                best[key] = (n, price, i)
        return frame(
            {
                "n_clusters": [n_clusters for n_clusters, _ in best],
                "alpha": [share for _, share in best],
                "beta": [n for n, _, _ in best.values()],
                "price": [np.nan if row is None else price for _, price, row in best.values()],
                "row": [row for _, _, row in best.values()],
            }
        )

    def choose_k(
        self,
        *,
        alpha: Any = None,
        beta: Any = None,
        n_seeds: int = 3,
        n_sample: int = 1000,
        time_limit: float | None = None,
    ) -> Any:
        """What speaks for each number of clusters, beside each other and without a verdict.

        Parameters
        ----------
        alpha, beta : optional
            The request to compare, of those that were asked for; by default the first of each.
        n_seeds : int, default=3
            Other seeds to fit with. That is `n_seeds` fits with and without promises for each number.
        n_sample : int, default=1000
            Points on which silhouettes are measured.
        time_limit : float, optional
            Seconds for these fits; that of the frontier is over.

        Returns
        -------
        pandas.DataFrame or dict of list
            For each number of clusters: `alpha` and `beta`; `kmeans_cost`; `feasible`, `price` and
            `least_size` of the request; `stability`, how alike the clusters of different seeds are (mean
            adjusted Rand index, 1 is the same), and `silhouette` on a sample, each for the request and
            (`kmeans_...`) for plain k-means. Stability is NaN where a limit or an interrupt cut one of the
            fits short.
        """
        deadline = Deadline(read_time_limit(time_limit))
        return frame(choose_k(self, self._fits, alpha, beta, n_seeds, n_sample, deadline))

    def model(self, i: int) -> MiniReL:
        """The fitted estimator of a row.

        Parameters
        ----------
        i : int
            Row of `to_frame`.

        Returns
        -------
        MiniReL
            As `fit` would have left it, with the labels, centers, holders and proof of this row. Its labels
            are verified once more.

        Raises
        ------
        InfeasibleFairnessError
            If the request cannot be kept.
        """
        row = self._row(i)
        found, outcome = self._found(row), self._outcome(row)
        if isinstance(outcome, InfeasibleFairnessError):
            raise outcome
        if found is None:
            rule, way_out = "must be a row with an answer", "make the frontier again with more time"
            raise ParameterValueError("i", rule, i, way_out, found=f"is {i}, which has none")
        one = self.requests[row]
        return self._fits.rebuilt(one, found, self._plain.get(one.n_clusters))

    def audit(self, i: int) -> Audit | None:
        """Who is represented where in a row, counted from its labels; None if it has no answer."""
        return self._audits[self._row(i)]

    def python(self, i: int) -> list[str]:
        """Lines of Python that fit a row alone, for points `X` and groups `sensitive_features`."""
        return self._fits.python(self.requests[self._row(i)])

    def _row(self, i: object) -> int:
        row = whole(i, "i", "the number of a row")
        if not -len(self) <= row < len(self):
            raise ParameterValueError("i", f"must be a row from 0 to {len(self) - 1}", i)
        return row % len(self)


def _as_asked(columns: dict[str, list[Any]]) -> Any:
    """A frame in which None is what was asked, and no missing number."""
    table = frame(columns)
    for name in VARIED if hasattr(table, "index") else ():
        if name in columns and any(value is None for value in columns[name]):
            table[name] = type(table[name])(columns[name], dtype=object)
    return table


def read_budget(budget: object) -> float:
    """Validate a share of extra cost."""
    rule = "a share of at least 0, such as 0.02 for 2%"
    number = exact(budget, "budget", rule)
    if number < 0:
        raise ParameterValueError("budget", f"must be {rule}", budget)
    return float(number)
