"""Products: matrices, vectors and batches of them multiplied."""

from __future__ import annotations

import math

import numpy as np

from rushlight.errors import fixes
from rushlight.errors.explained import explained
from rushlight.errors.refusals import no_kernel, sizes_differ
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.product_words import CONJUGATED, PRODUCT
from rushlight.ops.products.whole_numbers import product as whole_product


def adjoint(matrix):
    """The last two dimensions swapped, and conjugated: what gradients of products need."""
    return conjugate(matrix.transpose(-2, -1))


def refuse_bool(array, name):
    # a sum of products is looked at even where there is none to add
    if array.dtype.kind == "b" and (array.size or name == "dot"):
        raise no_kernel(name, "Bool")


def require_inner(one, two):
    """Torch's complaint about inner sizes that differ."""
    if one.shape[-1] != two.shape[-2]:
        raise explained(
            RuntimeError,
            f"mat1 and mat2 shapes cannot be multiplied ({one.shape[0]}x{one.shape[1]} and "
            f"{two.shape[0]}x{two.shape[1]})",
            fix=fixes.products(one.shape, two.shape),
        )


def matmul_node(input, other):
    dims = input.ndim, getattr(other, "ndim", 0)
    if dims[0] == 2 < dims[1] and input.requires_grad:
        # torch folds the batch into the rows of the other, transposed, and turns the result around
        rows, columns = input.shape[0], other.shape[-1]
        turned = 1 in (rows, columns) or 0 in (rows, *other.shape[:-2], columns)
        return "TransposeBackward0" if turned else "CloneBackward0"
    return {
        (1, 1): "DotBackward0",
        (2, 1): "MvBackward0",
        (2, 2): "MmBackward0",
        (1, 2): "SqueezeBackward4",
    }.get(dims, "UnsafeViewBackward0")


@op(
    dtype=MATCH,
    batch=PRODUCT,
    linear=("input", "other"),
    operator="@",
    node=matmul_node,
    aliases=["linalg.matmul"],
    samples=cases(
        lambda make: [
            case(make.floats(3), make.floats(3)),
            case(make.floats(2, 3), make.floats(3)),
            case(make.floats(3), make.floats(3, 4)),
            case(make.floats(2, 3), make.floats(3, 4)),
            case(make.floats(5, 2, 3), make.floats(3, 4)),
            case(make.floats(5, 2, 3), make.floats(5, 3, 4)),
            case(make.floats(5, 1, 2, 3), make.floats(4, 3, 2)),
            case(make.floats(3), make.floats(5, 3, 4)),
            case(make.floats(5, 2, 3), make.floats(3)),
            case(make.floats(0, 3), make.floats(3, 4)),
            case(make.floats(2, 0), make.floats(0, 4)),
            case(make.floats(3, 2).T, make.floats(4, 3).T),
            case(make.ints(2, 3), make.ints(3, 2)),
            case(make.complexes(2, 3), make.complexes(3, 2)),
            case(make.floats(2, 3), make.floats(2, 3)),
            case(make.floats(2, 3), make.floats(3, 4, dtype="float64")),
            case(make.floats(), make.floats(3)),
        ]
    ),
)
def matmul(input, other, *, out=None):
    """Matrix product, of vectors, matrices, or batches of matrices.

    >>> torch.tensor([[1, 2], [3, 4]]) @ torch.tensor([10, 1])
    tensor([12, 34])
    >>> torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 2)).shape
    torch.Size([5, 4, 2, 2])
    """
    if not input.ndim or not other.ndim:
        raise_sizes(input.shape, other.shape)
    if input.shape[-1] != other.shape[-2 if other.ndim > 1 else 0]:
        raise_sizes(input.shape, other.shape)
    if input.dtype.kind == "b":
        refuse_bool_product(input, other)
    if input.dtype.kind in "iu":
        return whole_product(input, other)
    # a.dot takes half the time of np.matmul on small matrices
    return input.dot(other) if input.ndim <= 2 and other.ndim <= 2 else np.matmul(input, other)


matmul.gradient(
    input=lambda grad, other: matmul_left(grad, other),
    other=lambda grad, input, other_shape: matmul_right(grad, input, other_shape),
)


def refuse_bool_product(input, other):
    """In the name of torch's kernel for these ranks, after a look at their sizes."""
    refused = refusal(input.shape, other.shape)
    if refused is not None:
        raise refused
    ranks = input.ndim, other.ndim
    refuse_bool(
        input, {(1, 1): "dot", (2, 1): "addmv_impl_cpu"}.get(ranks, "bmm" if ranks[1] > 2 else "addmm_impl_cpu_")
    )


