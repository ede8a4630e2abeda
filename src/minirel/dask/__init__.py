"""Fair clustering on a Dask cluster: the same passes, the same answer, wherever the points are.

Needs the extra `dask`: ``pip install "minirel[dask]"``, on the workers as well.
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError('minirel.dask needs Dask: pip install "minirel[dask]"') from error

from minirel.dask.audit import audit
from minirel.dask.cluster import WorkersLostError
from minirel.dask.estimator import MiniReL

__all__ = ["MiniReL", "WorkersLostError", "audit"]
