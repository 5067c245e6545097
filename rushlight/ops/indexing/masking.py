"""Masking: elements chosen, filled and counted where a tensor of bools holds."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import SHAPES, explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.indexing.indexing import mask_into, part_into
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import INDEX, MATCH, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.index_words import ELEMENTS_HELD, MASKED_VALUE
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.writing import number_for, overwrite, scalar_name
from rushlight.ops.shape.splitting import unbind

# what C++ calls the elements of a mask that holds no bools
C_NAMES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short int",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def stretched(input: np.ndarray, mask: np.ndarray) -> tuple[int, ...]:
    """The shape that the two are broadcast to."""
    if input.shape == mask.shape:
        return input.shape
    return np.broadcast_shapes(input.shape, mask.shape)


def filled_target(input: np.ndarray, mask: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """The array to write into under the mask: a copy of the input, broadcast, or `out`."""
    shape = stretched(input, mask)
    if out is None:
        result = np.empty(shape, input.dtype)
    elif out.shape != shape:
        words = f"output with shape {list(out.shape)} doesn't match the broadcast shape {list(shape)}"
        raise explained(RuntimeError, words, stage=SHAPES)
    else:
        result = out
    if result is not input:
        result[...] = input
    return result


@op(
    dtype=SAME,
    batch=MASKED_VALUE,
    inplace=overwrite,
    node=lambda value: "MaskedFillBackward1" if isinstance(value, Tensor) else "MaskedFillBackward0",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.bools(3, 4), 2),
            corner(make.floats(3, 4), make.bools(4), -np.inf),
            case(make.floats(3, 4), make.bools(3, 1), make.floats()),
            case(make.floats(4, 3).T, make.bools(3, 4), 0.5),
            case(make.floats(4), make.bools(3, 4), 1.0),
            case(make.ints(4), make.bools(4), 2.7),
            case(make.bools(4), make.bools(4), 2),
            case(make.floats(3, dtype="float16"), make.bools(3), 0.1),
            case(make.floats(), np.array(True), 1),
            case(make.floats(0, 3), make.bools(3), 1),
            case(make.floats(3), make.bools(3), make.floats(1)),
            case(make.floats(3), make.ints(3), 1.0),
            case(make.floats(3), make.bools(4), 1.0),
            case(make.ints(3), make.bools(3), np.inf),
        ]
    ),
)
def masked_fill(input: Tensor, mask: Tensor, value, *, out=None):
    """The input with one value wherever the mask holds.

    >>> scores = torch.tensor([1.0, 2.0, 3.0])
    >>> scores.masked_fill(torch.tensor([False, False, True]), float("-inf"))
    tensor([1., 2., -inf])
    """
    if mask.dtype.kind != "b":
        name = C_NAMES.get(mask.dtype.name, scalar_name(mask))
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {name}: "
            "compare it first, for example mask != 0"
        )
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.ndim} dimension(s)."
            )
        value = value.item() if value.dtype != input.dtype else value
    if not isinstance(value, np.ndarray):
        value = number_for(value, input.dtype)
    result = filled_target(input, mask, out)
    np.copyto(result, value, "unsafe", mask)
    return result


masked_fill.gradient(
    input=lambda grad, mask: grad.masked_fill(mask, 0),
    value=lambda grad, mask: grad.masked_fill(mask.logical_not(), 0).sum(),
)


@op(
    dtype=MATCH,
    linear=True,
    batch=ELEMENTS_HELD,
    operands=["input"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.bools(3, 4)),
            case(make.floats(3, 4), make.bools(4)),
            case(make.floats(4), make.bools(3, 4)),
            case(make.floats(4, 3).T, make.bools(3, 1)),
            case(make.ints(4), make.bools(4)),
            case(make.floats(), np.array(True)),
            case(make.floats(0, 3), make.bools(3)),
            case(make.floats(3), np.zeros(3, "bool")),
            case(make.floats(3), make.ints(3)),
            case(make.floats(3), make.bools(4)),
        ]
    ),
)
def masked_select(input: Tensor, mask: Tensor, *, out=None):
    """The elements where the mask holds, in one dimension.

    >>> x = torch.tensor([[1, -2], [-3, 4]])
    >>> x.masked_select(x > 0)
    tensor([1, 4])
    """
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, not {scalar_name(mask)}")
    shape = stretched(input, mask)
    require_room(shape, 8)  # torch notes a place for each element
    input = input if input.shape == shape else np.broadcast_to(input, shape)
    return input[mask if mask.shape == shape else np.broadcast_to(mask, shape)].reshape(-1)


masked_select.gradient(
    input=lambda grad, input_shape, mask: mask_into(
        grad, mask.expand(joint_shape(input_shape, mask)), joint_shape(input_shape, mask)
    )
)


def joint_shape(shape: tuple[int, ...], mask: Tensor) -> tuple[int, ...]:
    return np.broadcast_shapes(shape, mask._array.shape)


@op(
    dtype=SAME,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.bools(3, 4), make.floats(12)),
            case(make.floats(3, 4), make.bools(4), make.floats(3, 4)),
            case(make.floats(4, 3).T, make.bools(3, 1), make.floats(20)),
            case(make.floats(4), make.bools(3, 4), make.floats(12)),
            case(make.ints(4), make.bools(4), make.ints(4)),
            case(make.floats(), np.array(True), make.floats()),
            case(make.floats(0, 3), make.bools(3), make.floats(0)),
            case(make.floats(3), np.ones(3, "bool"), make.floats(2)),
            case(make.floats(3), make.ints(3), make.floats(3)),
            case(make.floats(3), make.bools(3), make.ints(3)),
        ]
    ),
)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out=None):
    """The input with the elements of `source`, one after another, where the mask holds.

    >>> mask = torch.tensor([True, False, True])
    >>> torch.zeros(3).masked_scatter(mask, torch.tensor([7.0, 8.0]))
    tensor([7., 0., 8.])
    """
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(mask)}")
    if source.dtype != input.dtype:
        raise explained(
            RuntimeError,
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{scalar_name(input)} and {scalar_name(source)}",
            fix=one_dtype(input.dtype, source.dtype),
        )
    shape = stretched(input, mask)
    mask = mask if mask.shape == shape else np.broadcast_to(mask, shape)
    count = int(np.count_nonzero(mask))
    if source.size < count:
        raise RuntimeError(f"Number of elements of source < number of ones in mask: {source.size} for {count} places")
    result = filled_target(input, mask, out)
    result[mask] = source.reshape(-1)[:count]
    return result


masked_scatter.gradient(
    input=lambda grad, mask: grad.masked_fill(mask, 0),
    source=lambda grad, mask, source_shape: scattered_source(grad.masked_select(mask), source_shape),
)


def scattered_source(used: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient of a source whose first elements were used."""
    return part_into(used, (slice(used._array.size),), (math.prod(shape),)).reshape(shape)


