"""Unpooling: what maximum pooling gave, put back where it stood, with zeros around it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.numbers.dtypes import from_numpy
from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.pooling.planes import flattened, gather_planes
from rushlight.ops.images.pooling.windows import ints
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.words import FILLED


def node(shape: tuple) -> str:
    return "SqueezeBackward1" if len(shape) == 1 else f"MaxUnpool{len(shape)}DBackward0"


@op(dtype=MATCH, batch=FILLED, linear=True, operands=["input"], name="_max_unpool", node=node, samples=None)
def put_back(input, indices: Tensor, shape: tuple):
    """Zeros whose last dimensions have the given shape, with the input at `indices`, which count within them."""
    dims, size = len(shape), math.prod(shape)
    if not is_straight(input, indices):
        found = straightened(put_back, input, indices, shape)
        return laid_out(found, input) if dims == 2 else found
    places = flattened(indices, dims)
    wrong = (places < 0) | (places >= size)
    if wrong.any():
        sizes = "x".join(str(each) for each in shape)
        raise RuntimeError(
            f"Found an invalid max index: {places[wrong][0]} (output volumes are of size {sizes}); the indices must "
            "come from a pooling of an input of that size: give it as output_size"
        )
    found = np.zeros((*input.shape[: input.ndim - dims], *shape), input.dtype)
    np.put_along_axis(found.reshape(len(places), size), places, flattened(input, dims), 1)
    return laid_out(found, input) if dims == 2 else found


put_back.gradient(input=lambda grad, indices, shape: gather_planes(grad, indices, len(shape)))


def output_shape(input: Tensor, kernel: tuple, stride: tuple, padding: tuple, wanted: Any) -> tuple[int, ...]:
    """The size before the pooling: the smallest one, or the one that is asked for if the pooling fits it."""
    count = len(kernel)
    sizes = input.shape[-count:]
    smallest = [
        (size - 1) * step + window - 2 * pad
        for size, step, window, pad in zip(sizes, stride, kernel, padding, strict=True)
    ]
    if wanted is None:
        return tuple(smallest)
    wanted = tuple(wanted)
    if len(wanted) == count + 2:
        wanted = wanted[2:]
    if len(wanted) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for dim, (size, usual, step) in enumerate(zip(wanted, smallest, stride, strict=True)):
        if not usual - step < size < usual + step:
            raise ValueError(
                f'invalid output_size "{wanted}" (dim {dim} must be between {usual - step} and {usual + step})'
            )
    return wanted


def unpooled(
    input: Tensor, indices: Tensor, count: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    name = f"max_unpool{count}d"
    kernel = ints(name, "kernel_size", kernel_size, count)
    steps = kernel if stride is None else ints(name, "stride", stride, count)
    pads = ints(name, "padding", padding, count)
    array, places = input._array, indices._array
    if array.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"Input to max_unpooling{max(count, 2)}d should be a {count + 1}d or {count + 2}d Tensor, but got a tensor "
            f"with {array.ndim} dimensions."
        )
    require_floats(f"max_unpool{max(count, 2)}d", array)
    shape = output_shape(input, kernel, steps, pads, output_size)
    if places.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {from_numpy(places.dtype).scalar}")
    if places.shape != array.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(array.shape)}) but got indices "
            f"tensor with shape: {list(places.shape)}"
        )
    return put_back(input, indices, shape)


def declare(count: int, example: str) -> None:
    """`nn.functional.max_unpool{count}d`."""

    def function(input, indices, kernel_size, stride=None, padding: int | tuple = 0, output_size=None):
        return unpooled(input, indices, count, kernel_size, stride, padding, output_size)

    def pooled(make):
        shape = (3,) * count
        x = make.floats(2, 3, *shape)
        places = np.argsort(make.floats(2, 3, 6**count), -1)[..., : 3**count].reshape(x.shape)
        return [
            case(x, places, 2),
            case(x[0], places[0], 2, 2),
            case(x.astype("float64"), places, 2, output_size=(7,) * count),
            case(x, places, 2, output_size=(2, 3, *(6,) * count)),
            case(x, places + 6**count, 2),
            case(x, places.astype("int32"), 2),
            case(x, places[:1], 2),
            case(x, places, 2, output_size=(9,) * count),
            case(x, places, 2, output_size=(9,) * (count + 1)),
        ]

    function.__name__ = f"max_unpool{count}d"
    function.__doc__ = f"""What `max_pool{count}d` gave, at the places that it told, with zeros elsewhere.

    `output_size` says the size before the pooling where several are possible.
{example}"""
    composed(name=f"nn.functional.max_unpool{count}d", samples=cases(pooled))(function)


declare(
    1,
    """
    >>> values, places = F.max_pool1d(torch.tensor([[1.0, 5.0, 4.0, 3.0]]), 2, return_indices=True)
    >>> F.max_unpool1d(values, places, 2)
    tensor([[0., 5., 4., 0.]])
    """,
)
declare(
    2,
    """
    >>> F.max_unpool2d(torch.tensor([[[7.0]]]), torch.tensor([[[2]]]), 2)
    tensor([[[0., 0.],
             [7., 0.]]])
    """,
)
declare(
    3,
    """
    >>> values, places = F.max_pool3d(torch.rand(1, 5, 5, 5), 2, return_indices=True)
    >>> F.max_unpool3d(values, places, 2, output_size=(5, 5, 5)).shape  # 4 would fit as well
    torch.Size([1, 5, 5, 5])
    """,
)
