"""Diagonals and triangles of matrices."""

from __future__ import annotations

import operator

import numpy as np

from rushlight.core.memory.layout import copied_like
from rushlight.core.memory.strides import empty_view, settled
from rushlight.core.object.tensor import Tensor, method
from rushlight.errors.refusals import no_kernel
from rushlight.native import extension
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.inplace import put
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.view_words import ON_DIAGONAL, TRACED
from rushlight.ops.machine.transforms.words import PLAIN, SHAPED
from rushlight.ops.machine.writing import overwrite
from rushlight.ops.shape.copying import fill_
from rushlight.ops.shape.slicing import check_part


@op(
    dtype=SAME,
    batch=SHAPED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 1),
            case(make.floats(3, 4), offset=-2),
            case(make.floats(2, 3, 4), 1, 2, 0),
            case(make.floats(3, 4), 5),
            case(make.floats(0, 3)),
            case(make.ints(3, 3)),
            case(make.floats(3)),
            case(make.floats(3, 3), 0, 1, 1),
        ]
    ),
)
def diagonal(input, offset=0, dim1=0, dim2=1):
    """A view of the elements whose indices in two dimensions differ by `offset`.

    >>> x = torch.zeros(2, 3)
    >>> _ = x.diagonal(1).fill_(5)
    >>> x
    tensor([[0., 5., 0.],
            [0., 0., 5.]])
    """
    first, second = axis(dim1, input.ndim), axis(dim2, input.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    # beyond the matrix one diagonal is as empty as the other, and NumPy counts in 32 bits
    offset = max(-input.shape[first], min(offset, input.shape[second]))
    found = settled(input).diagonal(offset, first, second)
    if input.flags.writeable:
        found.flags.writeable = True
    if not found.size:
        # torch's begins where the input does, NumPy's where its diagonal would
        return empty_view(input, found.shape, found.strides, 0)
    return found


diagonal.gradient(
    input=lambda grad, input_shape, offset, dim1, dim2: diagonal_backward(grad, input_shape, offset, dim1, dim2)
)


@op(dtype=SAME, batch=SHAPED, linear=True, name="_diagonal_backward", samples=None)
def diagonal_backward(input, shape: tuple, offset: int, dim1: int, dim2: int):
    """Zeros with the input on a diagonal."""
    found = np.zeros(shape, input.dtype)
    diagonal.op.body(found, offset, dim1, dim2)[...] = input
    return found


diagonal_backward.gradient(input=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(4), 1),
            case(make.floats(2, 3), -2, 0, 2),
            case(make.floats(0)),
            case(make.bools(3)),
            case(make.floats()),
            case(make.floats(3), 0, 0, 0),
        ]
    ),
)
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the input's last dimension on a diagonal, zero elsewhere.

    >>> torch.tensor([1, 2]).diag_embed(offset=1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    first, second = axis(dim1, input.ndim + 1), axis(dim2, input.ndim + 1)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    if not input.ndim:
        axis(-2, 0)
    size = input.shape[-1] + abs(offset)
    rest = iter(input.shape[:-1])
    shape = tuple([size if dim in (first, second) else next(rest) for dim in range(input.ndim + 1)])
    return diagonal_backward.op.body(input, shape, offset, first, second)


diag_embed.gradient(input=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    layout=LIKE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(3)),
            case(make.floats(2, 3, 4), make.floats(4, 2), 1, 0, 1),
            case(make.floats(3, 4), make.floats(4)),
        ]
    ),
)
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy of the input with `src` on a diagonal.

    >>> torch.zeros(2, 2).diagonal_scatter(torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    found = copied_like(input)
    part = diagonal.op.body(found, offset, dim1, dim2)
    check_part(part, src)
    put(part, src)
    return found


diagonal_scatter.gradient(
    input=lambda grad, src_shape, offset, dim1, dim2: diagonal_scatter(
        grad, grad.new_zeros(src_shape), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)


@op(dtype=SAME, batch=SHAPED, linear=True, name="_diagonal_copy", node="DiagonalBackward0_copy", samples=None)
def diagonal_copy(input, offset: int, dim1: int, dim2: int, *, out=None):
    return diagonal.op.body(input, offset, dim1, dim2).copy()


diagonal_copy.gradient(input=diagonal.op.gradients["input"])


@op(dtype=SAME, batch=ON_DIAGONAL, linear=True, name="_diagonal_matrix", node="DiagEmbedBackward0", samples=None)
def diagonal_matrix(input, offset: int, *, out=None):
    return diag_embed.op.body(input, offset)


diagonal_matrix.gradient(input=lambda grad, offset: grad.diagonal(offset))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 1),
            case(make.floats(3)),
            case(make.floats(3), diagonal=-1),
            case(make.ints(3)),
            case(make.floats(2, 2, 2)),
            case(make.floats()),
        ]
    )
)
def diag(input, diagonal=0, *, out=None):
    """A vector's matrix, or a matrix's diagonal as a vector.

    >>> torch.tensor([1, 2]).diag()
    tensor([[1, 0],
            [0, 2]])
    >>> torch.tensor([[1, 2], [3, 4]]).diag()
    tensor([1, 4])
    """
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    if input._array.ndim == 1:
        return diagonal_matrix(input, operator.index(diagonal), out=out)
    return diagonal_copy(input, operator.index(diagonal), 0, 1, out=out)


