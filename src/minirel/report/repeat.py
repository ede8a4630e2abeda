"""The question of whether it can be repeated."""

import hashlib
import inspect
import platform
from collections.abc import Hashable, Mapping
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from minirel import __version__
from minirel.clustering.initialise import KMeansStart
from minirel.estimator import MiniReL
from minirel.points.numbers import amount, rough
from minirel.report.markup import Child, Markup, tag
from minirel.report.names import name
from minirel.report.page import section
from minirel.report.source import Source
from minirel.report.table import Cell, Head, facts, paragraph, table, word

QUESTION = "Can I repeat it?"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "highspy")
_MOST_COLUMNS = 200
_LONGEST_VALUE = 1000
_STOPPED = {
    "time_limit": "the clock stopped it",
    "callback": "a callback stopped it",
    "interrupted": "it was interrupted",
}


def stopped_in_words(stop: str) -> str:
    """That the work ended where it may not end again; "" if it came to its end."""
    return f"{_STOPPED[stop]}, which may be elsewhere on another machine or day" if stop in _STOPPED else ""


def repeat_fit(place: int, model: MiniReL, source: Source | None) -> Markup:
    """Data, versions and every parameter of a fit."""
    seed, result = model.random_state, model.result_
    is_cut = result.status == "time limit" and result.stop not in _STOPPED
    stopped = stopped_in_words("time_limit" if is_cut else result.stop)
    if isinstance(seed, int | np.integer) and stopped:
        answer = (
            f"Not exactly: {stopped}, with other clusters. Without that, the same data, parameters and "
            "versions give the same clusters."
        )
    elif isinstance(seed, int | np.integer):
        answer = "Yes: the same data, parameters and versions give the same clusters."
    elif seed is None:
        answer = (
            "Not exactly: no seed was given, so another run may draw other first centers. Give random_state "
            "a whole number for that."
        )
    else:
        answer = "Only with the same state of the random generator: give random_state a whole number instead."
    digest = hashlib.sha256(np.ascontiguousarray(model.labels_, dtype="<i8").tobytes()).hexdigest()
    answers: list[tuple[Child, Child]] = [("Fingerprint of the answer", tag("code", digest[:16]))]
    return section(
        place,
        QUESTION,
        paragraph(answer, class_="answer"),
        _data(source, answers),
        _parameters(model, source),
        _columns(source),
    )


def repeat_audit(place: int, source: Source | None) -> Markup:
    """Data and versions of an audit."""
    answer = "Yes: an audit only counts, so the same data gives the same page."
    return section(place, QUESTION, paragraph(answer, class_="answer"), _data(source, []), _columns(source))


def origin(source: Source | None) -> list[tuple[Child, Child]]:
    """The data, the command and the time it took, as far as they are known."""
    if source is None:
        return []
    rows: list[tuple[Child, Child]] = [
        ("Data", name(source.name)),
        ("Its size", f"{amount(source.n_rows, 'row')}, {amount(source.n_columns, 'column')}"),
        ("Its fingerprint", tag("code", source.fingerprint)),
        ("Command", tag("code", source.command)),
    ]
    if source.seconds is not None:
        rows.append(("Time it took", f"{rough(source.seconds)} seconds"))
    return rows


def _data(source: Source | None, answers: list[tuple[Child, Child]]) -> list[Markup]:
    versions = [f"Python {platform.python_version()}"]
    for library in _LIBRARIES:
        try:
            versions.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            continue
    rows = origin(source)
    rows += [*answers, ("minirel", __version__), ("Made with", ", ".join(versions))]
    told = [] if source is not None else [paragraph("The report was not told where its data came from.")]
    return [*told, facts(rows)]


def _parameters(model: MiniReL, source: Source | None) -> Markup:
    defaults = inspect.signature(type(model)).parameters
    rows = []
    for parameter, value in model.get_params(deep=False).items():
        default = defaults[parameter].default if parameter in defaults else inspect.Parameter.empty
        if parameter == "missing" and source is not None and source.missing:
            # Then nothing was missing any more when the model was fitted.
            rows.append((word(tag("code", parameter)), word(tag("code", source.missing)), word("chosen")))
            continue
        rows.append(
            (
                word(tag("code", parameter)),
                word(tag("code", described(value))),
                word("default" if type(value) is type(default) and _same(value, default) else "chosen"),
            )
        )
    heads = [Head("Parameter"), Head("Value"), Head("Set by")]
    return table("All the parameters of MiniReL.", heads, rows, label="Parameters", folded=True)


def _columns(source: Source | None) -> Markup | None:
    if source is None or not source.columns:
        return None
    rows = [(Cell(name(column)), word(name(use))) for column, use in source.columns[:_MOST_COLUMNS]]
    return table(
        "The columns of the data and how they were used.",
        [Head("Column"), Head("Used as")],
        rows,
        label="Columns",
        n_in_all=len(source.columns),
        folded=True,
    )


def described(value: object) -> str:
    """A parameter's value, without anything that changes from run to run, such as an address in memory."""
    if isinstance(value, KMeansStart):
        return repr(value)
    if isinstance(value, Mapping):
        said = "{" + ", ".join(f"{_plain(key)}: {described(each)}" for key, each in value.items()) + "}"
    elif isinstance(value, list | tuple | set | frozenset):
        parts = [described(each) for each in value]
        said = "[" + ", ".join(sorted(parts) if isinstance(value, set | frozenset) else parts) + "]"
    elif isinstance(value, np.ndarray) and value.dtype != object:
        shape = " × ".join(map(str, value.shape))
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        said = f"array of {shape} {value.dtype} values, fingerprint {digest[:16]}"
    elif callable(value) and hasattr(value, "__qualname__"):
        said = f"function {value.__module__}.{value.__qualname__}"
    elif isinstance(value, np.random.RandomState):
        said = "a RandomState"
    else:
        said = _plain(value)
    return said if len(said) <= _LONGEST_VALUE else f"{said[:_LONGEST_VALUE]}… ({len(said):,} characters)"


def _plain(value: object) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    said = repr(value)
    return type(value).__name__ if " at 0x" in said and not isinstance(value, str | bytes) else said


def _same(value: Hashable, default: Hashable) -> bool:
    return isinstance(value, str | int | float | None) and value == default
