"""Collectives: each process of a group gives a tensor, and each gets its part of what they make together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from rushlight.core.numbers.dtypes import from_numpy
from rushlight.core.object.tensor import Tensor
from rushlight.distributed import mpi
from rushlight.distributed.buffers import array_of, in_a_row, message, write, writes_to
from rushlight.distributed.process_group import ProcessGroup, default_group, given, is_outsider, number_in
from rushlight.distributed.reductions import average, operation, word_of
from rushlight.distributed.words import RedOpType, ReduceOp
from rushlight.distributed.work import Work
from rushlight.errors.warning import warn

SUM, AVG = ReduceOp.SUM, RedOpType.AVG


def member(group: Any, name: str) -> ProcessGroup | None:
    """The group of a collective; None, with a warning, for a process that is not in it."""
    if is_outsider(group):
        warn(f"Running {name} on global rank {default_group()._rank} which does not belong to the given group.")
        return None
    return given(group)


def begin(group: ProcessGroup, name: str, tensors: Sequence[Tensor] = (), detail: str = "") -> None:
    """Count a collective, and compare it with what others do where that was asked for."""
    group.sequence += 1
    if group.checks is not None:
        group.checks.compare(name, tensors, detail)


def hand_over(work: Work, async_op: bool) -> Work | None:
    """The work of an asynchronous call; an ordinary one is waited for."""
    if async_op:
        work.group.pending.add(work)
        return work
    work.wait()
    return None


def require_tensor(value: Any, name: str) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )


def require_tensors(values: Any, name: str) -> None:
    if not isinstance(values, list) or not all(isinstance(each, Tensor) for each in values):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(values)} instead."
        )


def require_one_dtype(*tensors: Tensor) -> None:
    first = tensors[0].dtype
    for each in tensors:
        if each.dtype is not first:
            raise ValueError(f"Invalid usage of tensors with different dtypes: Found {first} and {each.dtype}")


def require_sizes(name: str, tensors: Sequence[Tensor], like: Tensor) -> None:
    for index, each in enumerate(tensors):
        if each.shape != like.shape:
            expected, got = (str(tuple(one.shape)).replace(",)", ")") for one in (like, each))
            raise RuntimeError(
                f"ProcessGroupMPI::{name}: invalid tensor size at index {index} (expected {expected}, got {got})"
            )


def write_back(tensor: Tensor, array: np.ndarray) -> Callable[[], None] | None:
    """What puts a copy that MPI has written to into its tensor; None where MPI writes to the tensor itself."""
    return None if writes_to(tensor, array) else lambda: write(tensor, array)


def after_reduction(tensor: Tensor, array: np.ndarray, word: RedOpType, count: int) -> Callable[[], None] | None:
    """What is left to do when a reduction has come: divide, for an average, and write it where it belongs."""
    if word is not AVG:
        return write_back(tensor, array)

    def finish() -> None:
        average(array, count)
        if not writes_to(tensor, array):
            write(tensor, array)

    return finish


def all_reduce(tensor: Tensor, op: Any = SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Put the sum of all processes' tensors, or what `op` makes of them, into each of them."""
    require_tensor(tensor, "tensor")
    found = member(group, "all_reduce") if group is not None else default_group()
    if found is None:
        return None
    array = in_a_row(array_of(tensor))
    word = word_of(op)
    operator = operation(word, array.dtype)
    begin(found, "all_reduce", (tensor,), word.name)
    request = found.comm.Iallreduce(mpi.IN_PLACE(), message(array), operator)
    work = Work(found, "all_reduce", request, after_reduction(tensor, array, word, found._size), (tensor,))
    return hand_over(work, async_op)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Put the sum of all tensors, or what `op` makes of them, into that of process `dst`; others keep theirs."""
    require_tensor(tensor, "tensor")
    found = member(group, "reduce")
    if found is None:
        return None
    root = number_in(found, dst, group_dst, "reduce")
    array, word = in_a_row(array_of(tensor)), word_of(op)
    operator = operation(word, array.dtype, "reduce")
    begin(found, "reduce", (tensor,), f"{word.name} to {root}")
    finish = None
    if found._rank == root:
        request = found.comm.Ireduce(mpi.IN_PLACE(), message(array), operator, root)
        finish = after_reduction(tensor, array, word, found._size)
    else:
        request = found.comm.Ireduce(message(array), None, operator, root)
    return hand_over(Work(found, "reduce", request, finish or (lambda: keep(array)), (tensor,)), async_op)


def keep(*objects: Any) -> None:
    """Nothing: what a work names in its last step lives until then, as memory has to that MPI reads."""


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Put the tensor of process `src` into those of all others."""
    require_tensor(tensor, "tensor")
    found = member(group, "broadcast")
    if found is None:
        return None
    root = number_in(found, src, group_src, "broadcast")
    array = in_a_row(array_of(tensor))
    begin(found, "broadcast", (tensor,), f"from {root}")
    request = found.comm.Ibcast(message(array), root)
    finish = (lambda: keep(array)) if found._rank == root else write_back(tensor, array)
    return hand_over(Work(found, "broadcast", request, finish, (tensor,)), async_op)


