"""Memory maps of files that have become shorter: to read beyond the end of one would end the process."""

import os

import numpy as np

from minirel.points.errors import ParameterValueError


def check_file(values: object, parameter: str) -> None:
    """Refuse an array that lies beyond the end of the file that it, or what it is a view of, is a map of."""
    whole = None
    array = values
    while isinstance(array, np.ndarray):
        whole = array if isinstance(array, np.memmap) else whole  # the offset of a view is that of the whole
        array = array.base
    if whole is None or whole.filename is None or not os.path.exists(whole.filename):
        return
    assert isinstance(values, np.ndarray)
    last = sum((n - 1) * max(step, 0) for n, step in zip(values.shape, values.strides, strict=True))
    needed = whole.offset + values.ctypes.data - whole.ctypes.data + last + values.itemsize
    there = os.path.getsize(whole.filename)
    if there < needed:
        raise ParameterValueError(
            parameter,
            "must be a memory map of a file that is as long as it says",
            values,
            "write the file again, or state its shape",
            found=f"needs {needed:,} bytes of {whole.filename}, which has {there:,}",
        )
