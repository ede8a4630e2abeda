"""The lowest versions that pyproject.toml admits, as constraints for pip: `python tests/lowest.py`."""

import re
import tomllib
from pathlib import Path

# What they need in turn is to be of their time: newer ones warn of names that these still use.
COMPANIONS = ("click<8.3", "pyparsing<3.3")
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(project: dict[str, object]) -> list[str]:
    """``name==version`` for each ``name>=version`` of what the package and its tests need."""
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    asked = [*project["dependencies"], *(one for extra in ("cli", "plot", "test") for one in extras[extra])]  # type: ignore[misc]
    found = (re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement) for requirement in dict.fromkeys(asked))
    return [*(f"{match[1]}=={match[2]}" for match in found if match), *COMPANIONS]


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"])))