def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Put the tensor of each process into the list, in the order of their ranks."""
    require_tensors(tensor_list, "tensor_list")
    require_tensor(tensor, "tensor")
    require_one_dtype(*tensor_list, tensor)
    found = member(group, "all_gather")
    if found is None:
        return None
    require_count("allgather", "output", tensor_list, found)
    require_sizes("allgather", tensor_list, tensor)
    given_array = in_a_row(array_of(tensor))
    together = np.empty((found._size, *tensor.shape), given_array.dtype)
    begin(found, "all_gather", (tensor,))
    request = found.comm.Iallgather(message(given_array), message(together))

    def finish() -> None:
        keep(given_array)
        for target, part in zip(tensor_list, together, strict=True):
            write(target, part)

    return hand_over(Work(found, "all_gather", request, finish, tensor_list), async_op)


def require_count(name: str, which: str, tensors: Sequence[Tensor], group: ProcessGroup) -> None:
    if len(tensors) != group._size:
        raise RuntimeError(
            f"ProcessGroupMPI::{name}: invalid {which} tensor list at index 0 (expected length {group._size}, "
            f"got {len(tensors)})"
        )


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Put the tensors of all processes one after the other, or stacked, into one."""
    require_tensor(input_tensor, "input_tensor")
    require_tensor(output_tensor, "output_tensor")
    found = member(group, "all_gather_into_tensor")
    if found is None:
        return None
    require_one_dtype(output_tensor, input_tensor)
    if output_tensor.numel() != found._size * input_tensor.numel():
        raise RuntimeError(
            f"ProcessGroupMPI::allgather: invalid tensor size: output of {found._size} x {input_tensor.numel()} "
            f"elements expected, got {tuple(output_tensor.shape)}"
        )
    given_array, array = in_a_row(array_of(input_tensor)), in_a_row(array_of(output_tensor))
    begin(found, "all_gather_into_tensor", (input_tensor,))
    sent = given_array
    if np.shares_memory(given_array, array):
        sent = given_array.copy()
    request = found.comm.Iallgather(message(sent), message(array))

    def finish() -> None:
        keep(sent)
        if not writes_to(output_tensor, array):
            write(output_tensor, array)

    return hand_over(Work(found, "all_gather_into_tensor", request, finish, (output_tensor,)), async_op)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Put the tensor of each process into the list of process `dst`."""
    require_tensor(tensor, "tensor")
    if gather_list:
        require_tensors(gather_list, "gather_list")
    found = member(group, "gather")
    if found is None:
        return None
    root = number_in(found, 0 if dst is None and group_dst is None else dst, group_dst, "gather")
    is_root = found._rank == root
    check_list("gather_list", "output", gather_list, is_root, "destination", found, tensor)
    given_array = in_a_row(array_of(tensor))
    together = np.empty((found._size, *tensor.shape), given_array.dtype) if is_root else None
    begin(found, "gather", (tensor,), f"to {root}")
    request = found.comm.Igather(message(given_array), None if together is None else message(together), root)

    def finish() -> None:
        keep(given_array)
        for target, part in zip(gather_list or (), () if together is None else together, strict=True):
            write(target, part)

    return hand_over(Work(found, "gather", request, finish, gather_list or ()), async_op)


def check_list(
    argument: str, which: str, tensors: list[Tensor] | None, is_root: bool, side: str, group: ProcessGroup, like: Tensor
) -> None:
    """The list that one process of a gather or scatter has, and the others have not."""
    name = argument.partition("_")[0]
    if not is_root:
        if tensors:
            raise ValueError(f"Argument ``{argument}`` must NOT be specified on non-{side} ranks.")
        return
    if not tensors:
        raise ValueError(f"Argument ``{argument}`` must be specified on {side} rank.")
    if len(tensors) != group._size:
        raise RuntimeError(
            f"ProcessGroupMPI::{name}: Incorrect {which} list size {len(tensors)}. {which.capitalize()} list size "
            f"should be {group._size}, same as size of the process group."
        )
    require_one_dtype(*tensors, like)
    require_sizes(name, tensors, like)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Put the tensors in the list of process `src` into those of the processes, one each."""
    require_tensor(tensor, "tensor")
    if scatter_list:
        require_tensors(scatter_list, "scatter_list")
    found = member(group, "scatter")
    if found is None:
        return None
    root = number_in(found, 0 if src is None and group_src is None else src, group_src, "scatter")
    is_root = found._rank == root
    check_list("scatter_list", "input", scatter_list, is_root, "source", found, tensor)
    together = np.stack([array_of(each) for each in scatter_list or ()]) if is_root else None
    array = in_a_row(array_of(tensor))
    begin(found, "scatter", (tensor,), f"from {root}")
    request = found.comm.Iscatter(None if together is None else message(together), message(array), root)

    def finish() -> None:
        keep(together)
        if not writes_to(tensor, array):
            write(tensor, array)

    return hand_over(Work(found, "scatter", request, finish, (tensor,)), async_op)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: Any = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the lists of all processes element by element; each process gets the one of its number."""
    require_tensor(output, "output")
    require_tensors(input_list, "input_list")
    require_one_dtype(output, *input_list)
    found = member(group, "reduce_scatter")
    if found is None:
        return None
    if len(input_list) != found._size:
        raise RuntimeError("invalid input tensor list size, must be world size")
    require_sizes("reduce_scatter", input_list, output)
    together = np.stack([array_of(each) for each in input_list])
    return reduce_and_scatter(found, "reduce_scatter", output, together, op, async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduce the tensors of all processes; each process gets the part of its number."""
    require_tensor(output, "output")
    require_tensor(input, "input")
    found = member(group, "reduce_scatter_tensor")
    if found is None:
        return None
    require_one_dtype(output, input)
    if input.numel() != found._size * output.numel():
        raise RuntimeError(
            f"reduce_scatter_tensor: input of {found._size} x {output.numel()} elements expected, "
            f"got {tuple(input.shape)}"
        )
    return reduce_and_scatter(found, "reduce_scatter_tensor", output, in_a_row(array_of(input)), op, async_op)


