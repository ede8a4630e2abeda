"""How often random tests repeat: enough to notice in `make test`, many times as often in `make fuzz`."""

import os
from typing import TypeVar

IS_FUZZ = "MINIREL_FUZZ" in os.environ
Value = TypeVar("Value")


def often(few: Value, many: Value) -> Value:
    """`few`, or `many` in `make fuzz`."""
    return many if IS_FUZZ else few
