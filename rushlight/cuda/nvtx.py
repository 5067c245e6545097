"""torch.cuda.nvtx: marks for the profiler of GPUs, of which there are none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.surface.devices import names_without

WORDS = "NVTX functions not installed. Are you sure you have a CUDA build?: Rushlight runs on the CPU; leave {} out"
_found = names_without("cuda.nvtx", RuntimeError, WORDS, refused="mark range_end range_pop range_push range_start")
globals().update(_found)
__all__ = ["range", *_found]


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A range between two marks: refused, as in torch without a GPU."""
    _found["range_push"](msg)
    yield
