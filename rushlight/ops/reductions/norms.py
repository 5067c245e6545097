"""Norms: the length of vectors and the size of matrices."""

from __future__ import annotations

import math

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.declare import Op, composed, op
from rushlight.ops.machine.dims import axes
from rushlight.ops.machine.dims import axis as counted
from rushlight.ops.machine.gradients import conjugate, reduced_dims, widened
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import AVERAGE, BOOLEAN, PROMOTE, REAL
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import OVER
from rushlight.ops.pointwise.arithmetic import refuse_masks
from rushlight.ops.reductions.folding import fold
from rushlight.ops.reductions.maxima import amax, amin

INF = math.inf
# the sums of powers from which on nothing was lost, by dtype
LIMITS: dict[np.dtype, float] = {}


def vectors(make):
    x = make.floats(3, 4)
    holes = np.array([[0.0, 1, -2], [0, 0, 0]], "float32")
    return [
        *[case(x, p) for p in (0, 0.5, 1, 1.5, 2, 3, -1, INF, -INF)],
        *[corner(holes, p, 1) for p in (0, 0.5, 1, 2, 3, INF, -INF)],
        case(x),
        case(x, 2, (0, 1), True),
        case(x, dim=0),
        case(x, dtype=dtypes.float64),
        case(make.floats()),
        case(make.floats(), 3, 0),
        case(make.floats(5, dtype="float16")),
        case(make.complexes(2, 3), 1, 1),
        case(make.complexes(2, 3)),
        case(make.floats(0, 3)),
        case(make.floats(0, 3), INF),
        case(make.floats(0, 3), INF, 1),
        case(make.ints(3)),
        case(x, "fro"),
    ]


@op(
    dtype=REAL,
    batch=OVER,
    name="linalg.vector_norm",
    node="LinalgVectorNormBackward0",
    samples=cases(vectors),
)
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """Length of vectors along `dim`: the root of order `ord` of the sum of powers of order `ord`.

    >>> torch.linalg.vector_norm(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
    tensor([ 5., 10.])
    >>> torch.linalg.vector_norm(torch.tensor([3.0, -4.0]), ord=math.inf)
    tensor(4.)
    """
    if not isinstance(ord, (int, float, np.integer)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    require_inexact(input, "linalg.vector_norm")
    along = axes(dim, input.ndim)
    size = input if ord == 2 and input.dtype.kind != "c" else np.abs(input)
    if ord == 2:
        total = fold(np.add, size * size, along, keepdim)
        return np.sqrt(total) if is_usual(total) else scaled_norm(size, 2, along, keepdim)
    if ord == 1:
        return fold(np.add, size, along, keepdim)
    if ord == 0:
        return np.add.reduce(size != 0, along, size.dtype, keepdims=keepdim)
    if not input.size and (ord < 0 or ord == INF):
        require_identity(input, ord, along)
    if ord == INF:
        return fold(np.maximum, size, along, keepdim)
    if ord == -INF:
        return fold(np.minimum, size, along, keepdim)
    total = fold(np.add, size**ord, along, keepdim)
    return total ** (1 / ord) if ord < 0 or is_usual(total) else scaled_norm(size, ord, along, keepdim)


def is_usual(total):
    """Whether all sums of powers are so large that none was lost below the smallest number, and finite."""
    limits = LIMITS.get(total.dtype)
    if limits is None:
        found = np.finfo(total.dtype)
        limits = LIMITS[total.dtype] = float(found.tiny / found.eps)
    return bool(((total > limits) & (total < INF)).all())


def scaled_norm(size, ord, along, keepdim):
    """The norm of numbers whose powers are too large or too small for the dtype: the largest one is their unit."""
    size = np.abs(size)
    largest = fold(np.maximum, size, along, True) if size.size else np.ones((), size.dtype)
    unit = np.where((largest > 0) & (largest < INF), largest, largest.dtype.type(1))
    total = fold(np.add, (size / unit) ** ord, along, keepdim)
    return total ** (1 / ord) * (unit.reshape(total.shape) if size.size else unit)


def require_inexact(x, name):
    if x.dtype not in dtypes.DIFFERENTIABLE:
        kind = dtypes.from_numpy(x.dtype).scalar
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind}: use .float()")


def require_identity(x, ord, along):
    dims = range(x.ndim) if along is None else along if isinstance(along, tuple) else (along,)
    if along is None or any(not x.shape[each] for each in dims):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation "
            "does not have an identity"
        )


