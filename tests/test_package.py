"""What `import minirel` gives, and how little it takes."""

import json
import subprocess
import sys

import pytest

import minirel


def ran(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_is_light() -> None:
    assert ran("import sys, minirel; print({'numpy', 'sklearn', 'typing'} & set(sys.modules))") == "set()"


# One process for all that follows, because what the package needs is slow to load; it forgets the package
# before each of the orders.
FRESH = """
import json, sys
from minirel import *
import minirel
told = {"missing": [name for name in minirel.__all__ if name not in globals()]}
import minirel.estimator
told["solvers"] = sorted({"highspy", "gurobipy"} & set(sys.modules))
told["audits"] = []
for before in ("", "minirel.outcome.audit", "minirel.estimator", "minirel.plotting, minirel.report"):
    for name in [name for name in sys.modules if name.partition(".")[0] == "minirel"]:
        del sys.modules[name]
    exec(before and f"import {before}")
    exec("from minirel import audit; import minirel, minirel.outcome.audit")
    told["audits"].append(callable(audit) and audit is minirel.audit)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def fresh() -> dict[str, list[object]]:
    """What a new process finds."""
    told: dict[str, list[object]] = json.loads(ran(FRESH))
    return told


def test_audit_is_the_function_whatever_was_imported_before(fresh: dict[str, list[object]]) -> None:
    assert fresh["audits"] == [True] * 4


def test_importing_loads_no_solver(fresh: dict[str, list[object]]) -> None:
    assert fresh["solvers"] == []


def test_every_public_name_is_there(fresh: dict[str, list[object]]) -> None:
    assert set(minirel.__all__) <= set(dir(minirel))
    for name in minirel.__all__:
        assert getattr(minirel, name).__name__ == name
    assert fresh["missing"] == []


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'minirel' has no attribute 'nothing'"):
        _ = minirel.nothing  # type: ignore[attr-defined]
