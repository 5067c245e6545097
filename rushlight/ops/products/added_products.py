"""Added products: beta times a tensor plus alpha times a product."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors import fixes
from rushlight.errors.explained import explained
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import MATCH, PROMOTE
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.products.products import adjoint, bmm, mm, mv, refuse_bool, require_inner, unlike_batches
from rushlight.ops.products.whole_numbers import product


def combined(input, product, beta, alpha):
    """beta * input + alpha * product, in the product's dtype; what beta = 0 multiplies is never read."""
    if product.dtype.kind in "iub":
        # torch cuts the fractions off
        beta, alpha = product.dtype.type(beta), product.dtype.type(alpha)
    # the product is new: it can hold what it is multiplied with and added to, and its memory is warm
    if alpha != 1:
        product = np.multiply(product, alpha, None if isinstance(alpha, complex) else product)
    try:
        shape = np.broadcast_shapes(input.shape, product.shape)
    except ValueError:
        shape = None
    if shape != product.shape:
        if input.ndim > product.ndim:
            kind = dtypes.from_numpy(input.dtype).scalar
            raise RuntimeError(
                f"expand(torch.{kind}Tensor{{{list(input.shape)}}}, size={list(product.shape)}): the number of sizes "
                f"provided ({product.ndim}) must be greater or equal to the number of dimensions in the tensor "
                f"({input.ndim})"
            )
        back = next(k for k in range(1, input.ndim + 1) if input.shape[-k] not in (1, product.shape[-k]))
        raise RuntimeError(
            f"The expanded size of the tensor ({product.shape[-back]}) must match the existing size "
            f"({input.shape[-back]}) at non-singleton dimension {product.ndim - back}.  Target sizes: "
            f"{list(product.shape)}.  Tensor sizes: {list(input.shape)}"
        )
    if beta == 0:
        return product
    added = input if beta == 1 else input * beta
    return np.add(product, added, product if added.dtype == product.dtype else None)


def scaled(grad, factor):
    return grad if factor == 1 else grad * conjugate(factor)


@op(
    dtype=MATCH,
    inplace=True,
    samples=cases(
        lambda make: [
            case(make.floats(2, 4), make.floats(2, 3), make.floats(3, 4)),
            case(make.floats(4), make.floats(2, 3), make.floats(3, 4), beta=0.5, alpha=2),
            case(make.floats(2, 1), make.floats(2, 3), make.floats(3, 4), beta=0),
            case(make.complexes(2, 2), make.complexes(2, 3), make.complexes(3, 2), alpha=2),
            case(make.floats(2, 4), make.floats(2, 3), make.floats(2, 4)),
        ]
    ),
)
def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta times the input plus alpha times the product of two matrices.

    >>> torch.addmm(torch.tensor([1.0, 2.0]), torch.eye(2), torch.tensor([[10.0, 20.0], [30.0, 40.0]]))
    tensor([[11., 22.],
            [31., 42.]])
    """
    for name, each in (("mat1", mat1), ("mat2", mat2)):
        if each.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {each.ndim}-D tensor")
    refuse_bool(mat1, "addmm_impl_cpu_")
    require_inner(mat1, mat2)
    return combined(input, product(mat1, mat2), beta, alpha)


addmm.gradient(
    input=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, alpha: scaled(mm(grad, adjoint(mat2)), alpha),
    mat2=lambda grad, mat1, alpha: scaled(mm(adjoint(mat1), grad), alpha),
)


@op(
    dtype=MATCH,
    inplace=True,
    samples=cases(
        lambda make: [
            case(make.floats(2), make.floats(2, 3), make.floats(3)),
            case(make.floats(1), make.floats(2, 3), make.floats(3), beta=0.5, alpha=2),
            case(make.floats(2), make.floats(2, 3), make.floats(2)),
        ]
    ),
)
def addmv(input, mat, vec, *, beta=1, alpha=1, out=None):
    """beta times the input plus alpha times a matrix times a vector.

    >>> torch.addmv(torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.tensor([3.0, 4.0]))
    tensor([ 8., 10.])
    """
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    refuse_bool(mat, "addmv_impl_cpu")
    rows = input.shape[0] if input.size > 1 else mat.shape[0]
    if mat.shape[1] != vec.shape[0] or rows != mat.shape[0]:
        words = f"size mismatch, got input ({rows}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        raise explained(RuntimeError, words, fix=fixes.vectors(mat.shape, vec.shape))
    return combined(input, mat.dot(vec), beta, alpha)


addmv.gradient(
    input=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(grad.unsqueeze(-1) * conjugate(vec), alpha),
    vec=lambda grad, mat, alpha: scaled(mv(adjoint(mat), grad), alpha),
)


def require_batches(batch1, batch2):
    for name, each in (("batch1", batch1), ("batch2", batch2)):
        if each.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    refuse_bool(batch1, "baddbmm")
    if batch2.shape[:2] != (batch1.shape[0], batch1.shape[2]):
        fix = fixes.products(batch1.shape, batch2.shape)
        raise unlike_batches((batch1.shape[0], batch1.shape[2]), batch2.shape[:2], fix)


batches = cases(
    lambda make: [
        case(make.floats(2, 4), make.floats(5, 2, 3), make.floats(5, 3, 4)),
        case(make.floats(4), make.floats(5, 2, 3), make.floats(5, 3, 4), beta=0.5, alpha=2),
        case(make.floats(2, 4), make.floats(5, 2, 3), make.floats(4, 3, 4)),
    ]
)


@op(dtype=MATCH, inplace=True, samples=batches)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta times the input plus alpha times the products of two batches of matrices.

    >>> torch.baddbmm(torch.tensor([[10.0]]), torch.ones(2, 1, 3), torch.ones(2, 3, 1), alpha=0.5).flatten()
    tensor([11.5000, 11.5000])
    """
    require_batches(batch1, batch2)
    return combined(input, product(batch1, batch2), beta, alpha)


