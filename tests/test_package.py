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


def test_audit_is_the_function_whatever_was_imported_before() -> None:
    # In one process that forgets the package each time, because what it needs is slow to load.
    code = (
        "import sys\n"
        "orders = '', 'minirel.outcome.audit', 'minirel.estimator', 'minirel.plotting, minirel.report'\n"
        "for before in orders:\n"
        "    for name in [name for name in sys.modules if name.partition('.')[0] == 'minirel']:\n"
        "        del sys.modules[name]\n"
        "    exec(before and f'import {before}')\n"
        "    exec('from minirel import audit; import minirel, minirel.outcome.audit')\n"
        "    print(callable(audit) and audit is minirel.audit)\n"
    )
    assert ran(code).split() == ["True"] * 4


def test_every_public_name_is_there() -> None:
    assert set(minirel.__all__) <= set(dir(minirel))
    for name in minirel.__all__:
        assert getattr(minirel, name).__name__ == name
    code = "from minirel import *\nimport minirel\nprint(all(name in globals() for name in minirel.__all__))"
    assert ran(code) == "True"


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'minirel' has no attribute 'nothing'"):
        _ = minirel.nothing  # type: ignore[attr-defined]
