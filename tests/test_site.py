"""The site without building it: pages are in menus, names in the reference, parameters in the guide.

`make docs` builds it, with warnings as errors, and follows every link.
"""

import importlib
import inspect
import os
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import minirel
from cli.people import run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MADE = {"_build", "gallery", "api", "reproduction", "_templates"}
GALLERY = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # a dataclass looks for its module there
    spec.loader.exec_module(module)
    return module


def pages() -> list[Path]:
    found = [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    return [page for page in found if not MADE & set(page.relative_to(DOCS).parts)]


def in_menus() -> set[str]:
    named = set()
    for page in pages():
        for menu in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.S):
            entries = [line for line in menu.splitlines() if line and not line.startswith(":")]
            folder = page.parent.relative_to(DOCS).as_posix()
            named |= {os.path.normpath(os.path.join(folder, entry)) for entry in entries}
    return named


def test_every_page_is_in_a_menu_and_every_entry_is_a_page() -> None:
    names = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages()}
    assert names - in_menus() == {"index"}
    assert in_menus() - names == {"gallery/index", "api/index"}  # made by the build


def test_every_public_name_is_in_the_reference() -> None:
    reference = load(DOCS / "_extension" / "reference.py")
    assert reference.unknown() == [], "public or internal? docs/_extension/reference.py wants to know"
    listed = re.findall(r"^   (\w[\w.]*)$", reference.text(), flags=re.M)
    modules = reference.public()
    assert {"minirel", "minirel.datasets", "minirel.plotting"} <= set(modules)
    public = [
        f"{module}.{name}".removeprefix("minirel.") for module in modules for name in modules[module].__all__
    ]
    told = re.findall(r"``minirel\.([\w.]+)``", reference.text())  # tables, in the words of a section
    assert sorted([*listed, *told]) == sorted(public)
    for names in reference.SECTIONS.values():
        assert [name for name in names if name not in minirel.__all__] == []


def test_every_public_name_has_an_example() -> None:
    for module, home in load(DOCS / "_extension" / "reference.py").public().items():
        for name in home.__all__:
            thing = getattr(home, name)
            if callable(thing):
                told = inspect.getdoc(thing) or ""
                methods = [inspect.getdoc(method) or "" for _, method in inspect.getmembers(thing, callable)]
                assert any(">>> " in text for text in [told, *methods]), f"{module}.{name} has no example"


def test_every_parameter_is_in_the_guide() -> None:
    files = [*(DOCS / "guide").glob("*.md"), *(DOCS / name for name in ("scale.md",))]
    guide = "\n".join(page.read_text(encoding="utf-8") for page in files if page.name != "index.md")
    index = (DOCS / "guide" / "index.md").read_text(encoding="utf-8")
    for method in (minirel.MiniReL.__init__, minirel.MiniReL.fit):
        for name in set(inspect.signature(method).parameters) - {"self", "X", "y"}:
            assert f"`{name}" in index, f"{name} is not in the table of docs/guide/index.md"
            assert re.search(rf"\b{name}\b", guide), f"{name} is on no page of the guide"


def test_gallery_examples_say_what_they_need() -> None:
    gallery = load(DOCS / "_extension" / "gallery.py")
    assert {path.name for path in GALLERY} <= set(gallery.ORDER)
    for example in GALLERY:
        text = example.read_text(encoding="utf-8")
        files, packages = gallery.needs(example)
        loads = re.search(r"load_(?!iris|wine)\w+|environ", text)
        assert bool(files) == bool(loads), example.name
        assert packages or "minirel.dask" not in text, example.name


@pytest.mark.parametrize("example", GALLERY, ids=lambda path: path.stem)
def test_gallery_examples_compile_and_have_cells(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    compile(text, str(example), "exec")
    assert re.match(r'"""\n(.+)\n(=+)\n', text)
    assert "\n# %%\n" in text


def test_links_lead_where_they_do_on_github() -> None:
    repository = load(DOCS / "_extension" / "repository.py")
    text = "[a](docs/theory.md#6-what) [b](src/minirel/cli) [c](LICENSE) [d](benchmarks/RESULTS.md) [e](https://x.y)"
    github = "https://github.com/minirel/minirel"
    assert repository.relinked(text, "", "") == (
        f"[a](theory.md#6-what) [b]({github}/tree/main/src/minirel/cli) [c]({github}/blob/main/LICENSE) "
        "[d](benchmarks.md) [e](https://x.y)"
    )
    assert repository.relinked("[f](../theory.md)", "docs/guide", "guide") == "[f](../theory.md)"
    assert repository.relinked("```\n[g](LICENSE)\n```", "", "") == "```\n[g](LICENSE)\n```"


def test_included_pages_have_one_title() -> None:
    repository = load(DOCS / "_extension" / "repository.py")
    for file in ("CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/RESULTS.md"):
        text = repository.without_code(repository.included(file))
        assert re.search(r"^## ", text, flags=re.M)
        assert not re.search(r"^# ", text, flags=re.M)


def test_the_crawler_finds_what_is_broken(tmp_path: Path) -> None:
    crawler = load(DOCS / "check_site.py")
    (tmp_path / "index.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">b</a><a href="b.html#gone">c</a><a href="no.html">d</a>'
        '<img src="no.png"><img src="data:image/png;base64,AA"><script src="https://cdn.x/y.js"></script>'
        '<a href="https://example.org">out</a><a href="/root.html">e</a><a href="#top">f</a>',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text('<p id="here">B</p>', encoding="utf-8")
    n_pages, wrong = crawler.check(tmp_path)
    assert n_pages == 2
    assert [line.split(" ", 1)[1] for line in wrong] == [
        "b.html#gone has no such anchor",
        "no.html is not there",
        "/root.html begins with /, so it depends on where the site lies",
        "no.png is not there",
        "https://cdn.x/y.js is fetched from elsewhere",
    ]


def test_commands_of_the_quick_start_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "quickstart.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(minirel (?:fit|audit) .*)$", page, flags=re.M)
    assert len(commands) == 2
    shutil.copy(DOCS / "people.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    for command in commands:
        done = run(*command.split()[1:])
        assert done.exit_code == 0, done.stderr
    assert "Every promise is kept." in done.stdout
    assert (tmp_path / "page.html").is_file()
