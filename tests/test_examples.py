"""Every example runs without a warning, writes what it says, and tells the truth."""

import csv
import os
import subprocess
import sys
from collections import Counter
from contextlib import chdir, redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from io import StringIO
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
FILES = sorted(EXAMPLES.glob("*.py"))
# The files that a story needs of the folder in MINIREL_DATA, and stories that take long.
DATA = {
    "alabama.py": "alabama_precincts_2020.csv",
    "islands.py": "polis_islands_votes.csv",
    "playlists.py": "billboard_number_ones.csv",
}
SLOW = {"alabama.py"}
QUICK = "audit_somebody_elses.py"  # run as a program of its own; starting one takes longer than most stories


class Done(NamedTuple):
    """How a run of an example ended, and what it said."""

    returncode: object
    stdout: str
    stderr: str


def run(example: Path, folder: Path) -> Done:
    """Run it in this process, where all that it imports is there already, with warnings as errors."""
    with (
        chdir(folder),
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(StringIO()) as stdout,
        redirect_stderr(StringIO()) as stderr,
    ):
        patch.setattr(sys, "argv", [str(example), "out"])
        try:
            run_path(str(example), run_name="__main__")
            code = None
        except SystemExit as end:
            code = end.code
    return Done(code or 0, stdout.getvalue(), stderr.getvalue())


def run_as_a_program(example: Path, folder: Path) -> Done:
    """As it says itself: `python examples/... out`."""
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(example), "out"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


@cache
def story(name: str) -> tuple[Done, dict[str, bytes]]:
    """What an example said and the files it wrote; each is run once."""
    # A first run of matplotlib may speak of its font cache on stderr: let it be filled here.
    pyplot = pytest.importorskip("matplotlib.pyplot")
    folder = os.environ.get("MINIREL_DATA")
    if name in DATA and not (folder and (Path(folder) / DATA[name]).is_file()):
        pytest.skip(f"MINIREL_DATA names no folder with {DATA[name]}")
    if name in SLOW and not os.environ.get("MINIREL_SLOW"):
        pytest.skip("takes most of a minute: MINIREL_SLOW=1 runs it")
    with TemporaryDirectory() as folder:
        done = (run_as_a_program if name == QUICK else run)(EXAMPLES / name, Path(folder))
        pyplot.close("all")
        written = {path.name: path.read_bytes() for path in Path(folder).glob("out/*")}
        assert [path.name for path in Path(folder).iterdir()] in (["out"], []), "it wrote beside its folder"
    return done, written


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(content.decode().splitlines()))


def clusters_of(
    rows: list[dict[str, str]], cluster: str, column: str, value: str, share: Fraction, weight: str = ""
) -> int:
    """In how many clusters `value` has its share, counted without minirel."""
    size: Counter[str] = Counter()
    members: Counter[str] = Counter()
    for row in rows:
        count = int(row[weight]) if weight else 1
        size[row[cluster]] += count
        members[row[cluster]] += count * (row[column] == value)
    return sum(members[k] >= share * size[k] for k in size)


def test_there_are_examples() -> None:
    assert {"audit_somebody_elses.py", "channels.py", "districts.py"} <= {path.name for path in FILES}


@pytest.mark.parametrize("example", FILES, ids=lambda path: path.stem)
def test_it_runs_and_writes(example: Path) -> None:
    done, written = story(example.name)
    assert done.stderr == ""
    assert done.returncode == 0
    assert "Every promise is kept." in done.stdout
    assert any(name.endswith(".html") for name in written)
    for name, content in written.items():
        assert content, name
        assert name in done.stdout, f"{name} is not mentioned"
        if name.endswith(".html"):
            assert content.decode().rstrip().endswith("</html>")
        if name.endswith(".png"):
            assert content.startswith(b"\x89PNG")


@pytest.mark.parametrize("example", FILES, ids=lambda path: path.stem)
def test_it_is_listed_and_says_how_to_run_it(example: Path) -> None:
    assert f"[{example.name}]({example.name})" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert f"python examples/{example.name} out" in example.read_text(encoding="utf-8")


def test_districts_keep_the_three_rules() -> None:
    done, written = story("districts.py")
    rows, half = table(written["districts.csv"]), Fraction(1, 2)
    assert clusters_of(rows, "k-means", "group", "minority", half, "people") == 0
    assert clusters_of(rows, "district", "group", "minority", half, "people") >= 2
    people: Counter[str] = Counter()
    for row in rows:
        people[row["district"]] += int(row["people"])
    average = people.total() / 8
    assert len(people) == 8
    assert all(0.95 * average <= size <= 1.05 * average for size in people.values())
    far = [float(line.split()[-2]) for line in done.stdout.splitlines() if line.endswith(" km")]
    assert len(far) == 3
    assert far == sorted(far), "each rule more costs something"
    assert "A district more, 3 in all, would make it" in done.stdout