def raise_sizes(one, two):
    raise refusal(one, two)


def refusal(one, two):
    """The error of two shapes that have no product; None if they have."""
    if not one or not two:
        return RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(one)}D and {len(two)}D"
        )
    rows = math.prod(one[:-1])
    inner = two[-2 if len(two) > 1 else 0]
    if len(two) > 2:
        batch, other = one[:-2], two[:-2]
        for place in range(1, min(len(batch), len(other)) + 1):
            a, b = batch[-place], other[-place]
            if a != b and 1 not in (a, b):
                return sizes_differ(a, b, max(len(batch), len(other)) - place, fix=BATCHES)
        if one[-1] == inner:
            return None
        count = math.prod(np.broadcast_shapes(batch, other))
        return unlike_batches((count, one[-1]), (count, inner), fixes.products(one, two))
    if one[-1] == inner:
        return None
    if len(one) == len(two) == 1:
        return RuntimeError(
            f"inconsistent tensor size, expected tensor [{one[0]}] and src [{two[0]}] to have the same number of "
            f"elements, but got {one[0]} and {two[0]} elements respectively"
        )
    if len(two) == 1:
        words = f"size mismatch, got input ({rows}), mat ({rows}x{one[-1]}), vec ({two[0]})"
        return explained(RuntimeError, words, fix=fixes.vectors(one, two))
    words = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{one[-1]} and {two[-2]}x{two[-1]})"
    return explained(RuntimeError, words, fix=fixes.products(one, two))


BATCHES = "the sizes before the last two go together if they are equal, or if one of them is 1"


def unlike_batches(wanted, found, fix):
    """The error of two batches of matrices whose products do not exist."""
    return explained(
        RuntimeError,
        f"Expected size for first two dimensions of batch2 tensor to be: {list(wanted)} but got: {list(found)}.",
        fix=fix,
    )


def matmul_left(grad, other):
    """The gradient of the left factor."""
    if other.ndim == 1:
        return grad.unsqueeze(-1) * conjugate(other)
    if grad.ndim < other.ndim:
        return grad.unsqueeze(-2).matmul(adjoint(other)).squeeze(-2)
    return grad.matmul(adjoint(other))


def matmul_right(grad, input, shape):
    """The gradient of the right factor; a matrix that met a batch is one product of all rows."""
    if input.ndim == 1:
        column = conjugate(input)
        return grad * column if len(shape) == 1 else column.unsqueeze(-1) * grad.unsqueeze(-2)
    if len(shape) == 1:
        return grad.reshape(-1).matmul(conjugate(input).flatten(0, -2))
    if len(shape) == 2 and input.ndim > 2:
        return adjoint(input.flatten(0, -2)).matmul(grad.flatten(0, -2))
    return adjoint(input).matmul(grad)


@op(
    dtype=MATCH,
    batch=PRODUCT,
    linear=("input", "mat2"),
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), make.floats(3, 4)),
            case(make.floats(2, 0), make.floats(0, 4)),
            case(make.complexes(2, 3), make.complexes(3, 2)),
            case(make.ints(2, 3), make.ints(3, 2)),
            case(make.floats(2, 3), make.floats(2, 4)),
            case(make.floats(3), make.floats(3, 2)),
        ]
    ),
)
def mm(input, mat2, *, out=None):
    """Product of two matrices.

    >>> torch.mm(torch.tensor([[1, 2]]), torch.tensor([[10, 20], [30, 40]]))
    tensor([[ 70, 100]])
    """
    for place, each in enumerate((input, mat2)):
        if each.ndim != 2:
            raise RuntimeError("self must be a matrix" if not place else "mat2 must be a matrix")
    require_inner(input, mat2)
    refuse_bool(input, "addmm_impl_cpu_")
    return whole_product(input, mat2) if input.dtype.kind in "iu" else input.dot(mat2)


mm.gradient(
    input=lambda grad, mat2: grad.mm(adjoint(mat2)),
    mat2=lambda grad, input: adjoint(input).mm(grad),
)


