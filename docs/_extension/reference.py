"""The reference lists every public name: those in ``__all__`` of the package and of its public parts.

It is written before each build, so that a new name is there by being public. A name is in the section that
`SECTIONS` says, or else in that of its module.
"""

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import minirel

# Of names of `minirel` itself; those of other modules are by module.
SECTIONS = {
    "Clustering": ("MiniReL", "KMeansStart", "Result", "fair_assignment", "Assignment"),
    "Audit and explanation": (
        *("audit", "Audit", "explain", "Explanation", "next_clusters", "profile", "Profile"),
    ),
    "Many requests": ("frontier", "Frontier", "Progress"),
    "Errors": ("ParameterError", "InfeasibleFairnessError", "NothingFoundError"),
}
# Modules whose `__all__` is public, with the title and the first words of their section.
MODULES = {
    "minirel": ("More", ""),
    "minirel.metrics": ("Measures for model selection", ""),
    "minirel.plotting": ("Plots", "With the extra ``plot``."),
    "minirel.report": ("Reports", ""),
    "minirel.datasets": ("Data", ""),
    "minirel.dask": ("On a Dask cluster", "With the extra ``dask``."),
    "minirel.solvers": (
        "Solvers of integer programs",
        "For those who add one: see :doc:`../extending`. The dict ``minirel.solvers.MIP_SOLVERS`` has a "
        "function for each by name, which takes a ``LinearModel`` and returns a ``Solution``.",
    ),
}
# Commands, and parts that are not meant to be imported by others.
INTERNAL = {"minirel.cli"}
HEAD = """\
API reference
=============

Every public name, each with an example that runs. What is imported from elsewhere in the package is internal
and may change; :doc:`../extending` tells what can be built upon.

.. currentmodule:: minirel
"""


def public() -> dict[str, ModuleType]:
    """The public modules that can be imported here: an extra may not be installed."""
    found = {}
    for name in MODULES:
        try:
            found[name] = import_module(name)
        except ImportError:
            continue
    return found


def unknown() -> list[str]:
    """Modules right below `minirel` that have an ``__all__`` and are neither public nor internal."""
    below = [f"minirel.{info.name}" for info in pkgutil.iter_modules(minirel.__path__)]
    known = {*MODULES, *INTERNAL, "minirel.__main__"}
    return [name for name in below if name not in known and hasattr(import_module(name), "__all__")]


def sections() -> list[tuple[str, str, list[tuple[str, object]]]]:
    """Title, first words and names of each section, with what the names stand for."""
    modules = public()
    placed = {name for names in SECTIONS.values() for name in names}
    parts = [
        (title, "", [(name, getattr(minirel, name)) for name in names if name in minirel.__all__])
        for title, names in SECTIONS.items()
    ]
    for home, module in modules.items():
        names = [name for name in module.__all__ if home != "minirel" or name not in placed]
        listed = [(f"{home}.{name}".removeprefix("minirel."), getattr(module, name)) for name in names]
        parts.append((*MODULES[home], listed))
    return [part for part in parts if part[2]]


def text() -> str:
    """The page."""
    lines = [HEAD]
    for title, words, names in sections():
        lines += [title, "-" * len(title), "", *([words, ""] if words else [])]
        for template, classes in (("class.rst", True), ("name.rst", False)):
            # Tables have no page of their own; the first words of their section tell of them.
            chosen = [name for name, thing in names if callable(thing) and inspect.isclass(thing) == classes]
            if chosen:
                options = ["   :toctree: generated", "   :nosignatures:", f"   :template: {template}"]
                lines += [".. autosummary::", *options, "", *(f"   {name}" for name in chosen), ""]
    return "\n".join(lines)


def write(docs: Path) -> None:
    """Write the page where Sphinx finds it, if it has changed."""
    page = docs / "api" / "index.rst"
    page.parent.mkdir(exist_ok=True)
    if not page.is_file() or page.read_text(encoding="utf-8") != text():
        page.write_text(text(), encoding="utf-8")
