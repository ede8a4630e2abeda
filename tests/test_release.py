"""What `make release` checks: versions are stamped where they belong, and a wheel holds the package alone."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import minirel

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
assert spec is not None
assert spec.loader is not None
release = importlib.util.module_from_spec(spec)
spec.loader.exec_module(release)

INIT = (ROOT / "src" / "minirel" / "__init__.py").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_version_is_read() -> None:
    assert release.version_of(INIT) == minirel.__version__


def test_the_changelog_can_be_stamped() -> None:
    init, changelog = release.stamped(INIT, CHANGELOG, "9.8.7", "2030-01-02")
    assert release.version_of(init) == "9.8.7"
    before, section, after = changelog.partition("\n## 9.8.7 (2030-01-02)\n")
    assert section
    assert before.endswith("\n## Unreleased\n")
    assert after == CHANGELOG.partition("\n## Unreleased\n")[2]
    with pytest.raises(SystemExit, match=r"already has a section 9\.8\.7"):
        release.stamped(init, changelog, "9.8.7", "2030-01-02")
    with pytest.raises(SystemExit, match="VERSION must be like"):
        release.stamped(INIT, CHANGELOG, "next", "2030-01-02")
    with pytest.raises(SystemExit, match="one section 'Unreleased'"):
        release.stamped(INIT, "# Changelog\n", "9.8.7", "2030-01-02")


def test_what_may_be_in_a_wheel() -> None:
    files = [path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    names = [path.relative_to(ROOT / "src").as_posix() for path in files] + ["minirel-1.0.dist-info/METADATA"]
    assert release.wrong_in_wheel(names) == []
    assert release.wrong_in_wheel([*names, "paper/table_1.py"]) == ["paper/table_1.py is in the wheel"]
    assert release.wrong_in_wheel([*names, "minirel/data.csv"]) == ["minirel/data.csv is in the wheel"]
    assert release.wrong_in_wheel([*names, "minirel/test_audit.py"])
    typed = [name for name in names if name != "minirel/py.typed"]
    assert release.wrong_in_wheel(typed) == ["minirel/py.typed is not in the wheel"]


def test_what_may_be_in_an_sdist() -> None:
    named = ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "src/minirel/py.typed")
    names = [f"minirel-1.0/{name}" for name in named]
    assert release.wrong_in_sdist(names) == []
    assert release.wrong_in_sdist([*names, "minirel-1.0/docs/_build/html/index.html"])
    assert release.wrong_in_sdist(names[1:]) == ["pyproject.toml is not in the sdist"]


def test_the_readme_leads_somewhere_on_its_own() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    beside = [told.split(" ")[0] for told in release.wrong_in_description(readme)]
    assert len(beside) > 10
    assert all((ROOT / name.partition("#")[0]).exists() for name in beside)
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"][
        "hooks"
    ]
    for change in hooks["fancy-pypi-readme"]["substitutions"]:
        readme = re.sub(change["pattern"], change["replacement"], readme)
    assert release.wrong_in_description(readme) == []
    assert "https://github.com/minirel/minirel/blob/main/docs/quickstart.md" in readme
    assert "https://raw.githubusercontent.com/minirel/minirel/main/docs/images/town-light.png" in readme


def test_every_python_that_is_tested_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    prefix = "Programming Language :: Python :: 3."
    versions = [
        f"3.{name.removeprefix(prefix)}" for name in project["classifiers"] if name.startswith(prefix)
    ]
    assert versions
    assert f"python: {versions}".replace("'", '"') in workflow
