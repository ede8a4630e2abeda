"""Tables in the terminal."""

from minirel.cli.messages import say
from minirel.points.wording import visible

_LONGEST_NAME, _MOST_COLUMNS = 30, 60


def show_columns(uses: dict[str, str]) -> None:
    """What is made of each column."""
    shown = [(visible(name), visible(use)) for name, use in uses.items()]
    width = min(max(len(name) for name, _ in shown), _LONGEST_NAME)
    for name, use in shown[:_MOST_COLUMNS]:
        short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
        say(f"  {short:<{width}}  {use}", "dim" if use.startswith("left out") else None)
    if len(uses) > _MOST_COLUMNS:
        say(f"  ... and {len(uses) - _MOST_COLUMNS} more columns")