def reduce_and_scatter(
    group: ProcessGroup, name: str, output: Tensor, together: np.ndarray, op: Any, async_op: bool
) -> Work | None:
    array, word = in_a_row(array_of(output)), word_of(op)
    if np.shares_memory(array, together):
        together = together.copy()
    operator = operation(word, array.dtype, name)
    begin(group, name, (output,), word.name)
    request = group.comm.Ireduce_scatter_block(message(together), message(array), operator)
    last = after_reduction(output, array, word, group._size)

    def finish() -> None:
        keep(together)
        if last is not None:
            last()

    return hand_over(Work(group, name, request, finish, (output,)), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Cut the input into parts along its first dimension, and give one to each process."""
    require_tensor(output, "output")
    require_tensor(input, "input")
    found = member(group, "all_to_all_single")
    if found is None:
        return None
    require_one_dtype(output, input)
    gets = parts(output, output_split_sizes, found._size)
    gives = parts(input, input_split_sizes, found._size)
    given_array, array = in_a_row(array_of(input)), in_a_row(array_of(output))
    if np.shares_memory(given_array, array):
        given_array = given_array.copy()
    # sizes may differ between processes: nothing to compare but the kind
    begin(found, "all_to_all_single", (), str(output.dtype))
    request = found.comm.Ialltoallv(pieces(given_array, gives), pieces(array, gets))

    def finish() -> None:
        keep(given_array)
        if not writes_to(output, array):
            write(output, array)

    return hand_over(Work(found, "all_to_all_single", request, finish, (output,)), async_op)


def parts(tensor: Tensor, sizes: Sequence[int] | None, count: int) -> list[int]:
    """How many elements go to each process, from sizes along the first dimension."""
    shape = tensor.shape
    length, rest = (shape[0] if shape else 1), math.prod(shape[1:])
    if not sizes:
        if length % count:
            raise RuntimeError(
                f"Tensor's dim 0 ({length}) does not divide equally across group size ({count}): give the split sizes"
            )
        return [length // count * rest] * count
    if len(sizes) != count:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != length:
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size: {list(sizes)} of {length}")
    return [size * rest for size in sizes]


def pieces(array: np.ndarray, counts: list[int]) -> list:
    memory, kind = message(array)
    starts = [sum(counts[:index]) for index in range(len(counts))]
    return [memory, (counts, starts), kind]


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """Give one tensor of the list to each process, and get one from each."""
    require_tensors(output_tensor_list, "output_tensor_list")
    require_tensors(input_tensor_list, "input_tensor_list")
    require_one_dtype(*output_tensor_list, *input_tensor_list)
    found = member(group, "all_to_all")
    if found is None:
        return None
    for which, tensors in (("input", input_tensor_list), ("output", output_tensor_list)):
        if len(tensors) != found._size:
            raise RuntimeError(
                f"ProcessGroupMPI::alltoall: {which} tensor list size {len(tensors)} does not match world size "
                f"{found._size}"
            )
    sent = np.concatenate([array_of(each).reshape(-1) for each in input_tensor_list])
    counts = [each.numel() for each in output_tensor_list]
    got = np.empty(sum(counts), sent.dtype)
    begin(found, "all_to_all", (), str(from_numpy(sent.dtype)))
    gives = [each.numel() for each in input_tensor_list]
    request = found.comm.Ialltoallv(pieces(sent, gives), pieces(got, counts))

    def finish() -> None:
        keep(sent)
        cuts = np.cumsum(counts)[:-1]
        for target, part in zip(output_tensor_list, np.split(got, cuts), strict=True):
            write(target, part)

    return hand_over(Work(found, "all_to_all", request, finish, output_tensor_list), async_op)


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all processes of the group are here."""
    found = member(group, "barrier")
    if found is None:
        return None
    begin(found, "barrier")
    work = Work(found, "barrier", found.comm.Ibarrier())
    if async_op or timeout is None:
        return hand_over(work, async_op)
    work.wait(timeout)
    return None


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """A barrier that names those who do not come in time."""
    found = member(group, "monitored_barrier")
    if found is None:
        return
    begin(found, "monitored_barrier")
    work = Work(found, "monitored_barrier", found.comm.Ibarrier())
    work.wait(timeout)


def all_reduce_coalesced(
    tensors: list[Tensor] | Tensor, op: Any = SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """`all_reduce` of several tensors at once."""
    given_tensors = [tensors] if isinstance(tensors, Tensor) else tensors
    require_tensors(given_tensors, "tensors")
    require_one_dtype(*given_tensors)
    found = member(group, "all_reduce_coalesced")
    if found is None:
        return None
    word = word_of(op)
    together = np.concatenate([array_of(each).reshape(-1) for each in given_tensors])
    operator = operation(word, together.dtype, "all_reduce_coalesced")
    begin(found, "all_reduce_coalesced", given_tensors, word.name)
    request = found.comm.Iallreduce(mpi.IN_PLACE(), message(together), operator)

    def finish() -> None:
        if word is AVG:
            average(together, found._size)
        cuts = np.cumsum([each.numel() for each in given_tensors])[:-1]
        for target, part in zip(given_tensors, np.split(together, cuts), strict=True):
            write(target, part)

    return hand_over(Work(found, "all_reduce_coalesced", request, finish, given_tensors), async_op)


def all_gather_coalesced(
    output_tensor_lists: list[list[Tensor]], input_tensor_list: list[Tensor], group: Any = None, async_op: bool = False
) -> Work | None:
    """`all_gather` of several tensors, one after the other; the work returned is that of the last."""
    require_tensors(input_tensor_list, "tensor_list")
    work = None
    for index, tensor in enumerate(input_tensor_list):
        if work is not None:
            work.wait()
        work = all_gather([each[index] for each in output_tensor_lists], tensor, group, async_op)
    return work


def wait_for_pending(group: ProcessGroup) -> None:
    """Wait for what was begun and never waited for."""
    for work in list(group.pending):
        work.wait()


__all__ = [
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "gather",
    "monitored_barrier",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
]
