"""Other machines, as far as this one can play them: processors, instructions and threads as settings."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

# What each kernel of OpenBLAS needs, by the flags of /proc/cpuinfo; one that cannot run here is refused
# silently, or crashes.
KERNELS = {
    "Prescott": {"pni"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx2", "fma", "avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"},
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def kernels() -> list[str]:
    """The kernels of OpenBLAS that this processor can run; none where it cannot be asked."""
    about = Path("/proc/cpuinfo")
    if platform.machine() not in ("x86_64", "AMD64") or not about.exists():
        return []
    lines = (line.partition(":") for line in about.read_text(encoding="utf-8").splitlines())
    flags = next((set(value.split()) for name, _, value in lines if name.strip() == "flags"), set())
    return [kernel for kernel, needs in KERNELS.items() if needs <= flags]


def instructions() -> list[str]:
    """What NumPy may use here beyond what every processor of its kind has, from old to new."""
    return list(np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", []))  # type: ignore[call-overload]


def kernel(name: str) -> dict[str, str]:
    return {"OPENBLAS_CORETYPE": name}


def threads(number: int) -> dict[str, str]:
    return dict.fromkeys(THREADS, str(number))


def without(names: list[str]) -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(names)} if names else {}


# As numba compiles for a processor without anything special.
PLAIN_COMPILER = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def one_by_one() -> dict[str, dict[str, str]]:
    """Every setting alone, by what it is called."""
    found = instructions()
    newest = found[len(found) // 2 :]
    return {
        "as it is": {},
        **{f"BLAS of {name}": kernel(name) for name in kernels()},
        **({f"NumPy without {' '.join(newest)}": without(newest)} if newest else {}),
        **({f"NumPy without {' '.join(found)}": without(found)} if len(found) > 1 else {}),
        "numba for any processor": PLAIN_COMPILER,
        "1 thread": threads(1),
        "2 threads": threads(2),
    }


def together() -> dict[str, dict[str, str]]:
    """Few machines that have all of it between them."""
    found, able = instructions(), kernels()
    old, middle, new = found, found[len(found) // 2 :], []
    # Zen runs the kernels of Haswell.
    pairs = [("Prescott", old, 1), ("Haswell", middle, 2), ("SkylakeX", new, 2)]
    made = {
        f"{name}, {number} threads": kernel(name) | without(less) | threads(number)
        for name, less, number in pairs
        if name in able
    }
    return made or {"1 thread": threads(1), "2 threads": threads(2)}


def environment(setting: dict[str, str]) -> dict[str, str]:
    """This process's environment with a setting, and none of another."""
    names = {"OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", *PLAIN_COMPILER, *THREADS}
    return {name: value for name, value in os.environ.items() if name not in names} | setting


def start(setting: dict[str, str], *command: str) -> "subprocess.Popen[str]":
    """Python with this command on that machine; what it prints is to be read."""
    return subprocess.Popen(
        [sys.executable, *command],
        env=environment(setting),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
