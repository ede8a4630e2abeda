"""Every package that the code imports is declared, explained, and imported only where it may be."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Folders that are only used with an extra installed, and import it as they please.
FOLDERS = {
    "src/minirel/cli": "cli",
    "src/minirel/dask": "dask",
    "paper": "reproduce",
}
# For whoever works on minirel: nothing in the package may need them.
DEVELOPMENT = {"test", "lint", "coverage", "docs", "release"}
DISTRIBUTIONS = packages_distributions()


@dataclass(frozen=True)
class Import:
    """A package as it is imported, and whether that happens as soon as its file is imported."""

    file: str
    line: int
    package: str
    at_once: bool


class Reader(ast.NodeVisitor):
    """Gathers the packages of others that a file imports."""

    def __init__(self, file: str) -> None:
        self.file, self.found = file, list[Import]()
        self._at_once = True

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._add(name.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.module is not None, f"{self.file}:{node.lineno}: write the package's name out"
        self._add(node.module, node)

    def visit_Call(self, node: ast.Call) -> None:
        match node:
            case ast.Call(func=ast.Name("import_module"), args=[ast.Constant(str(name))]):
                self._add(name, node)
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        match node.test:
            case ast.Name("TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
                self._later(node)
            case _:
                self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._later(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._later(node)

    def _later(self, node: ast.AST) -> None:
        before, self._at_once = self._at_once, False
        self.generic_visit(node)
        self._at_once = before

    def _add(self, module: str, node: ast.stmt | ast.expr) -> None:
        package = module.partition(".")[0]
        if package not in sys.stdlib_module_names and package not in ("minirel", "paper"):
            self.found.append(Import(self.file, node.lineno, package, self._at_once))


def imports_of(file: str, source: str) -> list[Import]:
    reader = Reader(file)
    reader.visit(ast.parse(source))
    return reader.found


@cache
def imports() -> list[Import]:
    files = [path for folder in ("src", "paper") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    return [
        found
        for path, name in zip(files, names, strict=True)
        if "/tests/" not in name
        for found in imports_of(name, path.read_text(encoding="utf-8"))
    ]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared(requirements: list[str]) -> Iterator[str]:
    """The packages of these requirements, and of the extras of our own that they name."""
    for requirement in requirements:
        ours = re.match(r"minirel\[(.*)\]", requirement)
        for extra in ours[1].split(",") if ours else ():
            yield from declared(PROJECT["optional-dependencies"][extra])
        if not ours:
            yield normal(re.split(r"[^\w.-]", requirement)[0])


CORE = set(declared(PROJECT["dependencies"]))
EXTRAS = {extra: set(declared(named)) for extra, named in PROJECT["optional-dependencies"].items()}


def wrong(found: Import) -> str | None:
    """What is wrong with an import, or None."""
    names = {normal(name) for name in DISTRIBUTIONS.get(found.package, [found.package])}
    if names & CORE:
        return None
    where = f"{found.file}:{found.line} imports {found.package}"
    extras = {extra for extra, packages in EXTRAS.items() if names & packages} - DEVELOPMENT
    if not extras:
        return f"{where}, which pyproject.toml does not declare"
    folders = [folder for folder in FOLDERS if found.file.startswith(f"{folder}/")]
    if found.at_once and not any(FOLDERS[folder] in extras for folder in folders):
        belongs = " or ".join(sorted(extras))
        return f"{where} of the extra {belongs} at once: do it in the function that needs it"
    return None


def test_imports_are_declared_and_in_their_place() -> None:
    found = imports()
    assert {"numpy", "joblib", "typer", "pandas"} <= {one.package for one in found}, "they are not seen"
    assert [problem for problem in map(wrong, found) if problem] == []


def test_nothing_is_declared_for_nothing() -> None:
    used = {normal(name) for one in imports() for name in DISTRIBUTIONS.get(one.package, [one.package])}
    assert CORE - used == set()
    assert {name for extra in EXTRAS.keys() - DEVELOPMENT for name in EXTRAS[extra]} - used == set()


def test_each_is_explained() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    words = set(map(normal, re.findall(r"[\w.-]*\w", page)))
    assert CORE.union(*EXTRAS.values()) - words == set()
    assert {f"`{extra}`" for extra in EXTRAS if f"`{extra}`" not in page} == set()


@pytest.mark.parametrize(
    ("file", "source", "told"),
    [
        ("src/minirel/a.py", "import numpy.linalg, json", None),
        ("src/minirel/a.py", "import requests", "requests, which pyproject.toml does not declare"),
        ("src/minirel/a.py", "from hypothesis import given", "does not declare"),
        ("src/minirel/a.py", "import pandas", "in the function that needs it"),
        ("src/minirel/a.py", "class A:\n    import pandas", "in the function that needs it"),
        ("src/minirel/a.py", "def f():\n    import pandas", None),
        ("src/minirel/a.py", "if TYPE_CHECKING:\n    import pandas", None),
        ("src/minirel/a.py", "x = import_module('requests')", "does not declare"),
        ("src/minirel/cli/a.py", "import typer", None),
        ("src/minirel/cli/a.py", "import matplotlib", "of the extra plot or reproduce at once"),
    ],
)
def test_what_is_seen(file: str, source: str, told: str | None) -> None:
    (problem,) = map(wrong, imports_of(file, source))
    assert problem is None if told is None else problem is not None and told in problem
