"""Starting and ending: `init_process_group` finds the processes that mpiexec has started, and the end tells them."""

from __future__ import annotations

import atexit
import os
import sys
from datetime import timedelta
from typing import Any

from rushlight.distributed import checks, environment, failures, mpi
from rushlight.distributed.collectives import wait_for_pending
from rushlight.distributed.process_group import (
    ProcessGroup,
    default_pg_timeout,
    given,
    is_outsider,
    next_name,
    register,
    seconds,
    world,
)
from rushlight.distributed.watch import Watch
from rushlight.distributed.words import Backend
from rushlight.errors.explained import explained
from rushlight.errors.warning import warn

HOW = "start the program with `python -m rushlight.distributed.run --nproc_per_node {} script.py`, or with mpiexec"
CARRIED = ("mpi", "gloo", "undefined")


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:
    """Let this process and the others that mpiexec has started with it know each other.

    `backend` is None, "mpi" or "gloo"; MPI carries messages in each case, and finds the others by itself: addresses in
    `init_method` and `store` are not needed.
    """
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    name = checked_backend(backend)
    limit = default_pg_timeout if timeout is None else timedelta(seconds=seconds(timeout))
    MPI = mpi.load()
    check_size(MPI.COMM_WORLD.Get_size(), world_size, rank)
    comm = ordered(MPI.COMM_WORLD, rank)
    environment.complete()
    checks.set_debug_level_from_env()
    if comm.Get_size() > 1:
        begin_watch(MPI, comm)
    if backend is not None and name == "gloo" and comm.Get_rank() == 0 and comm.Get_size() > 1:
        tell_once()
    ranks = tuple(range(comm.Get_size()))
    world.set_default(register(ProcessGroup(comm, ranks, name, limit, next_name(), "default_pg")))


def checked_backend(backend: str | None) -> str:
    """The name of a backend that MPI can stand for."""
    if backend is None:
        return "mpi"
    devices = dict(part.split(":", 1) for part in backend.lower().split(",") if ":" in part)
    name = devices.get("cpu", Backend(backend) if not devices else "")
    if name in CARRIED:
        return str(name)
    if name not in Backend.backend_list and not devices:
        raise AssertionError(f"Unknown backend type {backend}: use 'mpi', or 'gloo', which MPI carries too")
    shown = (name or next(iter(devices.values()))).upper()
    raise explained(
        RuntimeError,
        f"Distributed package doesn't have {shown} built in",
        fix="there is one device, the CPU: init_process_group('mpi'), or 'gloo', which MPI carries as well",
    )


def check_size(there: int, wanted: int, rank: int) -> None:
    """Compare the number of processes that the caller, or who started it, has in mind with those that MPI knows."""
    told = wanted if wanted > 0 else environment.number("WORLD_SIZE")
    if told is not None and told != there:
        raise explained(
            RuntimeError,
            f"init_process_group: {told} processes are expected, and MPI knows of {there}",
            fix=HOW.format(told) + "; mpiexec has to belong to the MPI that mpi4py has loaded",
        )
    if rank >= there:
        raise ValueError(f"init_process_group: rank {rank} of {there} processes")


def ordered(comm: Any, rank: int) -> Any:
    """A communicator of our own, in the order of ranks that RANK or the caller says, if MPI's is another."""
    number = rank if rank >= 0 else environment.number("RANK")
    return comm.Split(0, comm.Get_rank() if number is None else number)


def tell_once() -> None:
    """That what was asked for is carried by something else; scripts say gloo because torch has it everywhere."""
    if os.environ.get("RUSHLIGHT_TOLD_GLOO") is None:
        os.environ["RUSHLIGHT_TOLD_GLOO"] = "1"
        warn("the backend 'gloo' is carried by MPI in Rushlight; write backend='mpi' or leave it out to hear no more")


def begin_watch(MPI: Any, comm: Any) -> None:
    """See to it that an error here, or the end of this process, is known to all."""
    if world.watch is None:
        world.watch = Watch(world, comm.Dup(), MPI)
        sys.excepthook = failures.with_rank(sys.excepthook, comm.Get_rank(), MPI.COMM_WORLD.Abort)
        atexit.register(end)
    world.watch.epoch += 1


def end() -> None:
    """The end of the process: tell the others, and wait for their last words."""
    if world.watch is not None:
        if world.default is not None:
            world.watch.leave()
        world.watch.close()


def destroy_process_group(group: Any = None) -> None:
    """Leave a group; without one, all of them."""
    if is_outsider(group):
        return
    if group is None and world.default is None:
        raise AssertionError("Process group cannot be None")
    if group is not None and not isinstance(group, ProcessGroup):
        raise ValueError("Invalid process group specified")
    found = given(group)
    if found is not world.default:
        wait_for_pending(found)
        del world.groups[found.group_name]
        found.comm.Free()
        return
    for each in world.groups.values():
        wait_for_pending(each)
    if world.watch is not None:
        world.watch.leave()
    world.groups.clear()
    world.set_default(None)
