"""torch.__config__: what this library was built with and what runs in parallel, as text."""

import os
import platform

import numpy as np

from rushlight import native
from rushlight.core.settings.threads import get_num_interop_threads, get_num_threads

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What this library is made of, one thing a line."""
    import rushlight

    core = native.extension
    library = None if core is None else core.blas_info()
    lines = [
        "PyTorch built with:",
        f"  - Rushlight {rushlight.__version__}, which stands for PyTorch {rushlight.version.__version__}",
        f"  - Python {platform.python_version()}, NumPy {np.__version__}",
        f"  - BLAS and LAPACK: {'those of NumPy' if library is None else library[0]}",
        f"  - CPU capability usage: {rushlight.backends.cpu.get_cpu_capability()}",
        f"  - Native layer: {'off' if core is None else 'on'}",
        f"  - Build settings: TORCH_VERSION={rushlight.version.__version__}, USE_CUDA=0, USE_MKL=OFF, USE_MKLDNN=OFF, "
        "USE_MPI=OFF, USE_NCCL=OFF, USE_OPENMP=OFF, USE_ROCM=OFF, ",
    ]
    return "\n".join(lines) + "\n"


def parallel_info() -> str:
    """How many threads there are."""
    lines = [
        "ATen/Parallel:",
        f"\tat::get_num_threads() : {get_num_threads()}",
        f"\tat::get_num_interop_threads() : {get_num_interop_threads()}",
        f"std::thread::hardware_concurrency() : {os.cpu_count()}",
        "Environment variables:",
        *(f"\t{name} : {os.environ.get(name, '[not set]')}" for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")),
        f"ATen parallel backend: {'NumPy' if native.extension is None else 'native threads'}",
    ]
    return "\n".join(lines) + "\n"


def _cxx_flags() -> str:
    """The flags of the compiler: not recorded."""
    return ""
