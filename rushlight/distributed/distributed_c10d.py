"""What torch keeps in `torch.distributed.distributed_c10d`: everything about groups and collectives, in one place."""

from __future__ import annotations

import os
from typing import Any

from rushlight.core.surface.lazy import missing
from rushlight.distributed import mpi
from rushlight.distributed.collectives import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from rushlight.distributed.objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from rushlight.distributed.point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from rushlight.distributed.process_group import (
    ProcessGroup,
    default_group,
    default_pg_timeout,  # noqa: F401
    get_backend,
    get_backend_config,
    get_default_backend_for_device,
    get_global_rank,
    get_group_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    is_initialized,
    is_outsider,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
)
from rushlight.distributed.reductions import FOR_COMPLEX, word_of
from rushlight.distributed.starting import destroy_process_group, init_process_group
from rushlight.distributed.words import Backend, GroupMember, ReduceOp, group, reduce_op
from rushlight.distributed.work import Work

__all__ = [
    "Backend",
    "GroupMember",
    "P2POp",
    "ProcessGroup",
    "ReduceOp",
    "Work",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_single",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_backend_config",
    "get_default_backend_for_device",
    "get_global_rank",
    "get_group_rank",
    "get_pg_count",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_op",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "supports_complex",
]

# torch's newer names for the forms with one tensor
all_gather_single = all_gather_into_tensor
reduce_scatter_single = reduce_scatter_tensor
_get_default_group = default_group
_rank_not_in_group = is_outsider
_world = group


def is_nccl_available() -> bool:
    """Whether NCCL carries messages: no, it is for graphics cards."""
    return False


def is_gloo_available() -> bool:
    """Whether a group of the backend 'gloo' can be made: MPI carries it, where mpi4py is installed."""
    return mpi.is_installed()


def is_mpi_available() -> bool:
    """Whether MPI carries messages: where mpi4py is installed."""
    return mpi.is_installed()


def is_ucc_available() -> bool:
    """Whether UCC carries messages: no."""
    return False


def is_xccl_available() -> bool:
    """Whether XCCL carries messages: no."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a group of this backend can be made."""
    return backend.lower() in ("mpi", "gloo") and mpi.is_installed()


def is_torchelastic_launched() -> bool:
    """Whether torchrun, or `python -m rushlight.distributed.run`, has started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def supports_complex(reduceOp: Any) -> bool:
    """Whether a reduction takes complex numbers."""
    return word_of(reduceOp) in FOR_COMPLEX


# inside of torch, and imported by packages all the same
LEFT_OUT = """PrefixStore ProcessGroupGloo ProcessGroupNCCL Store TCPStore _new_process_group_helper _get_default_store
_find_pg_by_ranks_and_tag _object_to_tensor _tensor_to_object rendezvous""".split()


def __getattr__(name: str) -> Any:
    from rushlight import distributed
    from rushlight.core.surface.refusals import value_of
    from rushlight.distributed.names import INSIDE, OWN

    if name not in LEFT_OUT:
        raise missing("torch.distributed.distributed_c10d", name)
    if any(name in names for names in OWN.values()):
        return getattr(distributed, name)
    return value_of(f"distributed.distributed_c10d.{name}", (), INSIDE)
