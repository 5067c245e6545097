"""Strided views: a tensor's memory with any geometry, the gradient of that, and writes that reach a base.

A geometry is (sizes, strides, offset), counted in elements of the storage.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.autograd.graph import OpNode
from rushlight.autograd.modes import enable_grad
from rushlight.core.memory.deferred import CONJUGATE, NEGATIVE, flips_of
from rushlight.core.memory.growth import memory_of
from rushlight.core.memory.strides import strided
from rushlight.core.object.tensor import Tensor, geometry_of, wrap
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import plain_size
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.level import is_lifted

Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), (2, 2), (1, 2)),
            case(make.floats(3, 4), (2, 3), (0, 1)),
            case(make.floats(12), (3, 2), (4, 1), 1),
        ]
    )
)
def as_strided(input, size, stride, storage_offset=None):
    """A view of the input's memory with the given sizes and strides, counted in elements.

    >>> torch.arange(5).as_strided((3, 3), (1, 1))  # windows that overlap
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    size, stride = plain_size(size), plain_size(stride)
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {list(size)} and {list(stride)}")
    offset = input.storage_offset() if storage_offset is None else storage_offset
    return strided_view(input, memory_of(input), (size, stride, offset))


@op(dtype=SAME, view=True, name="_strided_view", node="AsStridedBackward0", samples=None)
def strided_view(input, memory: np.ndarray, geometry: tuple):
    """The memory of the input's storage, seen with a geometry."""
    return strided(memory, *geometry)


def to_memory_of(grad: Tensor, source: Geometry, target: Geometry) -> Tensor:
    """The gradient of a strided view: a part of memory made for it, as torch's."""
    if not (grad._array.size and math.prod(target[0])):
        return grad.new_zeros(target[0])  # as torch's, without a history
    if is_lifted(grad):
        return strided_add(grad, source, target)
    least = min(source[2], target[2])
    source, target = [(sizes, strides, offset - least) for sizes, strides, offset in (source, target)]
    memory = strided_sums(grad, source, target)
    return strided_view(memory, memory._array, target)


strided_view.gradient(input=lambda grad, input_geometry, geometry: to_memory_of(grad, geometry, input_geometry))


@op(dtype=SAME, view=True, name="_strided_part", node="AsStridedBackward0", samples=None)
def strided_part(input, memory: np.ndarray, geometry: tuple):
    """A strided view that is written to: its gradient is written over the base's, also where elements overlap."""
    return strided(memory, *geometry)


strided_part.gradient(input=lambda grad, input_geometry, geometry: strided_take(grad, geometry, input_geometry))


@op(dtype=SAME, linear=True, name="_strided_sums", samples=None)
def strided_sums(input, source: tuple, target: tuple):
    """Memory with elements laid out as `source` added into it, divided by how many of `target` share a place."""
    memory = zeroed(input, source, target)
    if overlaps(source):
        np.add.at(memory, strided(np.arange(memory.size), *source), input)
    else:
        strided(memory, *source)[...] = input
    return memory / visits(memory.size, target) if overlaps(target) else memory


strided_sums.gradient(
    input=lambda grad, source, target: strided_take(
        grad / wrap(visits(len(grad), target)).to(grad.dtype) if overlaps(target) else grad,
        (grad._array.shape, (1,), 0),
        source,
    )
)


@op(dtype=SAME, linear=True, name="_strided_add", node="AsStridedBackward0", samples=None)
def strided_add(input, source: tuple, target: tuple):
    """The same, read back as `target`."""
    return strided(strided_sums.op.body(input, source, target), *target).copy("K")


strided_add.gradient(input=lambda grad, source, target: strided_take(grad, target, source))


@op(dtype=SAME, linear=True, name="_strided_take", samples=None)
def strided_take(input, source: tuple, target: tuple):
    """Elements laid out as `source`, read back as `target`; what `source` does not hold is zero."""
    memory = zeroed(input, source, target)
    strided(memory, *source)[...] = input
    return strided(memory, *target).copy()


strided_take.gradient(input=lambda grad, source, target: strided_add(grad, target, source))


@op(dtype=SAME, name="_strided_put", node="CopySlices", samples=None)
def strided_put(input, src, layout: tuple, geometry: tuple):
    """The input, laid out as `layout`, with `src` written over the part that `geometry` shows."""
    memory = zeroed(input, layout, geometry)
    strided(memory, *layout)[...] = input
    strided(memory, *geometry)[...] = src
    return strided(memory, *layout).copy()


strided_put.op.runs_once = True
strided_put.gradient(
    input=lambda grad, layout, geometry, src_shape: strided_put(grad, grad.new_zeros(src_shape), layout, geometry),
    src=lambda grad, layout, geometry: strided_take(grad, layout, geometry),
)


@op(dtype=SAME, name="_as_strided_scatter", samples=None)
def strided_scatter(input, src, memory: np.ndarray, layout: tuple, geometry: tuple):
    """The input within a copy of all its memory, with `src` written over the part that `geometry` shows."""
    memory = memory.copy("K")  # in the order it lies in
    strided(memory, *geometry)[...] = src
    return strided(memory, *layout)


