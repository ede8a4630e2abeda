"""Section 3.1 and appendix C: where to put the first centers."""

from paper.claims.claim import Claim, Finding, found
from paper.claims.measures import cost_ratio, finished, means, paired
from paper.data import ALL_DATA
from paper.results import Results

_WARM, _BEST_OF_100 = "k-means", "k-means, best of 100"
_COLD = ("random", "k-means++")
_SECTION, _APPENDIX = "Section 3.1", "Appendix C"
# Differences of mean iterations that are no difference: half an iteration, or two standard errors.
_SAME_ITERATIONS, _STANDARD_ERRORS = 0.5, 2.0


def _fewer(results: Results, solver: str, measure: str, digits: int) -> Finding:
    """Whether the warm start has the least mean of all but the 100 restarts, everywhere."""
    rows = finished(results.need("first_centers", solver, data=ALL_DATA, methods=(_WARM, *_COLD)))
    mean = means(rows, measure)
    lower = all(mean[data, _WARM] < mean[data, cold] for data in ALL_DATA for cold in _COLD)
    shown = "; ".join(
        f"{data}: {mean[data, _WARM]:.{digits}f} after k-means, {mean[data, _COLD[0]]:.{digits}f} from "
        f"random and {mean[data, _COLD[1]]:.{digits}f} from k-means++ centers"
        for data in ALL_DATA
    )
    return found(lower, f"Mean {measure}: {shown}.")


def _less_time(results: Results, solver: str) -> Finding:
    return _fewer(results, solver, "seconds", 3)


def _fewer_iterations(results: Results, solver: str) -> Finding:
    return _fewer(results, solver, "iterations", 1)


def _restarts_do_not_pay(results: Results, solver: str) -> Finding:
    rows = finished(results.need("first_centers", solver, data=ALL_DATA, methods=(_WARM, _BEST_OF_100)))
    mean = means(rows, "seconds")
    shown = "; ".join(
        f"{data}: {mean[data, _BEST_OF_100]:.3f} against {mean[data, _WARM]:.3f} seconds" for data in ALL_DATA
    )
    return found(
        all(mean[data, _BEST_OF_100] > mean[data, _WARM] for data in ALL_DATA),
        f"100 restarts against one, {shown}. The paper calls its difference slight.",
    )


def _same_iterations(results: Results, solver: str) -> Finding:
    rows = finished(results.need("first_centers", solver, data=ALL_DATA, methods=(_WARM, _BEST_OF_100)))
    same, shown = True, []
    for data in ALL_DATA:
        pairs = paired(rows[rows["data"] == data], "iterations", _BEST_OF_100, _WARM)
        difference = pairs["method"] - pairs["other"]
        error = difference.std(ddof=1) / len(difference) ** 0.5
        same &= bool(abs(difference.mean()) <= max(_SAME_ITERATIONS, _STANDARD_ERRORS * error))
        shown.append(f"{data}: {pairs['method'].mean():.1f} against {pairs['other'].mean():.1f}")
    return found(same, f"Mean iterations with 100 restarts against one, {'; '.join(shown)}.")


def _better_cost(results: Results, solver: str) -> Finding:
    rows = finished(results.need("first_centers", solver, data=ALL_DATA, methods=(_WARM, *_COLD)))
    ratios = {
        (data, cold): cost_ratio(rows[rows["data"] == data], _WARM, cold)
        for data in ALL_DATA
        for cold in _COLD
    }
    shown = "; ".join(f"{data}, {cold}: {ratio - 1:+.2%}" for (data, cold), ratio in ratios.items())
    return found(all(ratio < 1 for ratio in ratios.values()), f"Cost after k-means, compared with {shown}.")


CLAIMS = (
    Claim(
        name="A warm start takes less time",
        experiment="first_centers",
        place=_SECTION,
        says="Starting from the centers of k-means reduces the time, even with that of k-means counted.",
        rule="On every data set its mean time is below that of random and of k-means++ centers.",
        test=_less_time,
    ),
    Claim(
        name="A warm start takes fewer iterations",
        experiment="first_centers",
        place=_APPENDIX,
        says="Starting from the centers of k-means needs dramatically fewer iterations.",
        rule="On every data set its mean iterations are below those of random and of k-means++ centers.",
        test=_fewer_iterations,
    ),
    Claim(
        name="100 restarts do not pay",
        experiment="first_centers",
        place=_SECTION,
        says="The best of 100 runs of k-means as a start takes slightly more time in all than one run.",
        rule="On every data set its mean time is above that of one run.",
        test=_restarts_do_not_pay,
    ),
    Claim(
        name="100 restarts change no iterations",
        experiment="first_centers",
        place=_APPENDIX,
        says="Whether k-means ran once or 100 times has no effect on the iterations that follow.",
        rule="On every data set the means differ by at most half an iteration or two standard errors.",
        test=_same_iterations,
    ),
    Claim(
        name="A warm start finds better clusters",
        experiment="first_centers",
        place=_APPENDIX,
        says="Starting from the centers of k-means leads to a slightly lower cost.",
        rule="On every data set its cost is lower than from random and from k-means++ centers, in the "
        "geometric mean over K and seeds.",
        test=_better_cost,
    ),
)
