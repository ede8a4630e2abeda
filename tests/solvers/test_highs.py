"""HiGHS beside OR-Tools, which brings a HiGHS library of its own: in one process, in either order."""

import subprocess
import sys
from pathlib import Path

import pytest

# `make test` installs OR-Tools here, out of sight of everything else: where it is, highspy is not used.
BESIDE = Path(sys.prefix) / "beside"

FIT = (
    "from sklearn.datasets import load_iris\n"
    "from minirel import MiniReL\n"
    "X, y = load_iris(return_X_y=True)\n"
    "model = MiniReL(6, beta=2, random_state=0).fit(X, sensitive_features=y)\n"
    "assert model.audit_.satisfied and model.status_ in ('optimal', 'within gap'), model.status_\n"
)
OTHER = (
    "from ortools.linear_solver import pywraplp\n"
    "solver = pywraplp.Solver.CreateSolver('HIGHS')\n"
    "x = solver.NumVar(0, 2, 'x')\n"
    "solver.Maximize(x)\n"
    "assert solver.Solve() == 0 and abs(x.solution_value() - 2) < 1e-6\n"
)


@pytest.mark.some(2)
@pytest.mark.skipif(not BESIDE.exists(), reason="no OR-Tools in .venv/beside: `make test` puts it there")
@pytest.mark.parametrize(
    "script",
    [OTHER + FIT, FIT + OTHER, "import minirel\n" + OTHER + FIT, OTHER + "import minirel\n"],
    ids=["after OR-Tools", "before OR-Tools", "around OR-Tools", "import only"],
)
def test_beside_or_tools(script: str) -> None:
    script = f"import sys\nsys.path.append({str(BESIDE)!r})\n{script}"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
