"""torch.distributed: several processes on one model, which Rushlight does not do; its names say so when used."""

from __future__ import annotations

import os
from datetime import timedelta

from rushlight.core.surface.refusals import make_modules, names_refused
from rushlight.distributed.names import NAMES, WHY
from rushlight.distributed.reductions import Backend, GroupMember, ReduceOp, group, reduce_op

__all__ = [
    "Backend",
    "GroupMember",
    "ReduceOp",
    "get_node_local_rank",
    "group",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "reduce_op",
    *NAMES[""],
]

default_pg_timeout = timedelta(minutes=30)


def is_available() -> bool:
    """Whether processes can work on one model: no."""
    return False


def is_initialized() -> bool:
    """Whether this process belongs to a group: no."""
    return False


def is_nccl_available() -> bool:
    """Whether NCCL carries messages: no."""
    return False


def is_gloo_available() -> bool:
    """Whether Gloo carries messages: no."""
    return False


def is_mpi_available() -> bool:
    """Whether MPI carries messages: no."""
    return False


def is_ucc_available() -> bool:
    """Whether UCC carries messages: no."""
    return False


def is_xccl_available() -> bool:
    """Whether XCCL carries messages: no."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a library that carries messages is there: none is."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchrun has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The number of this process on its machine, as LOCAL_RANK says; else the fallback."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow get_node_local_rank"
    )


__getattr__ = names_refused("rushlight.distributed", NAMES[""], WHY)
make_modules("rushlight.distributed", {place: names for place, names in NAMES.items() if place}, WHY, ["rendezvous"])

for _place, _names in {
    "distributed_c10d": {"Backend": Backend, "GroupMember": GroupMember, "ReduceOp": ReduceOp, "group": group},
    "constants": {"default_pg_timeout": default_pg_timeout, "default_pg_nccl_timeout": timedelta(minutes=10)},
}.items():
    vars(globals()[_place]).update(_names)
vars(globals()["distributed_c10d"]).update(
    default_pg_timeout=default_pg_timeout,
    is_available=is_available,
    is_initialized=is_initialized,
    is_mpi_available=is_mpi_available,
    is_nccl_available=is_nccl_available,
    is_xccl_available=is_xccl_available,
    _world=group,
)
