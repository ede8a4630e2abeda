"""The same answers with kernels, instructions and threads of other machines, each in its own process."""

import json
from pathlib import Path
from typing import Any

import pytest
from joblib import effective_n_jobs

from machine_settings import kernels, start, together
from on_a_machine import CHECKS, ESTIMATORS

SCRIPT = Path(__file__).with_name("on_a_machine.py")
SETTINGS = together()


@pytest.fixture(scope="module")
def machines() -> dict[str, Any]:
    """What each of them says."""
    processes = {name: start(setting, "-W", "error", str(SCRIPT)) for name, setting in SETTINGS.items()}
    told = {}
    for name, process in processes.items():
        stdout, stderr = process.communicate(timeout=300)
        assert process.returncode == 0, f"{name}: {stderr}"
        told[name] = json.loads(stdout)
    return told


def test_settings_have_an_effect(machines: dict[str, Any]) -> None:
    for name, setting in SETTINGS.items():
        told = machines[name]
        assert not set(told["instructions"]) & set(setting.get("NPY_DISABLE_CPU_FEATURES", "").split())
        assert told["threads"] == min(int(setting["OMP_NUM_THREADS"]), effective_n_jobs(-1))
    if not any(told["kernels"] for told in machines.values()) or len(kernels()) < 2:
        pytest.skip("no other processor can be played here: only the number of threads differs")
    # OpenBLAS has one kernel for several processors.
    assert len({kernel for told in machines.values() for kernel in told["kernels"]}) > 1


def test_scikit_learn_and_brute_force_are_content_everywhere(machines: dict[str, Any]) -> None:
    for name, told in machines.items():
        assert told["n_checked"] > len(CHECKS) * (len(ESTIMATORS) - 1)
        assert not told["failures"], f"{name}: " + "\n".join(told["failures"].values())


def test_labels_are_the_same_everywhere(machines: dict[str, Any]) -> None:
    (first, expected), *others = ((name, told["labels"]) for name, told in machines.items())
    assert len(expected) == 6
    for name, labels in others:
        parted = [fit for fit in expected if labels[fit] != expected[fit]]
        assert not parted, f"{first} and {name} differ"