@composed(samples=cases(lambda make: [case(make.floats(3)), case(make.floats(2, 2), 1), case(make.floats())]))
def diagflat(input, offset=0):
    """A matrix with all elements of the input on a diagonal.

    >>> torch.tensor([[1, 2], [3, 4]]).diagflat()
    tensor([[1, 0, 0, 0],
            [0, 2, 0, 0],
            [0, 0, 3, 0],
            [0, 0, 0, 4]])
    """
    return diag_embed(input.contiguous().view(-1), offset)


@op(
    dtype=SAME,
    batch=TRACED,
    linear=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(2, 2, dtype="float16")),
            case(make.ints(3, 3, dtype="int32")),
            case(make.floats(0, 3)),
            case(make.bools(2, 2)),
            case(make.floats(3)),
        ]
    ),
)
def trace(input):
    """Sum of a matrix's diagonal.

    >>> torch.tensor([[1, 2], [3, 4]]).trace()
    tensor(5)
    """
    if input.dtype.kind == "b":
        raise no_kernel("trace", "Bool")
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return np.add.reduce(input.diagonal(), dtype=np.int64 if input.dtype.kind in "iu" else None)


trace.gradient(input=lambda grad, input_shape: diagonal_backward(grad.expand(min(input_shape)), input_shape, 0, 0, 1))


def triangles(make):
    return [
        case(make.floats(3, 4)),
        case(make.floats(3, 4), 1),
        case(make.floats(2, 4, 3), diagonal=-1),
        case(make.floats(4, 3).T),
        case(make.bools(3, 3)),
        case(make.ints(3, 3)),
        case(make.floats(0, 3)),
        case(make.floats(3)),
    ]


@op(dtype=SAME, batch=PLAIN, linear=True, inplace=overwrite, samples=cases(triangles))
def tril(input, diagonal=0, *, out=None):
    """The lower triangle of matrices, zero elsewhere.

    >>> causal = torch.ones(3, 3, dtype=torch.bool).tril()
    >>> causal
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    """
    return masked(input, diagonal, "tril", True, out)


tril.gradient(input=lambda grad, diagonal: grad.tril(diagonal))


@op(dtype=SAME, batch=PLAIN, linear=True, inplace=overwrite, samples=cases(triangles))
def triu(input, diagonal=0, *, out=None):
    """The upper triangle of matrices, zero elsewhere.

    >>> torch.ones(2, 3).triu(diagonal=1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
    return masked(input, operator.index(diagonal) - 1, "triu", False, out)


triu.gradient(input=lambda grad, diagonal: grad.triu(diagonal))


def masked(input: np.ndarray, diagonal: int, name: str, lower: bool, out: np.ndarray | None) -> np.ndarray:
    """The elements up to a diagonal, or those beyond it; in place where `out` is the input."""
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    offset = operator.index(diagonal)
    if out is not None:
        if out is not input:
            put(out, input)
        if extension is None or not extension.clear_triangle(out, offset + (not lower), lower):
            # nothing else is written: elements of an expanded tensor share their memory
            np.copyto(out, np.zeros((), out.dtype), where=~kept(input.shape, offset, lower))
        return out
    if not is_straight(input):
        # two passes, each of them four times as fast as NumPy's choice between strided elements
        return straightened(tril if lower else triu, input, offset + (not lower))
    return np.where(kept(input.shape, offset, lower), input, np.zeros((), input.dtype))


def kept(shape: tuple[int, ...], diagonal: int, lower: bool) -> np.ndarray:
    """Which elements of a matrix stay."""
    rows, columns = shape[-2:]
    mask = np.tri(rows, columns, max(-rows, min(diagonal, columns)), bool)
    return mask if lower else ~mask


@method
def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Write one value over the diagonal; with `wrap`, over that of each square block of a tall matrix.

    >>> torch.zeros(3, 2).fill_diagonal_(1)
    tensor([[1., 0.],
            [0., 1.],
            [0., 0.]])
    """
    shape = self._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    fill_value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    step = sum(self.stride())
    fill_(self.as_strided((min(shape),), (step,)), fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        # one row is left out between two blocks
        start = self.storage_offset() + self.stride(0) * (shape[1] + 1)
        count = -(-self.numel() // (shape[1] + 1)) - shape[1]
        fill_(self.as_strided((count,), (step,), start), fill_value)
    return self