strided_scatter.gradient(**strided_put.op.gradients)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(2, 2), (2, 2), (1, 4)),
            case(make.floats(12), make.floats(3), (3,), (2,), 1),
            case(make.floats(3, 4), make.floats(3), (2, 2), (1, 2)),
        ]
    )
)
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of the input with `src` over the part that the sizes and strides show.

    >>> torch.zeros(4).as_strided_scatter(torch.ones(2), (2,), (2,))
    tensor([1., 0., 1., 0.])
    """
    size, stride = plain_size(size), plain_size(stride)
    if src._array.shape != size:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice "
            f"size = {list(size)}"
        )
    if overlaps(geometry_of(input)):
        input = input.clone()
    offset = input.storage_offset() if storage_offset is None else storage_offset
    if is_lifted(input) or is_lifted(src):
        strided_view(input, memory_of(input), (size, stride, offset))  # refuses what lies outside
        return strided_put(input, src, geometry_of(input), (size, stride, offset))
    memory = memory_of(input)
    strided(memory, size, stride, offset)  # refuses what lies outside
    return strided_scatter(input, src, memory, geometry_of(input), (size, stride, offset))


def zeroed(like: np.ndarray, *geometries: Geometry) -> np.ndarray:
    """Memory that all the geometries fit into."""
    extents = [offset + reach(sizes, strides) for sizes, strides, offset in geometries]
    return np.zeros(max(extents), like.dtype)


def reach(sizes: tuple[int, ...], strides: tuple[int, ...]) -> int:
    if not math.prod(sizes):
        return 0
    return 1 + sum([(size - 1) * step for size, step in zip(sizes, strides, strict=True)])


def overlaps(geometry: Geometry) -> bool:
    """Whether two elements may share a place in memory."""
    sizes, strides, _ = geometry
    steps = sorted((step, size) for size, step in zip(sizes, strides, strict=True) if size > 1)
    filled = 1
    for step, size in steps:
        if step < filled:
            return True
        filled = step * (size - 1) + filled
    return False


def visits(count: int, geometry: Geometry) -> np.ndarray:
    """How many elements of the geometry share each place of memory; 1 where there is none."""
    places = strided(np.arange(count), *geometry)
    return np.maximum(np.bincount(places.ravel(), minlength=count), 1)


def in_kind_of(view: Tensor, base: Tensor) -> Tensor:
    """The base as the view shows its numbers, complex or in pairs, conjugated or negated; recorded."""
    alike = (base._array.dtype.kind == "c") == (view._array.dtype.kind == "c")
    if alike and flips_of(base._array) == flips_of(view._array):
        return base
    from rushlight.ops.pointwise.complex import conj, neg_view, view_as_complex, view_as_real

    with enable_grad():
        if not alike:
            base = view_as_complex(base) if base._array.dtype.kind == "f" else view_as_real(base.resolve_conj())
        missing = flips_of(base._array) ^ flips_of(view._array)
        base = conj(base) if missing & CONJUGATE else base
        return neg_view(base) if missing & NEGATIVE else base


def skipped(view: Tensor) -> OpNode | None:
    """A node from the view to its base, if its elements overlap or the way there passes `as_strided` of another view
    or hooks; else None.

    torch goes from a written view straight to the base: hooks of what the view was before are not called.
    """
    base = view._base
    assert base is not None
    kind, end, node = strided_view.op, base._node or base, view._node
    if overlaps(geometry_of(view)):
        alike = in_kind_of(view, base)
        return strided_part.op.node_for(1, (alike, alike._array, geometry_of(view)), (view,))
    while isinstance(node, OpNode) and node is not end and node.op.is_view and node.edges:
        if (node.op is kind and node.edges[0] is not end) or node.tensor_hooks or node.pre_hooks or node.post_hooks:
            alike = in_kind_of(view, base)
            return kind.node_for(1, (alike, alike._array, geometry_of(view)), (view,))
        node = node.edges[0]
    return None


def rebase_base(base: Tensor, view: Tensor) -> None:
    """After a recorded write through a view: the base's history is its old one with the view's over it."""
    storage = base._storage
    view._view_version = storage.version
    alike = in_kind_of(view, base)
    arguments = (alike, view, geometry_of(alike), geometry_of(view))
    needs = 0b11 if base._requires_grad else 0b10
    # as in torch, it serves one backward only, whatever it keeps
    strided_put.op.plan(needs).keeps_tensors = True
    node = strided_put.op.node_for(needs, arguments, (alike,))
    if alike is not base:
        written = wrap(alike._array)
        written._node, written._requires_grad = node, True
        node = in_kind_of(base, written)._node
    before, output = base._node, base._output
    base._node, base._output, base._requires_grad = node, 0, True
    if base._retains:
        from rushlight.ops.machine.inplace import follow

        follow(base, before, output)
    # the view's history is now that of a part of the base: made anew when asked for
    view._view_version = storage.version - 1
