"""Layouts and memory formats: the order in which a tensor's elements stand in memory."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.memory.meta import Meta, reserve
from rushlight.core.memory.strides import contiguous_strides, is_fresh, strides_of
from rushlight.native import extension


class layout:
    """How elements are kept; `strided` is the only layout that holds memory here.

    >>> torch.zeros(2).layout
    torch.strided
    """

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple:
        return by_name, (self.name,)


class memory_format:
    """An order of dimensions in memory, such as `channels_last`.

    >>> images = torch.zeros(2, 3, 4, 4).to(memory_format=torch.channels_last)
    >>> images.shape, images.stride()
    (torch.Size([2, 3, 4, 4]), (48, 1, 12, 3))
    """

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple:
        return by_name, (self.name,)


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr, sparse_csc = layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc = layout("sparse_bsr"), layout("sparse_bsc")
jagged = layout("jagged")

contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def by_name(name: str) -> layout | memory_format:
    return globals()[name]


def check_layout(wanted: layout | None) -> None:
    """Refuse every layout but `strided`."""
    if wanted is None or wanted is strided:
        return
    if not isinstance(wanted, layout):
        raise TypeError(f"argument 'layout' must be torch.layout, not {type(wanted).__name__}")
    raise NotImplementedError(f"Rushlight has no {wanted!r} tensors; use torch.strided, or scipy.sparse beside it")


def channels_last_strides(shape: tuple[int, ...], form: memory_format) -> tuple[int, ...]:
    """Strides in elements with the channels, dimension 1, next to each other."""
    rank = 4 if form is channels_last else 5
    if len(shape) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {form.name} format")
    strides, step = [0] * rank, 1
    for dim in (1, *range(rank - 1, 1, -1), 0):
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def dense_strides(array: np.ndarray) -> tuple[int, ...]:
    """The strides that `preserve_format` gives a copy: the array's own, or its order of dimensions packed."""
    given = strides_of(array)
    kept = array.flags.c_contiguous or is_dense(array.shape, given)
    return given if kept else packed_strides(array.shape, [given])


def is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the elements fill their memory without gaps, each in a place of its own."""
    if 0 in shape:
        return True
    step = 1
    for stride, extent in sorted([(b, a) for a, b in zip(shape, strides, strict=True) if a != 1]):
        if stride != step:
            return False
        step *= extent
    return True


def common_strides(shape: tuple[int, ...], arrays: list[np.ndarray]) -> tuple[int, ...]:
    """The strides that torch gives the result of a pointwise op: the order of its inputs, the first one deciding."""
    given = [strides_of(each) for each in arrays]
    if all([each.shape == shape for each in arrays]):
        if all([each.flags.c_contiguous for each in arrays]):
            return contiguous_strides(shape)
        if len(shape) == 4:
            last = channels_last_strides(shape, channels_last)
            if all([steps_alike(shape, each, last) for each in given]):
                return last
        if len(set(given)) == 1 and is_dense(shape, given[0]):
            return given[0]
    broadcast = []
    for array, strides in zip(arrays, given, strict=True):
        own = zip(array.shape, strides, shape[len(shape) - array.ndim :], strict=True)
        steps = [0 if extent == 1 and wanted != 1 else step for extent, step, wanted in own]
        broadcast.append((*[0] * (len(shape) - array.ndim), *steps))
    return packed_strides(shape, broadcast)


def steps_alike(shape: tuple[int, ...], one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether strides agree, but for dimensions of size 1, where nothing steps."""
    return all([a == b or extent == 1 for extent, a, b in zip(shape, one, other, strict=True)])


def packed_strides(shape: tuple[int, ...], given: list[tuple[int, ...]]) -> tuple[int, ...]:
    """Dense strides in the order of the given ones."""
    order = stride_order(shape, given)
    if order == list(range(len(shape)))[::-1]:
        return contiguous_strides(shape)
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def stride_order(shape: tuple[int, ...], given: list[tuple[int, ...]]) -> list[int]:
    """The dimensions from the fastest to the slowest, ordered as torch does by the first strides that tell."""
    order = list(range(len(shape)))[::-1]
    for place in range(1, len(order)):
        current = place
        for other in range(place - 1, -1, -1):
            later = comes_later(shape, given, order[other], order[current])
            if later is None:
                continue
            if not later:
                break
            order[other], order[current] = order[current], order[other]
            current = other
    return order


def comes_later(shape: tuple[int, ...], given: list[tuple[int, ...]], inner: int, outer: int) -> bool | None:
    """Whether `inner` is the slower one of two dimensions; None where no strides tell. A stride of 0 says nothing."""
    for strides in given:
        a, b = strides[inner], strides[outer]
        if a == 0 or b == 0:
            continue
        if a != b:
            return a > b
        if shape[inner] > shape[outer]:
            return True
    return None


def empty_with_strides(shape: tuple[int, ...], strides: tuple[int, ...], kind: np.dtype) -> np.ndarray:
    """Fresh memory laid out with dense strides, counted in elements."""
    kind = np.dtype(kind)
    memory = np.empty(math.prod(shape), kind)
    return np.ndarray(shape, kind, memory, 0, tuple([step * kind.itemsize for step in strides]))


def empty_like_array(array: np.ndarray, kind: np.dtype | None = None, form: memory_format | None = None) -> np.ndarray:
    """Fresh memory of the array's shape in a memory format; None preserves the array's."""
    kind = array.dtype if kind is None else kind
    if type(array) is Meta:
        return reserved_like(array, kind, form)
    if form is None or form is preserve_format:
        if is_fresh(array):
            return np.empty(array.shape, kind)
        return empty_with_strides(array.shape, dense_strides(array), kind)
    return empty_in_format(array.shape, kind, form)


def copied_like(array: np.ndarray) -> np.ndarray:
    """A copy in the array's own order; NumPy's would put a dimension of step 0 innermost, and turn the rest."""
    if array.flags.c_contiguous:
        return array.copy()
    found = empty_with_strides(array.shape, dense_strides(array), array.dtype)
    if extension is None or not extension.write_converted(found, array):
        found[...] = array
    return found


def reserved_like(array: np.ndarray, kind: np.dtype, form: memory_format | None) -> np.ndarray:
    """As `empty_like_array`, without memory."""
    if form is None or form is preserve_format:
        strides = contiguous_strides(array.shape) if is_fresh(array) else dense_strides(array)
    elif form is contiguous_format:
        strides = contiguous_strides(array.shape)
    else:
        strides = channels_last_strides(array.shape, form)
    return reserve(array.shape, kind, tuple([step * kind.itemsize for step in strides]))


def empty_in_format(shape: tuple[int, ...], kind: np.dtype, form: memory_format) -> np.ndarray:
    """Fresh memory of a shape in a memory format."""
    if form is contiguous_format:
        return np.empty(shape, kind)
    if form is preserve_format:
        raise RuntimeError("unsupported memory format Preserve: there is no other tensor whose format to preserve")
    if not isinstance(form, memory_format):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(form).__name__}")
    return empty_with_strides(shape, channels_last_strides(shape, form), kind)
