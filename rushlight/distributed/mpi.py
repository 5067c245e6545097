"""MPI itself: the one place that imports mpi4py, when the first process group is started."""

from __future__ import annotations

import functools
import importlib.util
import os
from typing import Any

INSTALL = "pip install 'rushlight[distributed]', which brings mpi4py and an MPI"


@functools.cache
def is_installed() -> bool:
    """Whether mpi4py is there; it is not loaded for that."""
    return importlib.util.find_spec("mpi4py") is not None


@functools.cache
def load() -> Any:
    """The module `mpi4py.MPI`, with MPI started; raises an error that says what to install."""
    if not is_installed():
        raise RuntimeError(f"torch.distributed runs on MPI, and mpi4py is not installed: {INSTALL}")
    # mpiexec gives as many processes as it is told, also more than there are cores: Open MPI then has to give way
    os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise RuntimeError(
            f"torch.distributed runs on MPI; mpi4py is installed, but finds no MPI library ({error}): {INSTALL}"
        ) from error
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        raise RuntimeError(
            "torch.distributed needs an MPI that several threads may call (MPI_THREAD_MULTIPLE); this one, "
            f"{MPI.Get_library_version().splitlines()[0]}, offers less: {INSTALL}"
        )
    return MPI


@functools.cache
def IN_PLACE() -> Any:
    """MPI's word for memory that is read and written."""
    return load().IN_PLACE
