"""Tables in the terminal."""

from minirel.cli.messages import say
from minirel.cli.roles import LeftOut
from minirel.points.wording import visible

_LONGEST_NAME, _MOST_COLUMNS = 30, 60


def show_columns(uses: dict[str, str]) -> None:
    """What is made of each column."""
    names = [visible(name) for name in uses]
    width = min(max(map(len, names)), _LONGEST_NAME)
    for name, use in list(zip(names, uses.values(), strict=True))[:_MOST_COLUMNS]:
        short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        say(f"  {short:<{width}}  {visible(use)}", "dim" if isinstance(use, LeftOut) else None)
    if len(uses) > _MOST_COLUMNS:
        say(f"  ... and {len(uses) - _MOST_COLUMNS} more columns")
