"""Sizes of all clusters or by cluster, as they are typed: ``10`` or ``10,20,30``."""

from typing import Any

from minirel.cli.messages import UserError

Size = int | float | None
Sizes = Size | list[Size]


def read_bounds(min_size: str | None, max_size: str | None, *, least: int) -> dict[str, Any]:
    """Read --min-size, `least` where it was not typed, and --max-size, as parameters of the library."""
    return {
        "min_size": read_sizes(min_size, "--min-size", otherwise=least),
        "max_size": read_sizes(max_size, "--max-size", otherwise=None),
    }


def read_sizes(text: str | None, option: str, otherwise: Size) -> Sizes:
    """Read a size, or one for each cluster; `otherwise` where none was typed, or just ``-``."""
    if text is None:
        return otherwise
    if not text.strip():
        raise UserError(f"{option} is empty: write a size, or one for each cluster such as 10,20,30")
    sizes = [_read_size(part.strip(), text, option, otherwise) for part in text.split(",")]
    return sizes[0] if len(sizes) == 1 else sizes


def _read_size(part: str, text: str, option: str, otherwise: Size) -> Size:
    if part in ("", "-"):
        return otherwise
    try:
        number = float(part)
    except ValueError:
        raise UserError(
            f"{option} {text!r} cannot be read at {part!r}: write a size, or one for each cluster such as "
            "10,20,30 (- where there is none)"
        ) from None
    return int(number) if number.is_integer() else number
