"""What each column is used for."""

from dataclasses import dataclass

from minirel.cli.messages import UserError
from minirel.cli.table import Source


class LeftOut(str):
    """Why a column is not used."""


class Identifier(LeftOut):
    """That it looks like an identifier."""


@dataclass(frozen=True)
class Roles:
    """Names of the columns by what they are used for; `chosen` if the features were named one by one."""

    groups: list[str]
    weight: str | None
    features: list[str]
    dropped: list[str]
    chosen: bool


def read_roles(
    table: Source, groups: list[str], weight: str | None, features: list[str], drop: list[str]
) -> Roles:
    """Sort the columns by their use."""
    groups = list(dict.fromkeys(groups))
    table.check_columns(groups, "--group")
    table.check_columns([] if weight is None else [weight], "--weight")
    chosen, dropped = _read_list(features, table, "--features"), _read_list(drop, table, "--drop")
    both = [name for name in chosen if name in dropped]
    if both:
        raise UserError(f"column {both[0]!r} is in both --features and --drop: keep one of them")
    lost = [name for name in [*groups, weight] if name in dropped]
    if lost:
        raise UserError(
            f"--drop {lost[0]!r}: a column of --group or --weight is not a feature; leave it out of --drop"
        )
    others = [name for name in table.columns if name not in {*groups, weight, *dropped}]
    used = chosen or others
    if not used:
        raise UserError("no features are left: drop fewer columns, or name some with --features")
    return Roles(groups, weight, used, dropped, bool(chosen))


def _read_list(typed: list[str], table: Source, option: str) -> list[str]:
    """Names separated by commas, unless a column is called just so."""
    names: list[str] = []
    for text in typed:
        if text in table.columns:
            names.append(text)
        else:
            names += [part.strip() for part in text.split(",") if part.strip()]
    if typed and not names:
        raise UserError(f"{option} is empty: name columns, or leave it out")
    table.check_columns(names, option)
    return list(dict.fromkeys(names))
