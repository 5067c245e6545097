"""Shape: the elements of a tensor in other sizes; views where memory allows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.deferred import CONJUGATE, flips_of
from rushlight.core.memory.strides import byte_strides, packed, view_strides, with_strides
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, new, storage_of
from rushlight.errors import fixes
from rushlight.errors.explained import explained
from rushlight.ops.machine.calling import not_given
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axes, axis, plain_size
from rushlight.ops.machine.generate import sizes
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import SQUEEZED
from rushlight.ops.machine.transforms.words import ELEMENTWISE, SHAPED

if TYPE_CHECKING:
    pass


ALL = slice(None)


def inferred(shape: Any, count: int, given: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The shape with its -1 replaced by what is left of `count` elements, those of the `given` shape."""
    shape = plain_size(shape)
    missing = None
    rest = 1
    for place, size in enumerate(shape):
        if size >= 0:
            rest *= size
        elif size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {place} of shape {list(shape)}")
        elif missing is not None:
            raise RuntimeError("only one dimension can be inferred")
        else:
            missing = place
    if missing is None:
        if rest == count:
            return shape
    elif rest and count % rest == 0:
        return (*shape[:missing], count // rest, *shape[missing + 1 :])
    elif rest == 0 and count == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension "
            "size -1 can be any value and is ambiguous"
        )
    words = f"shape '{list(shape)}' is invalid for input of size {count}"
    raise explained(RuntimeError, words, fix=fixes.sizes((count,) if given is None else given))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 6), 3, 4),
            case(make.floats(2, 6), (-1,)),
            case(make.floats(4, 3).T, 3, 2, 2),
            case(make.floats(), 1, 1),
            case(make.floats(0, 3), 3, 0),
            case(make.ints(4), 2, 2),
            case(make.floats(3, 4), 5),
            case(make.floats(4, 3).T, 12),
            case(make.floats(3, 4), -1, -1),
        ]
    ),
    method=True,
)
def view(input, *shape, size=None, dtype=None):
    """The same elements in another shape, sharing memory; -1 stands for what is left.

    Given a dtype, the same memory read as another kind of number.

    >>> x = torch.arange(6)
    >>> x.view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    >>> x.view(2, -1).data_ptr() == x.data_ptr()
    True
    """
    wanted = shape[0] if len(shape) == 1 else shape
    if dtype is not None or isinstance(wanted, dtypes.dtype):
        return view_dtype(input, wanted if dtype is None else dtype)
    if not shape and size is None:
        raise TypeError("view() received an invalid combination of arguments - got (), but expected a size or a dtype")
    return view_shape(input, sizes(shape, size))


@op(dtype=SAME, batch=SHAPED, view=True, name="_view", node="ViewBackward0", samples=None)
def view_shape(input, shape: tuple):
    shape = inferred(shape, input.size, input.shape)
    if input.flags.c_contiguous and input.size and 1 not in input.shape:
        return input.reshape(shape)
    strides = view_strides(input, shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans "
            "across two contiguous subspaces). Use .reshape(...) instead."
        )
    return with_strides(input, shape, strides)


view_shape.gradient(input=lambda grad, input_shape: grad.reshape(input_shape))


@op(dtype=SAME, batch=ELEMENTWISE, view=True, name="_alias", node="AliasBackward0", samples=None)
def alias(input):
    """The whole tensor, as what `torch.func.jvp` hands in and out."""
    return input[...]


@op(dtype=SAME, batch=ELEMENTWISE, view=True, name="_identity", node="Identity", samples=None)
def identity(input):
    """The whole tensor, as what `forward_ad.unpack_dual` hands out."""
    return input[...]


alias.gradient(input=lambda grad: grad)
identity.gradient(input=lambda grad: grad)


def memory_of(input: Tensor) -> np.ndarray:
    """The array to read as another dtype; conjugates and negatives that are still to be computed cannot be."""
    flips = flips_of(input._array)
    if flips:
        kind = "conjugate view tensors" if flips & CONJUGATE else "tensors with negative bit set"
        fix = "resolve_conj()" if flips & CONJUGATE else "resolve_neg()"
        raise RuntimeError(
            f"torch.Tensor.view is not supported for {kind} when converting to a different dtype. Call {fix} first."
        )
    return input._array


