"""A release, all but its upload: ``make release``, and before it ``make stamp VERSION=0.1.0``.

`stamp` sets the version and gives the changelog's *Unreleased* that version and today's date. `build` makes
wheel and sdist, checks them and what is in them, installs the wheel into a new environment and runs the
demo there.
"""

import argparse
import datetime
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
INIT = ROOT / "src" / "minirel" / "__init__.py"
CHANGELOG = ROOT / "CHANGELOG.md"
# What pages are made of besides Python.
KINDS = (".py", "py.typed", ".css", ".js")
NEEDED = ("minirel/py.typed", "minirel/report/style.css", "minirel/report/script.js")


def version_of(init: str) -> str:
    """The version that a text of `__init__.py` says."""
    found = re.search(r'^__version__ = "([^"]+)"$', init, flags=re.M)
    assert found is not None, f"{INIT} has no __version__"
    return found[1]


def stamped(init: str, changelog: str, version: str, date: str) -> tuple[str, str]:
    """Both texts for a release: its version, and a section of the changelog of its own."""
    if not re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", version):
        raise SystemExit(f"VERSION must be like 0.1.0 or 0.1.0rc1, not {version!r}")
    if f"\n## {version} " in changelog:
        raise SystemExit(f"CHANGELOG.md already has a section {version}")
    heading = "\n## Unreleased\n"
    if changelog.count(heading) != 1:
        raise SystemExit("CHANGELOG.md must have one section 'Unreleased'")
    return (
        init.replace(f'"{version_of(init)}"', f'"{version}"', 1),
        changelog.replace(heading, f"\n## Unreleased\n\n## {version} ({date})\n"),
    )


def wrong_in_wheel(names: list[str]) -> list[str]:
    """What should not be in a wheel of these files, and what is missing."""
    strange = [name for name in names if not re.match(r"minirel(/|-[^/]+\.dist-info/)", name)]
    tests = [
        name for name in names if re.search(r"(^|/)(tests?|paper|docs|examples|benchmarks)/|test_", name)
    ]
    kinds = [name for name in names if name.startswith("minirel/") and not name.endswith(KINDS)]
    said = {f"{name} is in the wheel" for name in (*strange, *tests, *kinds)}
    return sorted(said | {f"{name} is not in the wheel" for name in NEEDED if name not in names})


def wrong_in_sdist(names: list[str]) -> list[str]:
    """The same for an sdist, whose files are all in one folder."""
    inside = {name.partition("/")[2] for name in names}
    needed = ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "src/minirel/py.typed")
    missing = [f"{name} is not in the sdist" for name in needed if name not in inside]
    made = [name for name in inside if re.match(r"(\.venv|docs/_build|dist|.*__pycache__)", name)]
    return sorted(missing + [f"{name} is in the sdist" for name in made])


def wrong_in_description(text: str) -> list[str]:
    """What in the README of a package leads nowhere: links and pictures beside it."""
    links = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    return [f"{link} is not a whole address" for link in links if not re.match(r"https?://|#", link)]


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it says, or end with that."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def try_wheel(wheel: Path, version: str) -> None:
    """Install a wheel into a new environment, and run what a new user would."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "env", with_pip=True)
        programs = home / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        python = programs / "python"
        run(
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            f"{wheel}[cli]",
            cwd=home,
        )
        where = run(python, "-c", "import minirel; print(minirel.__file__)", cwd=home)
        assert "site-packages" in where, where
        assert run(programs / "minirel", "--version", cwd=home).strip() == f"minirel {version}"
        told = run(programs / "minirel", "demo", "--report", "page.html", cwd=home)
        assert "Every promise is kept." in told, told
        assert (home / "page.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


def build() -> None:
    """Build, check and try."""
    version, dist = version_of(INIT.read_text(encoding="utf-8")), ROOT / "dist"
    for old in dist.glob("minirel-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    print(run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist).strip())
    with zipfile.ZipFile(wheel) as opened:
        wrong = wrong_in_wheel(opened.namelist())
        about = f"minirel-{version}.dist-info/METADATA"
        wrong += wrong_in_description(opened.read(about).decode("utf-8"))
    with tarfile.open(sdist) as packed:
        wrong += wrong_in_sdist(packed.getnames())
    if wrong:
        raise SystemExit("\n".join(wrong))
    try_wheel(wheel, version)
    for made in (wheel, sdist):
        print(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:.2f} MB")
    print("The wheel installs into a new environment, and `minirel demo` runs there.")
    if f"\n## {version} " in CHANGELOG.read_text(encoding="utf-8"):
        print(f"Ready: git tag v{version}, push it, and twine upload dist/*")
    else:
        print(f"{version} has no section of the changelog: make stamp VERSION=... comes before a release")


def stamp(version: str) -> None:
    """Write version and date where they belong."""
    texts = (INIT.read_text(encoding="utf-8"), CHANGELOG.read_text(encoding="utf-8"))
    for path, text in zip(
        (INIT, CHANGELOG), stamped(*texts, version, f"{datetime.date.today()}"), strict=True
    ):
        path.write_text(text, encoding="utf-8")
    print(f"{INIT.name} and {CHANGELOG.name} say {version}: look at git diff, then make release")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stamp", metavar="VERSION", help="set version and changelog, and build nothing")
    version = parser.parse_args().stamp
    if version is None:
        build()
    else:
        stamp(version)


if __name__ == "__main__":
    main()
