"""Which columns are coordinates on a map."""

from collections.abc import Iterable

_LONGITUDES, _LATITUDES = ("longitude", "lon", "lng", "long"), ("latitude", "lat")


def find_coordinates(names: Iterable[str]) -> tuple[str, str] | None:
    """The columns of longitude and latitude, if there are some of such names."""
    known = {name.strip().lower(): name for name in names}
    found = [
        next((known[name] for name in kind if name in known), None) for kind in (_LONGITUDES, _LATITUDES)
    ]
    return None if found[0] is None or found[1] is None else (found[0], found[1])
