"""The whole result as JSON."""

import json
import math
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from minirel.points.wording import UNSEEN

if TYPE_CHECKING:
    from minirel import Audit, Explanation, MiniReL
    from minirel.cli.features import Features
    from minirel.cli.table import Source


def to_bytes(result: dict[str, Any]) -> bytes:
    """Strict JSON: numbers that JSON does not know, such as infinity, are null."""
    text = json.dumps(_plain(result), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    # What is left of such characters is within strings, and means the same as an escape.
    return UNSEEN.sub(
        lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text
    ).encode()


def describe_input(table: "Source", command: str, uses: dict[str, str]) -> dict[str, Any]:
    """Where the result comes from."""
    from minirel import __version__

    return {
        "minirel": __version__,
        "command": command,
        "input": {
            "name": table.name,
            "rows": table.n_rows,
            "sha256": table.fingerprint,
            "columns": uses,
        },
    }


def describe_audit(audit: "Audit") -> dict[str, Any]:
    """Who is represented where: lists by group, and within by cluster."""
    part = dict(zip(audit.groups, audit.shares_of_all, strict=True))
    held = dict(zip(audit.groups, audit.represented.sum(axis=1).tolist(), strict=True))
    return {
        "satisfied": audit.satisfied,
        "unpromised": [
            {"group": name, "share_of_all": part[name], "represented": held[name] > 0}
            for name in audit.unpromised
        ],
        "handfuls": [{"cluster": cluster, "groups": kept} for cluster, kept in audit.handfuls],
        "groups": audit.groups,
        "clusters": audit.clusters,
        "alpha": audit.alpha,
        "beta": audit.beta,
        "min_members": audit.min_members,
        "exclusive": audit.exclusive,
        "min_share": audit.min_share,
        "max_share": audit.max_share,
        "shares_of_all": audit.shares_of_all,
        "n_represented": audit.n_represented,
        "n_lacking": audit.n_lacking,
        "sizes": audit.sizes,
        "totals": audit.totals,
        "counts": audit.counts,
        "shares": audit.shares,
        "represented": audit.represented,
        "shortfall": audit.shortfall,
        "below": audit.below,
        "above": audit.above,
        "min_size": audit.min_size,
        "max_size": audit.max_size,
        "too_small": audit.too_small,
        "too_large": audit.too_large,
        "pieces": audit.pieces,
    }


def describe_fit(model: "MiniReL", why: "Explanation", labels: Any, features: "Features") -> dict[str, Any]:
    """The clustering, its proof and its price."""
    from minirel.outcome.proven import covers, says

    result = model.result_
    promises = ("alpha", "beta", "min_members", "exclusive", "min_share", "max_share", "min_size", "max_size")
    names = (
        "n_clusters",
        *promises,
        "total",
        "objective",
        "prefix",
        "n_init",
        "n_swaps",
        "connect",
        "gap",
        "time_limit",
        "random_state",
    )
    return {
        "request": {name: getattr(model, name) for name in names},
        "labels": [None if label < 0 else label for label in labels.tolist()],
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "bound_covers": covers(result),
        "gap": result.gap,
        "status": result.status,
        "status_says": says(result.status, result.stop),
        "n_iter": len(result.history),
        "start_cost": why.start_cost,
        "moved": len(why.points),
        "prefix": [{"group": group, "cluster": cluster} for group, cluster in result.prefix],
        "features": features.names,
        "centers": result.centers,
        "centers_in_units": features.in_units(result.centers),
        "audit": describe_audit(result.audit),
        "prices": why.prices,
        "by_group": why.by_group,
        "history": [asdict(record) for record in result.history],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
