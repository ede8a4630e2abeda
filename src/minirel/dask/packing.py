"""What crosses the network, in as few bytes and pieces as it can be had."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_INTEGERS = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32)


class Packed(NamedTuple):
    """An array of integers in the smallest type that holds them, and the type they have."""

    array: NDArray[Any]
    dtype: np.dtype[Any]

    def unpacked(self) -> NDArray[Any]:
        """The array as it was."""
        return self.array.astype(self.dtype, copy=False)


def packed(array: NDArray[Any]) -> Packed:
    """The array in as few bytes as it can be had; floating-point numbers as they are."""
    if array.dtype.kind not in "iu" or not array.size:
        return Packed(array, array.dtype)
    least, most = int(array.min()), int(array.max())
    for smaller in _INTEGERS:
        if np.iinfo(smaller).min <= least and most <= np.iinfo(smaller).max:
            return Packed(array.astype(smaller, copy=False), array.dtype)
    return Packed(array, array.dtype)


class Joined(NamedTuple):
    """The results of several blocks as one object: rows one after the other, arrays stacked, or a list."""

    kind: str
    content: Any

    def divided(self, blocks: list[slice]) -> list[Any]:
        """The result of each block."""
        if self.kind == "tuple":
            return list(zip(*(part.divided(blocks) for part in self.content), strict=True))
        if self.kind == "rows":
            array = self.content.unpacked()
            return [array[rows] for rows in blocks]
        return list(self.content.unpacked() if self.kind == "stack" else self.content)


def joined(results: list[Any], blocks: list[slice]) -> Joined:
    """Join the results of blocks; each may be an array by row or of any other shape, a tuple or anything."""
    first = results[0]
    if type(first) is tuple:
        return Joined("tuple", [joined(list(part), blocks) for part in zip(*results, strict=True)])
    if isinstance(first, np.ndarray) and first.ndim:
        lengths = [rows.stop - rows.start for rows in blocks]
        if [len(result) for result in results] == lengths:
            return Joined("rows", packed(np.concatenate(results)))
        if all(result.shape == first.shape for result in results):
            return Joined("stack", packed(np.stack(results)))
    return Joined("list", results)
