"""The gallery: every example is run by the build, unless the data it needs is not there.

An example that needs data says so in a line of its docstring, ``Needs: adult.data, adult.test in
MINIREL_DATA``, and one that needs a package beyond those of the site ``Needs: the package dask``. Where
something is missing, its page shows the code and a note, and the build goes on.
"""

import ast
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples" / "gallery"
# From the simplest to the most special.
ORDER = (
    "plot_iris.py",
    "plot_adult.py",
    "plot_audit.py",
    "plot_alabama.py",
    "plot_playlists.py",
    "plot_opinions.py",
    "plot_frontier.py",
    "plot_dask.py",
    "plot_objective.py",
)


def needs(example: Path) -> tuple[list[str], list[str]]:
    """The files and the packages that an example needs."""
    text = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or ""
    data = re.search(r"^Needs: (.+?) in\s+MINIREL_DATA", text, flags=re.M | re.S)
    packages = re.search(r"^Needs: the package ([\w.]+)", text, flags=re.M)
    return re.split(r",\s*", data[1]) if data else [], [packages[1]] if packages else []


def is_there(package: str) -> bool:
    """Whether a package, or a part of one, can be imported."""
    try:
        return find_spec(package) is not None
    except ImportError:
        return False


def lacks(example: Path) -> str:
    """What an example needs and does not find, or nothing."""
    files, packages = needs(example)
    named = os.environ.get("MINIREL_DATA")
    if files and not named:
        return f"{', '.join(files)} in the folder that MINIREL_DATA names"
    missing = [file for file in files if not (Path(named or "") / file).is_file()]
    return ", ".join(missing + [f"the package {name}" for name in packages if not is_there(name)])


def order(name: str) -> tuple[int, str]:
    """Examples that are not listed come last."""
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def settings(docs: Path) -> dict[str, Any]:
    """What sphinx-gallery is told."""
    found = sorted(EXAMPLES.glob("plot_*.py"))
    run = [example.name for example in found if not lacks(example)]
    return {
        "examples_dirs": [os.path.relpath(EXAMPLES, docs)],
        "gallery_dirs": ["gallery"],
        "filename_pattern": "|".join(re.escape(os.sep + name) for name in run) or "$^",
        "within_subsection_order": "gallery.order",
        "copyfile_regex": r"$^",
        "download_all_examples": False,
        "write_computation_times": False,
        "min_reported_time": 1e9,
        "remove_config_comments": True,
        "abort_on_example_error": True,
        "default_thumb_file": str(docs / "_static" / "favicon.png"),
        "image_scrapers": ("matplotlib",),
        "capture_repr": ("_repr_html_",),
        "show_memory": False,
        "doc_module": ("minirel",),
        "backreferences_dir": None,
        "plot_gallery": True,
    }


def note(app: Any, docname: str, source: list[str]) -> None:
    """Say on the page of an example that was not run why it was not."""
    folder, _, name = docname.rpartition("/")
    example = EXAMPLES / f"{name}.py"
    if folder == "gallery" and example.is_file() and (missing := lacks(example)):
        print(f"skipped: {example.name} needs {missing}")
        told = f".. note::\n\n   Not run when this page was made: it needs {missing}.\n\n"
        # After the title, which is a line over a line of equals signs.
        source[0] = re.sub(r"(\n={4,}\n)", lambda found: f"{found[1]}\n{told}", source[0], count=1)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", note)
    return {"parallel_read_safe": True}