def norm_gradient(grad, input, result, ord, dim, keepdim):
    """For each `ord` its own expression; where the norm has a corner, the subgradient 0."""
    if ord == 0:
        return None
    grad = widened(grad, input.shape, dim, keepdim)
    result = widened(result, input.shape, dim, keepdim)
    if ord == 1:
        return grad * input.sgn()
    if ord == 2:
        return grad * (input / result).masked_fill_(result == 0, 0)
    if abs(ord) == INF:
        chosen = (input.abs() == result) | (input.isnan() & result.isnan())
        count = chosen.sum(reduced_dims(dim, input.ndim), True) if input.ndim else 1
        return input.sgn() * (grad / count * chosen)
    if ord < 1:
        scaled = (input.sgn() * input.abs() ** (ord - 1)).masked_fill_(input == 0, 0)
        return scaled * (grad * result ** (1 - ord))
    scaled = input.sgn() * input.abs() ** (ord - 1) if ord < 2 else input * input.abs() ** (ord - 2)
    return scaled * (grad / result ** (ord - 1)).masked_fill_(result == 0, 0)


vector_norm.gradient(input=norm_gradient)


def matrices(make):
    x = make.floats(2, 3, 4)
    return [
        case(x[0]),
        *[case(x, p) for p in ("fro", "nuc", 1, -1, INF, -INF, 2, -2)],
        *[case(x, p, (2, 0), True) for p in ("fro", "nuc", 1, -INF, 2)],
        case(x, axis=(0, 1), keepdims=True),
        case(x, dtype=dtypes.float64),
        case(make.floats(3), 1),
        case(x, 3),
        case(x, "max"),
        case(x, 1, (0, 0)),
        case(make.ints(2, 2)),
    ]


@composed(name="linalg.matrix_norm", samples=cases(matrices))
def matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, axis=None, keepdims=None, dtype=None, out=None):
    """Size of matrices: 'fro', 'nuc', or the norm induced by 1, 2 or inf and their negatives.

    >>> torch.linalg.matrix_norm(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), ord=1)  # the largest sum of a column
    tensor(6.)
    """
    dim, keepdim = dim if axis is None else axis, keepdim if keepdims is None else keepdims
    require_inexact(input._array, "linalg.matrix_norm")
    if ord not in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not isinstance(dim, (tuple, list)):
        raise TypeError(f"linalg_matrix_norm(): argument 'dim' must be tuple of ints, not {type(dim).__name__}")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {list(dim)}")
    rows, columns = (counted(each, input.ndim) for each in dim)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        return vector_norm(input, 2, (rows, columns), keepdim, dtype=dtype, out=out)
    if dtype is not None:
        input = input.to(dtype)
    if ord in ("nuc", 2, -2):
        from rushlight.ops.linalg.singular import svdvals

        order = [each for each in range(input.ndim) if each not in (rows, columns)] + [rows, columns]
        found = extreme(svdvals(input.permute(order)), ord, -1, keepdim)
        if keepdim:
            found = found.unsqueeze(-1).permute([order.index(each) for each in range(input.ndim)])
        return write_composed("linalg.matrix_norm", found, out)
    sums = vector_norm(input, 1, rows if abs(ord) == 1 else columns, True)
    return write_composed("linalg.matrix_norm", extreme(sums, ord, (rows, columns), keepdim), out)


def extreme(values: Tensor, ord: float | str, dim: int | tuple[int, ...], keepdim: bool) -> Tensor:
    """The largest, the smallest or, for nuclear norms, the sum."""
    nothing = not math.prod(values.shape[each] for each in (dim if isinstance(dim, tuple) else (dim,)))
    if ord == "nuc" or (nothing and ord > 0):
        return values.sum(dim, keepdim)
    return (amax if ord > 0 else amin)(values, dim, keepdim)


def lengths(make):
    x = make.floats(3, 4)
    return [
        case(x),
        case(x[0], 3),
        case(x, 1),
        case(x, INF),
        case(x, "nuc"),
        case(x, "fro", (0, 1), True),
        case(x, 2, (0, 1)),
        case(x, 2, 1),
        case(x, dim=0, keepdim=True),
        case(x, axis=0, keepdims=True),
        case(make.floats(2, 3, 4)),
        case(make.floats(), 2),
        case(make.floats(2, 3, 4), 2),
        case(x, dim=()),
        case(x, "max"),
        case(make.ints(3)),
    ]


