"""What `import minirel` gives, and how little it takes."""

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


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import minirel.outcome.audit",
        "import minirel.estimator",
        "import minirel.plotting, minirel.report",
    ],
)
def test_audit_is_the_function_whatever_was_imported_before(before: str) -> None:
    code = f"{before}\nfrom minirel import audit\nimport minirel, minirel.outcome.audit\n"
    assert ran(f"{code}print(callable(audit) and audit is minirel.audit)") == "True"


def test_every_public_name_is_there() -> None:
    assert set(minirel.__all__) <= set(dir(minirel))
    for name in minirel.__all__:
        assert getattr(minirel, name).__name__ == name
    code = "from minirel import *\nimport minirel\nprint(all(name in globals() for name in minirel.__all__))"
    assert ran(code) == "True"


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'minirel' has no attribute 'nothing'"):
        _ = minirel.nothing  # type: ignore[attr-defined]
