"""Every Python snippet of the README and of docs/ runs, in order, as one program a page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def snippets(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if snippets(page)], ids=lambda page: page.name)
def test_snippets_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for snippet in snippets(page):
        exec(compile(snippet, str(page), "exec"), names)
    assert capsys.readouterr().out, "a snippet that shows nothing teaches nothing"


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
    folders = (*ROOT.glob("[a-z]*"), *(ROOT / "src").rglob("*"), *(ROOT / "tests").rglob("*"))
    there = [path.as_posix() for path in folders]
    page = (ROOT / name).read_text(encoding="utf-8")
    named = [file.rstrip("/") for file in re.findall(r"`([\w/]+(?:\.py|/))`", page)]
    assert named
    assert [file for file in named if not any(path.endswith(f"/{file}") for path in there)] == []
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", page)
    assert [file for file in linked if not (ROOT / name).parent.joinpath(file).exists()] == []
