"""The checks of `make lint`, as tests, so that whoever runs the tests has run them.

Where the tools are not installed (``pip install 'minirel[lint]'``) they are skipped.
"""

import subprocess
from pathlib import Path
from shutil import which
from sysconfig import get_path

import pytest

ROOT = Path(__file__).parents[1]
CHECKS = {
    "rules": ("ruff", "check"),
    "format": ("ruff", "format", "--check"),
    "types": ("mypy",),
    "layers": ("lint-imports", "--no-logo"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_lint(check: str) -> None:
    tool, *options = CHECKS[check]
    program = which(tool, path=get_path("scripts"))
    if program is None:
        pytest.skip(f"{tool} is not installed: pip install 'minirel[lint]'")
    done = subprocess.run([program, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        pytest.fail(f"{tool} {' '.join(options)}\n{done.stdout.decode(errors='replace')}", pytrace=False)
