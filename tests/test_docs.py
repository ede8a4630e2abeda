"""Every Python snippet of the README and of docs/ runs, in order, as one program per page.

A block ``output`` after a snippet is what it prints, with ``...`` for what may differ.
"""

import os
import re
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```output\n(.*?)^```)?", flags=re.M | re.S)


def lacks(page: Path) -> str:
    """What a page says that it needs, ``<!-- needs minirel.dask -->`` or the data sets, if it is not here."""
    for name in re.findall(r"^<!-- needs ([\w.]+) -->$", page.read_text(encoding="utf-8"), flags=re.M):
        if name == "MINIREL_DATA":
            if name not in os.environ:
                return "the data in the folder that MINIREL_DATA names"
            continue
        try:
            import_module(name)
        except ImportError:
            return str(name)
    return ""


def snippets(page: Path) -> list[tuple[str, str]]:
    """The code of each snippet, at its line of the page, and what it should print."""
    text = page.read_text(encoding="utf-8")
    return [
        ("\n" * text.count("\n", 0, found.start(1)) + found[1], found[2]) for found in BLOCKS.finditer(text)
    ]


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if snippets(page)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_snippets_run(
    page: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacks(page):
        pytest.skip(f"this page needs {lacks(page)}, which is not here")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    checker, spoke = OutputChecker(), False
    for code, expected in snippets(page):
        exec(compile(code, str(page), "exec"), names)
        printed = capsys.readouterr().out
        spoke = spoke or bool(printed)
        if expected:
            assert checker.check_output(expected, printed, ELLIPSIS | NORMALIZE_WHITESPACE), printed
    assert spoke, "snippets that show nothing teach nothing"


def test_readme_starts_with_the_two_commands() -> None:
    first_block = re.search(r"```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert first_block is not None
    assert [line.split("#")[0].strip() for line in first_block[1].splitlines()] == ["make demo", "make test"]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_commands_that_are_named_exist(name: str) -> None:
    page, makefile = ((ROOT / file).read_text(encoding="utf-8") for file in (name, "Makefile"))
    named = set(re.findall(r"(?:^|`)(?:\w+=\w+ )*make ([\w-]+)", page, flags=re.M))
    assert named
    assert named - set(re.findall(r"^([\w-]+):", makefile, flags=re.M)) == set()


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "docs/theory.md", "docs/extending.md", "docs/glossary.md"]
)
def test_files_that_are_named_exist(name: str) -> None:
    """Code is named by the end of its path, such as `clustering/lloyd.py` or `cli/`."""
    folders = [ROOT / "src", ROOT / "tests", ROOT / "paper"]
    there = [path.as_posix() for folder in folders for path in (folder, *folder.rglob("*"))]
    page = (ROOT / name).read_text(encoding="utf-8")
    named = [file.rstrip("/") for file in re.findall(r"`([\w/]+(?:\.py|/))`", page)]
    assert named
    assert [file for file in named if not any(path.endswith(f"/{file}") for path in there)] == []
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", page)
    assert [file for file in linked if not (ROOT / name).parent.joinpath(file).exists()] == []
