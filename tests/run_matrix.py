"""All tests in every setting of `machine_settings`, one after another, and a table of what came out.

python tests/run_matrix.py                          # make test-matrix
python tests/run_matrix.py tests/test_estimator.py  # some of them
"""

import subprocess
import sys
import time
from pathlib import Path

from machine_settings import environment, one_by_one

PYTEST = ("-m", "pytest", "-n", "auto", "--dist", "worksteal", "-p", "no:cacheprovider")
ROOT = Path(__file__).parents[1]


def main(tests: list[str]) -> int:
    """Run the tests in each setting; the number of settings in which some failed."""
    table = []
    for name, setting in one_by_one().items():
        print(f"\n## {name} {setting}", flush=True)
        begun = time.monotonic()
        with subprocess.Popen(
            [sys.executable, *PYTEST, *tests],
            cwd=ROOT,
            env=environment(setting),
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            last = ""
            for line in process.stdout:
                print(line, end="", flush=True)
                last = line.strip() or last
        minutes, seconds = divmod(round(time.monotonic() - begun), 60)
        table.append((name, process.returncode, last.strip("= "), f"{minutes}:{seconds:02d}"))
    print("\n| setting | result | tests | minutes |\n| --- | --- | --- | --- |")
    for name, code, told, took in table:
        print(f"| {name} | {'passed' if code == 0 else 'failed'} | {told} | {took} |")
    return sum(code != 0 for _, code, _, _ in table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