def view_dtype(input: Tensor, dtype: dtypes.dtype) -> Tensor:
    """The same memory read as another dtype; it takes no gradient."""
    array = memory_of(input)
    have, want = array.itemsize, dtype.numpy.itemsize
    if have != want:
        ratio = f"self.size(-1) must be divisible by {want // have}" if want > have else ""
        if not array.ndim:
            raise RuntimeError(
                f"self.dim() cannot be 0 to view {input.dtype.scalar} as {dtype.scalar} (different element sizes)"
            )
        if array.size and array.strides[-1] != have:
            raise RuntimeError(
                f"self.stride(-1) must be 1 to view {input.dtype.scalar} as {dtype.scalar} (different "
                f"element sizes), but got {input.stride(-1)}"
            )
        if ratio and (array.shape[-1] * have % want or any(step % want for step in array.strides[:-1])):
            raise RuntimeError(
                f"{ratio} to view {input.dtype.scalar} as {dtype.scalar} (different element sizes), but got "
                f"{array.shape[-1]}"
            )
    found = new(Tensor)
    found._array = array.view(dtype.numpy)
    found._storage = storage_of(input)
    return found


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 6), (3, 4)),
            case(make.floats(4, 2).T, (8,)),
            case(make.floats(4, 2).T, (-1, 2, 2)),
            case(make.floats(), ()),
            case(make.floats(0, 2), (2, -1)),
            case(make.bools(4), (2, 2)),
            case(make.floats(3, 4), (5,)),
            case(make.floats(0, 2), (-1, 0)),
        ]
    )
)
def reshape(input, *shape_, shape=None):
    """The same elements in another shape: a view if possible, else a copy.

    >>> torch.arange(6).reshape(3, 2)
    tensor([[0, 1],
            [2, 3],
            [4, 5]])
    >>> torch.arange(6).reshape(3, 2).T.reshape(-1)  # not in memory's order: a copy
    tensor([0, 2, 4, 1, 3, 5])
    """
    if not shape_ and shape is None:
        raise not_given("reshape", "shape")
    shape = sizes(shape_, shape)
    array = input._array
    if array.flags.c_contiguous:
        return view_shape(input, shape)
    strides = view_strides(array, inferred(shape, array.size, array.shape))
    return reshaped_copy(input, shape) if strides is None else reshaped_view(input, shape)


@op(dtype=SAME, batch=SHAPED, view=True, name="_reshape_alias", samples=None)
def reshaped_view(input, shape: tuple):
    return view_shape.op.body(input, shape)


reshaped_view.gradient(input=lambda grad, input_shape: grad.reshape(input_shape))


@op(dtype=SAME, batch=SHAPED, linear=True, name="_reshaped_copy", node="UnsafeViewBackward0", samples=None)
def reshaped_copy(input, shape: tuple):
    shape = inferred(shape, input.size, input.shape)
    # a new array in another order stays in that, if it can: `kron` of transposed matrices
    return (packed(input) if view_strides(input, shape) is None else input).reshape(shape)


reshaped_copy.gradient(input=lambda grad, input_shape: grad.reshape(input_shape))