@op(dtype=INDEX, name="_rows_nonzero", samples=None)
def rows_nonzero(input, *, out=None):
    """Where the elements are that are not zero, a row for each."""
    if not input.ndim:
        return np.empty((int(input != 0), 0), np.int64)
    require_room(input.shape, 1)
    # as in torch, the columns stand in memory one after another
    return np.array(input.nonzero()).T


@composed(
    samples=cases(
        lambda make: [
            case(make.ints(3, 4, low=0, high=2)),
            case(make.bools(3, 4), as_tuple=True),
            case(make.floats(5)),
            case(make.bools(4, 3).T),
            case(make.complexes(3)),
            case(np.array(3.0)),
            case(np.array(0), as_tuple=True),
            case(make.floats(0, 3)),
            case(make.floats(0, 3), as_tuple=True),
        ]
    )
)
def nonzero(input, *, out=None, as_tuple=False):
    """Where the elements are that are not zero: a row for each, or a tensor for each dimension.

    >>> torch.tensor([0, 3, 0, 5]).nonzero()
    tensor([[1],
            [3]])
    """
    if not as_tuple:
        return rows_nonzero(input, out=out)
    if out is not None:
        raise TypeError("nonzero(): argument 'out' must be Tensor, not tuple: leave it out with as_tuple=True")
    return columns_nonzero(input)


def columns_nonzero(input: Tensor) -> tuple[Tensor, ...]:
    """Where the elements are that are not zero, a tensor for each dimension; a number has one."""
    return unbind(rows_nonzero(input if input._array.ndim else input.reshape(1)), 1)


@composed(
    samples=cases(
        lambda make: [
            case(make.ints(3, 4, low=0, high=2)),
            case(make.bools(4)),
            case(np.array(3.0)),
            case(make.floats(0, 3)),
        ]
    )
)
def argwhere(input):
    """Where the elements are that are not zero, a row for each.

    >>> torch.tensor([[0, 5], [6, 0]]).argwhere()
    tensor([[0, 1],
            [1, 0]])
    """
    return rows_of_samples(input) if is_mapped(input) else rows_nonzero(input)


@op(dtype=INDEX, name="_argwhere", samples=None)
def rows_of_samples(input):
    """The same inside of `vmap`, where each sample has as many."""
    return rows_nonzero.op.body(input)
