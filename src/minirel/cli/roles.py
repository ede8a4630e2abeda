"""What each column is used for."""

from dataclasses import dataclass

from minirel.cli.messages import UserError
from minirel.cli.table import Source


class LeftOut(str):
    """Why a column is not used."""


class Identifier(LeftOut):
    """That it looks like an identifier."""


@dataclass(frozen=True)
class Who:
    """The columns that say who is in a row: of groups, or of members and their total.

    `weight` is the column of weights, `together` that of what stays together, and `key` names the rows.
    """

    groups: list[str]
    members: list[str]
    total: str | None
    weight: str | None
    together: str | None = None
    key: str | None = None

    @property
    def named(self) -> list[str]:
        """The columns of groups, or of members."""
        return self.groups or self.members

    @property
    def columns(self) -> set[str]:
        """All of them."""
        others = (self.total, self.weight, self.together, self.key)
        return {*self.named, *(name for name in others if name is not None)}


def read_who(
    table: Source,
    group: list[str],
    members: list[str],
    total: str | None,
    weight: str | None,
    together: str | None = None,
    key: str | None = None,
) -> Who:
    """See that these columns are there, and go together."""
    who = Who(list(dict.fromkeys(group)), list(dict.fromkeys(members)), total, weight, together, key)
    if who.groups and who.members:
        raise UserError(
            "--group and --members do not go together: rows are people in groups, or units that hold members "
            "of them; for a group of whole rows, make a column of its members, 0 or the --total"
        )
    if not who.named:
        raise UserError(
            "name the column of the groups with --group, or of members with --members and --total"
        )
    if who.members and total is None:
        raise UserError("--members needs --total, the column with all of whom they are part")
    if total is not None and not who.members:
        raise UserError("--total needs --members, the columns with the members of each group")
    if total in who.members:
        raise UserError(f"column {total!r} is both --members and --total: the total is everybody")
    table.check_columns(who.groups, "--group")
    table.check_columns(who.members, "--members")
    for name, option in ((total, "--total"), (weight, "--weight"), (together, "--together"), (key, "--id")):
        table.check_columns([] if name is None else [name], option)
    return who


@dataclass(frozen=True)
class Roles:
    """Names of the columns by what they are used for; `chosen` if the features were named one by one."""

    who: Who
    features: list[str]
    dropped: list[str]
    chosen: bool


def read_roles(table: Source, who: Who, features: list[str], drop: list[str]) -> Roles:
    """Sort the columns by their use."""
    chosen, dropped = _read_list(features, table, "--features"), _read_list(drop, table, "--drop")
    both = [name for name in chosen if name in dropped]
    if both:
        raise UserError(f"column {both[0]!r} is in both --features and --drop: keep one of them")
    lost = [name for name in dropped if name in who.columns]
    if lost:
        kinds = "--group or --weight" if who.groups else "--members, --total or --weight"
        raise UserError(f"--drop {lost[0]!r}: a column of {kinds} is not a feature; leave it out of --drop")
    others = [name for name in table.columns if name not in {*who.columns, *dropped}]
    used = chosen or others
    if not used:
        raise UserError("no features are left: drop fewer columns, or name some with --features")
    return Roles(who, used, dropped, bool(chosen))


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