def test_channels_tell_what_cannot_be_kept_and_keep_the_rest() -> None:
    done, written = story("channels.py")
    assert "It cannot be kept:\n  group 'language=Welsh' needs 3 clusters" in done.stdout
    assert "The nearest that can be kept: {'beta': {'language=Welsh': 2," in done.stdout
    assert "Broken: 'language=Welsh' lacks 3 clusters" in done.stdout
    rows = table(written["channels.csv"])
    assert clusters_of(rows, "channel", "language", "Welsh", Fraction(3, 5)) >= 2
    assert clusters_of(rows, "channel", "audience", "children", Fraction(1, 2)) >= 2
    assert clusters_of(rows, "channel", "audience", "teenagers", Fraction(2, 5)) >= 1
    sizes = Counter(row["channel"] for row in rows)
    assert len(sizes) == 7
    assert min(sizes.values()) >= 25
    assert "channels.png" in written


def test_alabama_keeps_the_promises_in_one_piece_each() -> None:
    done, written = story("alabama.py")
    assert "K-means: at most 38.6% in a district" in done.stdout
    assert "3 with a Black majority: group 'black_vap' needs 3 clusters" in done.stdout
    folder = Path(os.environ["MINIREL_DATA"])
    plan = {row["geoid"]: row["district"] for row in table(written["alabama-plan.csv"])}
    precincts = table((folder / "alabama_precincts_2020.csv").read_bytes())
    assert plan.keys() == {row["geoid"] for row in precincts}
    people, adults, black = Counter[str](), Counter[str](), Counter[str]()
    for row in precincts:
        k = plan[row["geoid"]]
        people[k] += int(row["population"])
        adults[k] += int(row["vap"])
        black[k] += int(row["black_vap"])
    average = people.total() / 7
    assert len(people) == 7
    assert all(0.99 * average <= size <= 1.01 * average for size in people.values())
    assert sum(2 * black[k] >= adults[k] for k in people) >= 2
    root = {geoid: geoid for geoid in plan}

    def find(geoid: str) -> str:
        while root[geoid] != geoid:
            root[geoid] = geoid = root[root[geoid]]
        return geoid

    for row in table((folder / "alabama_adjacency_2020.csv").read_bytes()):
        if plan[row["geoid"]] == plan[row["neighbour"]]:
            root[find(row["geoid"])] = find(row["neighbour"])
    pieces = len({find(geoid) for geoid in plan})
    assert pieces == 7 or "Not in one piece" in done.stdout


def test_playlists_of_women_and_of_black_artists() -> None:
    done, written = story("playlists.py")
    rows, half = table(written["playlists.csv"]), Fraction(1, 2)
    assert len(rows) == 1_175
    for column in ("women", "Black artists"):
        assert clusters_of(rows, "k-means", column, "1", half) == 0
        assert clusters_of(rows, "playlist", column, "1", half) >= 2
    assert min(Counter(row["playlist"] for row in rows).values()) >= 50
    assert "Broken: 'women' lacks 2 clusters" in done.stdout
    assert "playlists.png" in written


def test_islands_are_heard() -> None:
    done, written = story("islands.py")
    rows = table(written["islands.csv"])
    for island, share in (("Orcas", 2), ("Lopez", 2), ("San Juan", 2), ("Shaw", 10)):
        assert clusters_of(rows, "polis", island, "1", Fraction(1, share)) == 0
        assert clusters_of(rows, "group", island, "1", Fraction(1, share)) >= 1
    assert "A cluster counts for one group only." in done.stdout
    assert "islands.png" in written


def test_channels_do_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # an import of it fails
    done = run(EXAMPLES / "channels.py", tmp_path)
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("pip install 'minirel[plot]'")
    assert not (tmp_path / "out" / "channels.png").exists()
    assert (tmp_path / "out" / "channels.html").exists()


def test_circles_are_repaired_with_few_moves() -> None:
    done, written = story("audit_somebody_elses.py")
    rows, half = table(written["circles.csv"]), Fraction(1, 2)
    assert "Broken: 'young' lacks 2 clusters." in done.stdout
    assert "optimal, proven" in done.stdout
    assert clusters_of(rows, "circle", "age", "young", half) == 0
    assert clusters_of(rows, "new circle", "age", "young", half) == 2
    moved = sum(row["circle"] != row["new circle"] for row in rows)
    assert f"\n{moved} readers change their circle" in done.stdout
    assert 0 < moved < len(rows) / 10
    assert b"No, 1 of 1 promise is broken" in written["circles-before.html"]
    assert b"Yes, every promise is kept" in written["circles-after.html"]
