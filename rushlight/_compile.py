"""torch._compile: the decorator by which optimizers of packages stay out of compiled functions."""

from __future__ import annotations

import functools
from typing import Any

from rushlight.compiler.marks import disable


def _disable_dynamo(fn: Any = None, recursive: bool = True) -> Any:
    if fn is None:
        return functools.partial(_disable_dynamo, recursive=recursive)
    return disable(fn, recursive)