@composed(samples=cases(lambda make: [case(make.floats(2, 6), make.floats(3, 4)), case(make.floats(2), make.ints(2))]))
def view_as(input, other):
    """The same elements in the shape of `other`, sharing memory.

    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return view_shape(input, other._array.shape)


@composed(
    samples=cases(lambda make: [case(make.floats(6, 2).T, make.floats(3, 4)), case(make.floats(2), make.floats())])
)
def reshape_as(input, other):
    """The same elements in the shape of `other`.

    >>> torch.tensor([[1, 2], [3, 4]]).T.reshape_as(torch.zeros(4))
    tensor([1, 3, 2, 4])
    """
    return reshape(input, other._array.shape)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 4)),
            case(make.floats(2, 3, 4), 1),
            case(make.floats(2, 3, 4), 0, -2),
            case(make.floats(4, 3).T),
            case(make.floats()),
            case(make.floats(2, 0, 3), start_dim=1),
            case(make.floats(2, 3), 1, 0),
            case(make.floats(2, 3), 2),
        ]
    )
)
def flatten(input, start_dim=0, end_dim=-1):
    """The dimensions from `start_dim` to `end_dim` made one.

    >>> images = torch.zeros(8, 3, 4, 4)
    >>> images.flatten(start_dim=1).shape
    torch.Size([8, 48])
    """
    shape = input._array.shape
    first, last = axis(start_dim, len(shape)), axis(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(input, (1,))
    if first == last:
        return input
    return reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


@composed(samples=cases(lambda make: [case(make.floats(2, 3)), case(make.floats(4, 3).T), case(make.floats())]))
def ravel(input):
    """All elements in one dimension; a copy only if they are not in order in memory.

    >>> torch.tensor([[1, 2], [3, 4]]).ravel()
    tensor([1, 2, 3, 4])
    """
    return view_shape(input.contiguous(), (-1,))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1, (2, 2)),
            case(make.floats(6, 4), 0, (2, -1)),
            case(make.floats(3, 4), -1, (-1,)),
            case(make.floats(3, 4), 1, (3, 2)),
            case(make.floats(3, 4), 1, ()),
        ]
    )
)
def unflatten(input, dim, sizes):
    """One dimension split into several.

    >>> torch.zeros(6, 5).unflatten(0, (2, -1)).shape
    torch.Size([2, 3, 5])
    """
    shape = input._array.shape
    dim, sizes = axis(dim, len(shape)), plain_size(sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        words = f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        raise explained(RuntimeError, words, fix="a 0-dim tensor has nothing to split: x.reshape(sizes)")
    try:
        sizes = inferred(sizes, shape[dim])
    except RuntimeError as error:
        if sizes.count(-1) > 1:
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return view_shape(input, (*shape[:dim], *sizes, *shape[dim + 1 :]))


@op(
    dtype=SAME,
    batch=SQUEEZED,
    view=True,
    node=lambda dim: f"SqueezeBackward{0 if dim is None else 2 if isinstance(dim, (tuple, list)) else 1}",
    samples=cases(
        lambda make: [
            case(make.floats(1, 3, 1)),
            case(make.floats(1, 3, 1), 0),
            case(make.floats(1, 3, 1), 1),
            case(make.floats(1, 3, 1), (0, -1)),
            case(make.floats(1, 3, 1), ()),
            case(make.floats()),
            case(make.floats(), 0),
            case(make.floats(1, 0)),
            case(make.floats(3, 1), 2),
            case(make.floats(3, 1), (0, 0)),
        ]
    ),
)
def squeeze(input, dim=None):
    """Without dimensions of size 1: all of them, or those in `dim`.

    >>> torch.zeros(1, 3, 1).squeeze().shape
    torch.Size([3])
    """
    shape = input.shape
    if type(dim) is int and input.size:
        dim = axis(dim, len(shape))
        if not shape or shape[dim] != 1:
            return input
        return input[(ALL,) * dim + (0, ...)]
    gone = squeezed_dims(dim, shape)
    kept = [place for place in range(len(shape)) if place not in gone]
    strides = byte_strides(input)
    return with_strides(input, tuple([shape[each] for each in kept]), tuple([strides[each] for each in kept]))


def squeezed_dims(dim: int | tuple | list | None, shape: tuple) -> list[int]:
    """Those of size 1, among all dimensions or among `dim`."""
    dims = range(len(shape)) if dim is None else () if dim == () or dim == [] else axes(dim, len(shape))
    named = (dims,) if isinstance(dims, int) else dims
    return [place for place, size in enumerate(shape) if size == 1 and place in named]


def unsqueezed(grad: Tensor, dim: int | tuple | None, shape: tuple) -> Tensor:
    """The gradient of `squeeze`: the dimensions that it took away."""
    for place in squeezed_dims(dim, shape):
        grad = grad.unsqueeze(place)
    return grad


squeeze.gradient(input=lambda grad, dim, input_shape: unsqueezed(grad, dim, input_shape))


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0),
            case(make.floats(3, 4), 2),
            case(make.floats(3, 4), -2),
            case(make.floats(4, 3).T, 2),
            case(make.floats(), 0),
            case(make.floats(3, 0), 1),
            case(make.ints(3), dim=-1),
            case(make.floats(3, 4), 3),
        ]
    ),
)
def unsqueeze(input, dim: int):
    """With a dimension of size 1 put in at `dim`.

    >>> torch.tensor([1, 2, 3]).unsqueeze(1).shape
    torch.Size([3, 1])
    """
    shape = input.shape
    dim = axis(dim, len(shape) + 1)
    new_shape = (*shape[:dim], 1, *shape[dim:])
    if input.size and 1 not in shape and (dim < len(shape) or input.flags.c_contiguous):
        # NumPy gives the new dimension the same stride then, at a fifth of the cost
        return input.reshape(new_shape)
    strides = byte_strides(input)
    step = shape[dim] * strides[dim] if dim < len(shape) else input.itemsize
    return with_strides(input, new_shape, (*strides[:dim], step, *strides[dim:]))


unsqueeze.gradient(input=lambda grad, dim: grad.squeeze(dim))
