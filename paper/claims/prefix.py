"""Section 3.2 and appendix D: which of four ways says who holds which cluster."""

from paper.claims.claim import Claim, Finding, found
from paper.claims.measures import cost_ratio, finished, means
from paper.data import ALL_DATA, IRIS, LARGE
from paper.results import Results

_NAIVE, _LOCAL = "naive", "local cost"
_PROGRAMS = ("proportion", "weighted proportion", _LOCAL)
_SECTION, _APPENDIX = "Section 3.2", "Appendix D"
# "Little impact", "substantially fewer", "relatively small difference" in numbers.
_LITTLE, _SUBSTANTIALLY, _SMALL, _SMALL_COST = 0.25, 0.8, 1.25, 1.02
_PAPERS_SPEED_UP = 3.0


def _against_naive(results: Results, solver: str, data: tuple[str, ...], measure: str) -> dict[str, float]:
    """The mean of a measure with each small program over that of the naive choice."""
    rows = finished(
        results.need("prefix_costs", solver, data=data, methods=(_NAIVE, *_PROGRAMS), all_points=True)
    )
    mean = means(rows, measure)
    return {
        f"{name}, {program}": mean[name, program] / mean[name, _NAIVE]
        for name in data
        for program in _PROGRAMS
    }


def _times(ratios: dict[str, float], measure: str) -> str:
    return f"Mean {measure} over those of the naive choice: " + "; ".join(
        f"{name} {ratio:.2f}" for name, ratio in ratios.items()
    )


def _small_program(results: Results, solver: str) -> Finding:
    rows = results.need("prefix_costs", solver, data=ALL_DATA, methods=_PROGRAMS, all_points=True)
    longest = rows["prefix_seconds"].max()
    return found(
        longest < 1, f"The longest of {len(rows):,} took {longest:.2f} seconds, the costs of claims included."
    )


def _little_on_iris(results: Results, solver: str) -> Finding:
    ratios = _against_naive(results, solver, (IRIS,), "seconds")
    return found(all(abs(ratio - 1) <= _LITTLE for ratio in ratios.values()), f"{_times(ratios, 'seconds')}.")


def _faster(results: Results, solver: str) -> Finding:
    ratios = _against_naive(results, solver, LARGE, "seconds")
    return found(all(ratio < 1 for ratio in ratios.values()), f"{_times(ratios, 'seconds')}.")


def _three_times_faster(results: Results, solver: str) -> Finding:
    rows = finished(results.need("prefix_costs", solver, data=LARGE, all_points=True))
    mean = rows.groupby(["data", "n_clusters", "method"])["seconds"].mean().unstack("method")
    speed_up = mean[_NAIVE] / mean[list(_PROGRAMS)].min(axis=1)
    data, n_clusters = speed_up.idxmax()
    return found(
        bool(speed_up.max() >= _PAPERS_SPEED_UP),
        f"The largest speed-up of a mean over seeds is {speed_up.max():.2f} ({data}, K={n_clusters}).",
    )


def _objectives_alike(results: Results, solver: str) -> Finding:
    rows = finished(results.need("prefix_costs", solver, data=LARGE, methods=_PROGRAMS, all_points=True))
    mean = means(rows, "seconds")
    alike, shown = True, []
    for data in LARGE:
        seconds = mean[data]
        costs = [cost_ratio(rows[rows["data"] == data], program, _LOCAL) for program in _PROGRAMS]
        alike &= bool(seconds.max() / seconds.min() <= _SMALL) and max(costs) / min(costs) <= _SMALL_COST
        shown.append(
            f"{data}: slowest over quickest {seconds.max() / seconds.min():.2f}, dearest over cheapest "
            f"{max(costs) / min(costs):.3f}"
        )
    return found(alike, f"{'; '.join(shown)}.".capitalize())


def _fewer_iterations(results: Results, solver: str) -> Finding:
    ratios = _against_naive(results, solver, LARGE, "iterations")
    return found(
        all(ratio <= _SUBSTANTIALLY for ratio in ratios.values()), f"{_times(ratios, 'iterations')}."
    )


def _same_iterations_on_iris(results: Results, solver: str) -> Finding:
    ratios = _against_naive(results, solver, (IRIS,), "iterations")
    return found(
        all(abs(ratio - 1) <= _LITTLE for ratio in ratios.values()), f"{_times(ratios, 'iterations')}."
    )


def _better_cost(results: Results, solver: str) -> Finding:
    rows = finished(results.need("prefix_costs", solver, data=LARGE, all_points=True))
    ratios = {
        f"{data}, {program}": cost_ratio(rows[rows["data"] == data], program, _NAIVE)
        for data in LARGE
        for program in _PROGRAMS
    }
    shown = "; ".join(f"{name} {ratio - 1:+.2%}" for name, ratio in ratios.items())
    return found(
        all(ratio < 1 for ratio in ratios.values()), f"Cost compared with the naive choice: {shown}."
    )


CLAIMS = (
    Claim(
        name="The small program takes no time",
        experiment="prefix_costs",
        place=_SECTION,
        says="Choosing the holders by integer program took under a second in all instances.",
        rule="It took less than a second in every run.",
        test=_small_program,
    ),
    Claim(
        name="On iris the choice of holders does not change the time",
        experiment="prefix_costs",
        place=_SECTION,
        says="On the small iris data the way of choosing has little effect on the time.",
        rule=f"Mean times of the three programs are within {_LITTLE:.0%} of that of the naive choice.",
        test=_little_on_iris,
    ),
    Claim(
        name="The program beats the naive choice on the large data",
        experiment="prefix_costs",
        place=_SECTION,
        says="On Adult and default, choosing by integer program is faster than choosing at random.",
        rule="On both, the mean time with each of the three costs is below that of the naive choice.",
        test=_faster,
    ),
    Claim(
        name="It is up to three times faster",
        experiment="prefix_costs",
        place=_SECTION,
        says="The speed-up over the naive choice is as large as threefold.",
        rule="For some data set and K the naive choice takes at least three times as long, in the mean.",
        test=_three_times_faster,
    ),
    Claim(
        name="The choice among the three costs hardly matters",
        experiment="prefix_costs",
        place=_SECTION,
        says="Proportion, weighted proportion and local cost differ little in time, and in clustering cost.",
        rule=f"On Adult and default the slowest takes at most {_SMALL:g} times as long as the quickest, and "
        f"the dearest clusters cost at most {_SMALL_COST - 1:.0%} more than the cheapest.",
        test=_objectives_alike,
    ),
    Claim(
        name="The program saves iterations on the large data",
        experiment="prefix_costs",
        place=_APPENDIX,
        says="On Adult and default each of the three costs needs substantially fewer iterations than the "
        "naive choice.",
        rule=f"Mean iterations are at most {_SUBSTANTIALLY:.0%} of those of the naive choice.",
        test=_fewer_iterations,
    ),
    Claim(
        name="On iris the choice of holders does not change the iterations",
        experiment="prefix_costs",
        place=_APPENDIX,
        says="On iris the way of choosing has practically no effect on the iterations.",
        rule=f"Mean iterations of the three programs are within {_LITTLE:.0%} of those of the naive choice.",
        test=_same_iterations_on_iris,
    ),
    Claim(
        name="The program finds better clusters on the large data",
        experiment="prefix_costs",
        place=_APPENDIX,
        says="On Adult and default the integer program leads to a slightly lower cost than the naive choice.",
        rule="On both, the cost with each of the three is lower, in the geometric mean over K and seeds.",
        test=_better_cost,
    ),
)
