"""Objects: anything that can be pickled, between processes; tensors travel faster by themselves."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from rushlight.distributed import mpi
from rushlight.distributed.collectives import begin, member
from rushlight.distributed.point_to_point import Tested
from rushlight.distributed.process_group import ProcessGroup, number_in
from rushlight.distributed.work import Work


def packed(value: Any) -> np.ndarray:
    return np.frombuffer(pickle.dumps(value, protocol=5), np.uint8)


def unpacked(content: np.ndarray) -> Any:
    return pickle.loads(content.tobytes())


def wait(group: ProcessGroup, name: str, request: Any, partner: int | None = None) -> None:
    work = Work(group, name, request)
    work.partner = partner
    work.wait()


def gathered(group: ProcessGroup, name: str, content: np.ndarray, root: int | None = None) -> list[Any] | None:
    """The objects of all processes: for everybody, or for the process `root` alone."""
    comm, size = group.comm, group._size
    lengths = np.empty(size, np.int64)
    wait(group, name, comm.Iallgather(np.array([content.size], np.int64), lengths))
    mine = root is None or root == group._rank
    together = np.empty(int(lengths.sum()) if mine else 0, np.uint8)
    counts = lengths.tolist()
    starts = [sum(counts[:index]) for index in range(size)]
    target = [together, (counts, starts), mpi.load().UINT8_T]
    if root is None:
        request = comm.Iallgatherv(content, target)
    else:
        request = comm.Igatherv(content, target if mine else None, root)
    wait(group, name, request)
    if not mine:
        return None
    return [unpacked(together[start : start + count]) for start, count in zip(starts, counts, strict=True)]


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Put the object of each process into the list, in the order of their ranks."""
    found = member(group, "all_gather_object")
    if found is None:
        return
    begin(found, "all_gather_object")
    for index, each in enumerate(gathered(found, "all_gather_object", packed(obj)) or ()):
        object_list[index] = each


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Put the object of each process into the list of process `dst`."""
    found = member(group, "gather_object")
    if found is None:
        return
    root = number_in(found, 0 if dst is None and group_dst is None else dst, group_dst, "gather")
    if found._rank == root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if found._rank != root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    begin(found, "gather_object", (), f"to {root}")
    objects = gathered(found, "gather_object", packed(obj), root)
    if objects is not None and object_gather_list is not None:
        object_gather_list[: len(objects)] = objects


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Put the objects in the list of process `src` into those of all others."""
    found = member(group, "broadcast_object_list")
    if found is None:
        return
    root = number_in(found, 0 if src is None and group_src is None else src, group_src, "broadcast")
    begin(found, "broadcast_object_list", (), f"from {root}")
    is_root = found._rank == root
    content = packed(list(object_list)) if is_root else np.empty(0, np.uint8)
    length = np.array([content.size], np.int64)
    wait(found, "broadcast_object_list", found.comm.Ibcast(length, root))
    if not is_root:
        content = np.empty(int(length[0]), np.uint8)
    wait(found, "broadcast_object_list", found.comm.Ibcast(content, root))
    if not is_root:
        for index, each in enumerate(unpacked(content)):
            object_list[index] = each


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Put the objects in the list of process `src` into the first places of the processes' lists, one each."""
    found = member(group, "scatter_object_list")
    if found is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = number_in(found, 0 if src is None and group_src is None else src, group_src, "scatter")
    is_root = found._rank == root
    if is_root and scatter_object_input_list is None:
        raise ValueError("source rank must provide non-None scatter_object_input_list")
    contents = [packed(each) for each in scatter_object_input_list or ()] if is_root else []
    if is_root and len(contents) != found._size:
        raise RuntimeError(
            f"ProcessGroupMPI::scatter: Incorrect input list size {len(contents)}. Input list size should be "
            f"{found._size}, same as size of the process group."
        )
    begin(found, "scatter_object_list", (), f"from {root}")
    lengths = np.array([each.size for each in contents], np.int64) if is_root else None
    own = np.empty(1, np.int64)
    wait(found, "scatter_object_list", found.comm.Iscatter(lengths, own, root))
    got = np.empty(int(own[0]), np.uint8)
    sent: Any = None
    if is_root:
        counts = [each.size for each in contents]
        starts = [sum(counts[:index]) for index in range(len(counts))]
        sent = [np.concatenate(contents), (counts, starts), mpi.load().UINT8_T]
    wait(found, "scatter_object_list", found.comm.Iscatterv(sent, got, root))
    scatter_object_output_list[0] = unpacked(got)


# object lists have a tag of their own, so that no tensor is mistaken for their lengths
OBJECTS = 31999


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send the objects in the list to process `dst`."""
    found = member(group, "send_object_list")
    if found is None:
        return
    partner = number_in(found, dst, group_dst, "send")
    content = packed(list(object_list))
    rank = found.ranks[partner]
    wait(found, "send", found.comm.Isend(np.array([content.size], np.int64), partner, OBJECTS), rank)
    wait(found, "send", found.comm.Isend(content, partner, OBJECTS), rank)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive objects into the list, from anybody if nobody is named; returns the sender's rank."""
    found = member(group, "recv_object_list")
    if found is None:
        return -1
    MPI = mpi.load()
    anybody = src is None and group_src is None
    partner = MPI.ANY_SOURCE if anybody else number_in(found, src, group_src, "recv")
    status, length = MPI.Status(), np.empty(1, np.int64)
    rank = None if anybody else found.ranks[partner]
    wait(found, "recv", Tested(found.comm.Irecv(length, partner, OBJECTS), status), rank)
    partner = status.Get_source()
    content = np.empty(int(length[0]), np.uint8)
    wait(found, "recv", found.comm.Irecv(content, partner, OBJECTS), found.ranks[partner])
    for index, each in enumerate(unpacked(content)):
        object_list[index] = each
    return found.ranks[partner]
