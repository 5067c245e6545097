"""torch.distributed: processes that work on one model, over MPI, which is loaded when the first group is started.

A call goes `collectives` (or `point_to_point`, `objects`) -> `process_group` (who takes part) -> `buffers` and
`reductions` (what MPI reads, and how it adds) -> `work` -> `waiting`, which asks the `watch` when somebody does not
come. A job goes `run` -> `mpiexec` -> `process` in each process -> `starting`; `job` sees to its end.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.core.surface.refusals import make_modules, value_of
from rushlight.distributed import distributed_c10d, mpi
from rushlight.distributed.checks import DebugLevel, get_debug_level, set_debug_level, set_debug_level_from_env
from rushlight.distributed.distributed_c10d import *
from rushlight.distributed.failures import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from rushlight.distributed.names import MODULES, OWN
from rushlight.distributed.process_group import default_pg_timeout
from rushlight.distributed.words import Backend, GroupMember, ReduceOp, group, reduce_op

__all__ = [
    *distributed_c10d.__all__,
    "DebugLevel",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "GradBucket",  # noqa: F405
    "QueueEmptyError",
    "get_debug_level",
    "get_node_local_rank",
    "is_available",
    "set_debug_level",
    "set_debug_level_from_env",
    *(name for names in OWN.values() for name in names),
]
# names, and modules, that are loaded when they are asked for
ELSEWHERE = {"GradBucket": "rushlight.nn.parallel.buckets"}
LATE = ("algorithms", "checkpoint", "constants", "elastic", "launch", "nn", "optim", "run")


def is_available() -> bool:
    """Whether processes can work on one model: where mpi4py is installed."""
    return mpi.is_installed()


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process on its machine, as LOCAL_RANK says; else the fallback."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work"
    )


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in LATE:
        return import_module(f"rushlight.distributed.{name}")
    if name in ELSEWHERE:
        found = getattr(import_module(ELSEWHERE[name]), name)
    else:
        why = next((why for why, names in OWN.items() if name in names), None)
        if why is None:
            raise missing("torch.distributed", name)
        found = value_of(f"distributed.{name}", OWN[why][name], why)
    globals()[name] = found
    return found


for _why, _modules in MODULES.items():
    make_modules("rushlight.distributed", _modules, _why, ["rendezvous"])


def _has_rpc() -> bool:
    """Whether processes can call functions of each other: they cannot."""
    return False


for _name in ("autograd", "rpc"):
    sys.modules[f"rushlight.distributed.{_name}"].is_available = _has_rpc  # type: ignore[attr-defined]