@composed(name="linalg.norm", samples=cases(lengths))
def linalg_norm(input, ord=None, dim=None, keepdim=False, *, axis=None, keepdims=None, dtype=None, out=None):
    """Norm of a vector or a matrix, told apart by `dim` or by the input's own dimensions.

    >>> torch.linalg.norm(torch.tensor([1.0, 2.0, 2.0]))
    tensor(3.)
    >>> torch.linalg.norm(torch.diag(torch.tensor([3.0, -4.5])), ord="nuc")  # the sum of singular values
    tensor(7.5000)
    """
    dim, keepdim = dim if axis is None else axis, keepdim if keepdims is None else keepdims
    if isinstance(dim, int):
        dim = (dim,)
    if dim is not None and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if ord is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype, out=out)
    if dim is None and input.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    if len(dim) == 2 if dim is not None else input.ndim == 2:
        return matrix_norm(input, ord, dim or (-2, -1), keepdim, dtype=dtype, out=out)
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: Order {ord} not supported for a vector: give a number")
    return vector_norm(input, ord, dim, keepdim, dtype=dtype, out=out)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 1),
            case(make.floats(3, 4), INF, 1),
            case(make.floats(3, 4), None, (0, 1), True),
            case(make.floats(3, 4), p="fro", dim=1),
            case(make.floats(3, 4), "nuc"),
            case(make.floats(3, 4), "nuc", (0, 1)),
            case(make.floats(3, 4), dtype=dtypes.float64),
            case(make.floats(3, 4), dim=()),
            case(make.floats(3, 4), "max"),
            case(make.ints(3)),
        ]
    )
)
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """Norm of all elements, or over `dim`: 2 ('fro') unless `p` says otherwise, 'nuc' for matrices.

    >>> torch.tensor([3.0, 4.0]).norm()
    tensor(5.)
    >>> torch.tensor([3.0, -4.0]).norm(p=1)
    tensor(7.)
    """
    if isinstance(p, str) and (p != "fro" or (isinstance(dim, (tuple, list)) and len(dim) > 2)):
        dims = range(input.ndim) if dim is None else dim
        return matrix_norm(input, p, tuple(dims), keepdim, dtype=dtype, out=out)
    return vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype, out=out)


def DISTANCE(op: Op, arrays: list) -> np.dtype:
    """The real dtype of what the operands have in common; masks are not subtracted."""
    if any([each.dtype is BOOLEAN for each in arrays[:2]]):
        refuse_masks(*arrays[:2])
    return dtypes.from_numpy(PROMOTE(op, arrays)).to_real().numpy


@op(
    dtype=DISTANCE,
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 4), make.floats(4), p) for p in (0, 1, 1.5, 2, 3, INF)],
            case(make.floats(3), make.floats(3)),
            case(make.floats(), make.floats()),
            case(make.floats(3), make.floats(4)),
            case(make.ints(3), make.floats(3, dtype="float64")),
        ]
    ),
)
def dist(input, other, p=2):
    """The `p`-norm of the difference of two tensors.

    >>> torch.dist(torch.tensor([0.0, 0.0]), torch.tensor([3.0, 4.0]))
    tensor(5.)
    """
    difference = input - other
    if difference.dtype.kind in "iu":
        kind = dtypes.from_numpy(difference.dtype).scalar
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    return vector_norm.op.body(difference, p)


dist.gradient(
    input=lambda grad, input, other, result, p: norm_gradient(grad, input - other, result, p, None, False),
    other=lambda grad, input, other, result, p: norm_gradient(grad, other - input, result, p, None, False),
)


@op(
    dtype=AVERAGE,
    inplace=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 2, 0, 1.0),
            case(make.floats(3, 4), 1, -1, 0.5),
            case(make.floats(2, 3, 4), 3, 1, 2),
            case(make.floats(3, 4), INF, 0, 1),
            case(make.floats(4), 2, 0, 1),
            case(make.floats(2, 2), -1, 0, 1),
            case(make.floats(2, 2), 2, 0, -1),
            case(make.floats(2, 2), 2, 2, 1),
        ]
    ),
)
def renorm(input, p: float, dim: int, maxnorm: float, *, out=None):
    """The input with every slice along `dim` whose `p`-norm is larger than `maxnorm` scaled down to it.

    >>> torch.tensor([[3.0, 4.0], [0.3, 0.4]]).renorm(p=2, dim=0, maxnorm=1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    # by the ops, whose kernels need no memory of their own
    with no_grad():
        size = vector_norm(wrap(input), p, other_dims(dim, input.ndim), True)._array
        factor = np.where(size > maxnorm, maxnorm / (size + 1e-7), 1).astype(size.dtype)
        return (wrap(input) * wrap(factor))._array


def other_dims(dim, ndim):
    kept = counted(dim, ndim)
    return tuple([each for each in range(ndim) if each != kept])


def renorm_gradient(grad, input, p, dim, maxnorm):
    """Slices that were scaled down lose the part of the gradient that would make them longer."""
    dims = other_dims(dim, input.ndim)
    size = vector_norm(input, p, dims, True)
    along = (conjugate(input) * grad).sum(dims, True).real if input.is_complex() else (input * grad).sum(dims, True)
    inverse = 1 / (size + 1e-7)
    scaled = maxnorm * inverse * (grad - inverse * norm_gradient(along, input, size, p, dims, True))
    return scaled.where(size > maxnorm, grad)


renorm.gradient(input=renorm_gradient)


dist.made_of(lambda input, other, p: vector_norm(input - other, p))