@op(
    dtype=MATCH,
    batch=PRODUCT,
    linear=("input", "mat2"),
    samples=cases(
        lambda make: [
            case(make.floats(5, 2, 3), make.floats(5, 3, 4)),
            case(make.floats(0, 2, 3), make.floats(0, 3, 4)),
            case(make.complexes(2, 2, 3), make.complexes(2, 3, 2)),
            case(make.floats(5, 2, 3), make.floats(4, 3, 4)),
            case(make.floats(2, 3), make.floats(3, 2)),
        ]
    ),
)
def bmm(input, mat2, *, out=None):
    """Products of two batches of matrices.

    >>> rows, columns = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]]), torch.tensor([[[1.0], [0.0]], [[1.0], [1.0]]])
    >>> torch.bmm(rows, columns).flatten()
    tensor([1., 7.])
    """
    for name, each in (("batch1", input), ("batch2", mat2)):
        if each.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if mat2.shape[:2] != (input.shape[0], input.shape[2]):
        fix = fixes.products(input.shape, mat2.shape)
        raise unlike_batches((input.shape[0], input.shape[2]), mat2.shape[:2], fix)
    refuse_bool(input, "bmm")
    return whole_product(input, mat2)


bmm.gradient(
    input=lambda grad, mat2: grad.bmm(adjoint(mat2)),
    mat2=lambda grad, input: adjoint(input).bmm(grad),
)


@op(
    dtype=MATCH,
    batch=PRODUCT,
    linear=("input", "vec"),
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), make.floats(3)),
            case(make.floats(0, 3), make.floats(3)),
            case(make.complexes(2, 3), make.complexes(3)),
            case(make.floats(2, 3), make.floats(2)),
        ]
    ),
)
def mv(input, vec, *, out=None):
    """Product of a matrix and a vector.

    >>> torch.mv(torch.tensor([[0, -1], [1, 0]]), torch.tensor([3, 4]))
    tensor([-4,  3])
    """
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got {vec.ndim}, {input.ndim}, {vec.ndim}: mv takes a matrix and a "
            "vector"
        )
    if input.shape[1] != vec.shape[0]:
        raise_sizes(input.shape, vec.shape)
    refuse_bool(input, "addmv_impl_cpu")
    return input.dot(vec)


mv.gradient(
    input=lambda grad, vec: grad.unsqueeze(-1) * conjugate(vec),
    vec=lambda grad, input: adjoint(input).mv(grad),
)

vectors = cases(
    lambda make: [
        case(make.floats(4), make.floats(4)),
        case(make.floats(0), make.floats(0)),
        case(make.complexes(3), make.complexes(3)),
        case(make.ints(3), make.ints(3)),
        case(make.floats(4), make.floats(3)),
        case(make.floats(2, 2), make.floats(2)),
    ]
)


def require_vectors(one, two):
    if one.ndim != 1 or two.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {one.ndim}D and {two.ndim}D tensors")
    refuse_bool(one, "dot")
    if one.shape != two.shape:
        raise_sizes(one.shape, two.shape)


@op(dtype=MATCH, batch=PRODUCT, linear=("input", "tensor"), samples=vectors)
def dot(input, tensor, *, out=None):
    """Sum of the products of two vectors' elements.

    >>> torch.dot(torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6]))
    tensor(32)
    """
    require_vectors(input, tensor)
    return input.dot(tensor)


dot.gradient(
    input=lambda grad, tensor: grad * conjugate(tensor),
    tensor=lambda grad, input: grad * conjugate(input),
)


@op(dtype=MATCH, batch=CONJUGATED, linear=("input", "other"), samples=vectors, node="VdotBackward0")
def vdot(input, other, *, out=None):
    """Like `dot`, with the first vector conjugated.

    >>> z = torch.tensor([1 + 2j, 3j])
    >>> torch.vdot(z, z), torch.dot(z, z)
    (tensor(14.+0.j), tensor(-12.+4.j))
    """
    require_vectors(input, other)
    return np.vdot(input, other) if input.dtype.kind == "c" else input.dot(other)


vdot.gradient(
    input=lambda grad, other: conjugate(grad) * other,
    other=lambda grad, input: grad * input,
)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3), make.floats(4)),
            case(make.floats(3), make.ints(4)),
            case(make.floats(0), make.floats(4)),
            case(make.floats(3, 1), make.floats(4)),
        ]
    ),
    aliases=["ger"],
)
def outer(input, vec2, *, out=None):
    """All products of an element of one vector and one of the other.

    >>> torch.outer(torch.tensor([1, 2]), torch.tensor([1, 10, 100]))
    tensor([[  1,  10, 100],
            [  2,  20, 200]])
    """
    for name, each in (("self", input), ("vec2", vec2)):
        if each.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.ndim}-D")
    found = input.reshape((input.shape[0], 1)) * vec2
    return write_composed("outer", found, out)
