"""How to repeat it: the command, the conditions, and the files."""

from collections.abc import Mapping

from minirel.report.markup import Child, tag
from minirel.report.table import facts, paragraph
from paper.results import Results


def repeat(results: Results, conditions: Mapping[str, object], command: str) -> list[Child]:
    """All that another machine needs."""
    names = [f"{experiment.name}.csv" for experiment in results.plan.experiments]
    files = [[", " if i else "", tag("code", name)] for i, name in enumerate(names)]
    rows: list[tuple[Child, Child]] = [("Command", tag("code", command))]
    rows += [(str(name), str(value)) for name, value in conditions.items()]
    rows.append(("Tables, one row per run", files))
    return [
        paragraph(
            "With the same versions and data, costs come out the same up to rounding, except where a time "
            "limit stopped a run. Seconds do not: they depend on the machine."
        ),
        facts(rows),
    ]
