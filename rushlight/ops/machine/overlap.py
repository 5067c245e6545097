"""Overlap: which writes are refused because what they read, or another element, lies in the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.memory.deferred import raw
from rushlight.core.memory.growth import memory_of
from rushlight.core.memory.strides import memory_extent, strided
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.warning import warn

# ops that look an element up after others were written: their operands may not even be the target itself
APART = {
    "_put", "cat", "gather", "index_add", "index_copy", "index_fill", "index_reduce", "index_select", "put",
    "scatter", "scatter_add", "scatter_reduce", "take",
}  # fmt: skip
# those of them that read all operands after `out=` was resized, and others that have `out=` only
APART_OUT = {"_rows_nonzero", "cat", "gather", "index_select", "kthvalue", "masked_select", "stack", "take"}
# those that look at `out=` before it gets its new size, when expanded dimensions are gone
BEFORE_RESIZE = {"_rows_nonzero", "index_select", "masked_select", "take"}
COMPARED_OUT = {
    "addbmm", "addmm", "addmv", "addr", "cumprod", "cumsum", "index_add", "index_copy", "index_reduce", "logcumsumexp",
    "polygamma", "_conj_physical", "_polygamma", "_where", "renorm", "scatter", "scatter_add", "scatter_reduce",
    "special.round",
}  # fmt: skip
# ops whose results torch computes in memory of its own, or does not compare
UNCHECKED = {"_fill", "addbmm", "addmm", "addmv", "baddbmm", "fill", "ldexp", "masked_scatter"}
# operands that torch does not compare with the target
IGNORED = {"index_fill": ("value",), "masked_fill": ("value",)}
# ops that write through expanded tensors, with a warning or without
EXPANDED = {
    "_copy_itself": "",
    "_put": "index_put_",
    "addmv": "",
    "index_fill": "index_fill_",
    "masked_fill": "masked_fill_",
    "threshold": "",
    "tril": "",
    "triu": "",
}

NONE, PARTIAL, FULL = range(3)


def refuse_overlap(op: Any, target: Tensor, arguments: tuple) -> None:
    """Refuse an in-place call whose other operands share memory with the target in a way torch refuses."""
    if op.name not in UNCHECKED:
        compare(op, target, arguments, op.tensors[1:], FULL if op.name in APART else PARTIAL)


def refuse_overlap_out(op: Any, out: Tensor, arguments: tuple) -> None:
    """As `refuse_overlap`, for `out=`: torch compares it with what pointwise ops read, and with few other inputs."""
    if op.name in BEFORE_RESIZE:
        require_places(op, out)
    if op.name in APART_OUT:
        if not joins_nothing(op, arguments):
            compare(op, resized(op, out, arguments), arguments, op.tensors, FULL)
        return
    if is_pointwise(op):
        require_places(op, out)
    if out._storage is not None and (op.name in COMPARED_OUT or is_pointwise(op)):
        compare(op, out, arguments, op.tensors, PARTIAL)
    if op.name in APART and op.name not in APART_OUT:
        compare(op, out, arguments, op.tensors[1:], FULL)


def is_pointwise(op: Any) -> bool:
    """Whether an op combines elements at one place only: torch's have their rules for `out=` in common."""
    return getattr(op.samples, "pointwise", False) or op.name in ("_conj_physical", "_where")


def compare(op: Any, target: Tensor, arguments: tuple, positions: tuple, limit: int) -> None:
    """Refuse arguments whose memory meets that of the target: in part, or up to `limit`."""
    ignored = IGNORED.get(op.name, ())
    for position in positions:
        value = arguments[position]
        if op.names[position] in ignored:
            continue
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and NONE < overlap(target, each) <= limit:
                if op.name not in ("cat", "stack"):
                    require_places(op, target)
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single memory location. Please clone() the tensor before performing the operation."
                )


def resized(op: Any, out: Tensor, arguments: tuple) -> Tensor:
    """What `cat` and `stack` compare with what they join: `out=` with the number of elements that it will have."""
    if op.name not in ("cat", "stack") or out._storage is None or any([each is out for each in arguments[0]]):
        return out
    count = sum(each._array.size for each in arguments[0])
    memory, offset = memory_of(out), out.storage_offset()
    count = min(count, memory_extent(memory) - offset)
    if count == out._array.size:
        return out
    found = wrap(strided(memory, (count,), (1,), offset))
    found._storage = out._storage
    return found


def joins_nothing(op: Any, arguments: tuple) -> bool:
    """Whether `cat` or `stack` get only tensors that they pass over."""
    if op.name not in ("cat", "stack"):
        return False
    arrays = [each._array for each in arguments[0]]
    return not any([each.size or (op.name == "cat" and each.ndim != 1) for each in arrays])


def require_places(op: Any, target: Tensor) -> None:
    """Refuse a target whose elements have places in common, before anything else about its memory."""
    from rushlight.ops.machine.inplace import require_writable

    require_writable(raw(target._array), op.name)


def overlap(one: Tensor, other: Tensor) -> int:
    """How two tensors share memory, as far as torch looks: it compares the ranges of those without gaps."""
    if one is other:
        return FULL
    if one._storage is None or other._storage is None or one._storage.array is not other._storage.array:
        return NONE
    first, second = raw(one._array), raw(other._array)
    if not (first.size and second.size and is_dense(first) and is_dense(second)):
        return NONE
    begins = [each.__array_interface__["data"][0] for each in (first, second)]
    ends = [begin + each.nbytes for begin, each in zip(begins, (first, second), strict=True)]
    if begins[0] == begins[1] and ends[0] == ends[1]:
        return FULL if first.strides == second.strides else PARTIAL
    return PARTIAL if begins[0] < ends[1] and begins[1] < ends[0] else NONE


def is_dense(array: np.ndarray) -> bool:
    """Whether the elements fill a block of memory, each a place of its own, in any order of dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    step = array.itemsize
    for stride, extent in sorted(zip(array.strides, array.shape, strict=True)):
        if extent != 1:
            if stride != step:
                return False
            step *= extent
    return True


def may_write_expanded(name: str, array: np.ndarray) -> bool:
    """Whether an op may write where several elements stand at one place; torch warns of some."""
    if name in ("tril", "triu") and not has_batch_of_blocks(array):
        return False
    shown = EXPANDED.get(name)
    if shown:
        warn(
            f"Use of {shown} on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. Where elements share a place in memory, writing one writes all of them."
        )
    return shown is not None


def has_batch_of_blocks(array: np.ndarray) -> bool:
    """Whether matrices follow each other without gaps, as far as torch asks: more than one batch, but for the first."""
    if array.ndim <= 3:
        return True
    step = array.itemsize * array.shape[-1] * array.shape[-2]
    for place in range(array.ndim - 3, -1, -1):
        stride, extent = array.strides[place], array.shape[place]
        if stride != step and (place or (stride and extent != 1)):
            return False
        step *= extent
    return True


def write_changed(array: np.ndarray, result: np.ndarray) -> None:
    """Write what differs, so that an element that stays does not undo the change of another at its place."""
    np.copyto(array, result, where=result != array)
