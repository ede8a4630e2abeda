"""The kinds of promises, which are also the names of the parameters that ask for them (`share` is alpha)."""

from typing import Literal

Kind = Literal["share", "min_members", "min_share", "max_share", "min_size", "max_size"]

# Promises to the holders of a cluster, and those that hold in every cluster.
OF_HOLDERS: tuple[Kind, ...] = ("share", "min_members")
OF_GROUPS: tuple[Kind, ...] = (*OF_HOLDERS, "min_share", "max_share")
OF_SIZES: tuple[Kind, ...] = ("min_size", "max_size")
KINDS: tuple[Kind, ...] = (*OF_GROUPS, *OF_SIZES)
