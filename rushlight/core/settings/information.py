"""Information: what this installation is made of."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import numpy as np

from rushlight import native

__all__ = ["info"]


class Information(dict):
    """Facts by name, printed one a line."""

    def __repr__(self) -> str:
        width = max(map(len, self))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in self.items())


def info() -> dict[str, Any]:
    """What runs here: versions, the native layer and what it uses of the CPU, threads and memory.

    >>> torch.info()["native"]  # doctest: +SKIP
    'on, kernels for avx2'
    """
    from rushlight import __version__
    from rushlight.compat.stand_in import status
    from rushlight.core.settings.threads import get_num_threads

    core = native.extension
    found = Information(
        rushlight=__version__,
        python=platform.python_version(),
        numpy=np.__version__,
        platform=f"{sys.platform} {platform.machine()}, {os.cpu_count()} CPUs",
        native=f"off: {native.reason}; runs on NumPy alone" if core is None else f"on, kernels for {core.level()}",
        threads=get_num_threads(),
        torch=status(),
    )
    if core is not None:
        from rushlight import memory

        library = core.blas_info()
        found["blas"] = "none found; products go through NumPy" if library is None else library[0]
        found["memory"] = f"{memory.held():,} bytes kept for reuse, at most {memory.limit():,}"
    return found
