"""Whether clusters hang together on the map, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minirel.points.numbers import amount
from minirel.points.wording import agreeing, counted, listed

if TYPE_CHECKING:
    from minirel.outcome.findings import Audit

_MOST_CLUSTERS, _MOST_PIECES = 5, 6


def pieces_in_words(audit: "Audit", clusters: Sequence[str]) -> list[str]:
    """Which clusters are in several pieces, and of how many points these are; nothing without neighbours."""
    if audit.pieces is None:
        return []
    apart = [(name, sizes) for name, sizes in zip(clusters, audit.pieces, strict=True) if len(sizes) > 1]
    if not apart:
        return ["Every cluster is in one piece."]
    said = []
    for name, (largest, *others) in apart[:_MOST_CLUSTERS]:
        beside = listed([amount(size) for size in others], most=_MOST_PIECES, last=" and ")
        said.append(
            f"Cluster {name} is in {len(others) + 1:,} pieces: beside the largest, of "
            f"{counted(largest, 'point')}, of {beside}."
        )
    if len(apart) > _MOST_CLUSTERS:
        n = len(apart) - _MOST_CLUSTERS
        said.append(f"{counted(n, 'more cluster')} {agreeing('is', n)} in several pieces as well.")
    return said