baddbmm.gradient(
    input=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(bmm(grad, adjoint(batch2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(bmm(adjoint(batch1), grad), alpha),
)


@op(
    dtype=MATCH,
    inplace=True,
    samples=cases(
        lambda make: [
            case(make.floats(2, 4), make.floats(5, 2, 3), make.floats(5, 3, 4)),
            case(make.floats(2, 4), make.floats(5, 2, 3), make.floats(5, 3, 4), beta=0.5, alpha=2),
            case(make.floats(2, 4), make.floats(5, 2, 3), make.floats(4, 3, 4)),
        ]
    ),
)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta times the input plus alpha times the sum of a batch of matrix products.

    >>> torch.addbmm(torch.tensor([[10.0]]), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[16.]])
    """
    if batch1.ndim == batch2.ndim == 3 and len(batch1) != len(batch2):
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {len(batch1)} and {len(batch2)}")
    require_batches(batch1, batch2)
    return combined(input, np.add.reduce(product(batch1, batch2), 0), beta, alpha)


addbmm.gradient(
    input=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(grad.matmul(adjoint(batch2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(adjoint(batch1).matmul(grad), alpha),
)


@op(
    dtype=PROMOTE,
    layout=COMMON,
    inplace=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(3), make.floats(4)),
            case(make.floats(4), make.floats(3), make.floats(4), beta=0.5, alpha=2),
            case(make.ints(3, 4), make.ints(3), make.ints(4), alpha=2),
            case(make.ints(3, 4), make.ints(3), make.ints(4), beta=0.5),
            case(make.floats(3, 4), make.floats(3, 1), make.floats(4)),
        ]
    ),
)
def addr(input, vec1, vec2, *, beta=1, alpha=1, out=None):
    """beta times the input plus alpha times the outer product of two vectors.

    >>> torch.addr(torch.zeros(2, 3), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0, 100.0]))
    tensor([[  1.,  10., 100.],
            [  2.,  20., 200.]])
    """
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector.ndim}-D")
    # in the order of the input's memory, so that the sum passes straight through both
    turned = input.ndim == 2 and input.strides[0] < input.strides[1]
    product = (vec2[:, None] * vec1).T if turned else vec1[:, None] * vec2
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if product.dtype.kind in "iub" and isinstance(factor, float):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    return combined(input, product, beta, alpha)


addr.gradient(
    input=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(mv(grad, conjugate(vec2)), alpha),
    vec2=lambda grad, vec1, alpha: scaled(mv(grad.transpose(0, 1), conjugate(vec1)), alpha),
)


def added(input, product, beta, alpha):
    """A product, scaled, and the input, scaled; nothing of the input where its factor is 0."""
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else product + (input if beta == 1 else input * beta)


addmm.made_of(lambda input, mat1, mat2, beta, alpha: added(input, mat1.matmul(mat2), beta, alpha))
addmv.made_of(lambda input, mat, vec, beta, alpha: added(input, mat.matmul(vec), beta, alpha))
baddbmm.made_of(lambda input, batch1, batch2, beta, alpha: added(input, batch1.matmul(batch2), beta, alpha))
addbmm.made_of(lambda input, batch1, batch2, beta, alpha: added(input, batch1.matmul(batch2).sum(0), beta, alpha))
addr.made_of(lambda input, vec1, vec2, beta, alpha: added(input, vec1.unsqueeze(1) * vec2, beta, alpha))
