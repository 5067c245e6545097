"""Linear maps: what a layer does to its features, one op with its own gradient."""

from __future__ import annotations

import functools
import math

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import features
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.product_words import COLUMNS, LINEAR
from rushlight.ops.products.products import refuse_bool
from rushlight.ops.products.whole_numbers import product


@op(
    name="nn.functional.linear",
    dtype=MATCH,
    batch=LINEAR,
    linear=("input", "weight"),
    node=lambda input, weight, bias: linear_node(input, weight, bias),
    holds=("weight",),
    folds=("input",),
    samples=cases(
        lambda make: [
            case(make.floats(5, 3), make.floats(4, 3), make.floats(4)),
            case(make.floats(5, 3), make.floats(4, 3)),
            case(make.floats(3), make.floats(4, 3), make.floats(4)),
            case(make.floats(2, 5, 3), make.floats(4, 3), make.floats(4)),
            case(make.floats(5, 3), make.floats(3)),
            case(make.floats(0, 3), make.floats(4, 3), make.floats(4)),
            case(make.floats(2, 3, 0), make.floats(4, 0), make.floats(4)),
            case(make.complexes(5, 3), make.complexes(4, 3), make.complexes(4)),
            case(make.floats(5, 3), make.floats(4, 2), make.floats(4)),
            case(make.floats(5, 3, dtype="float64"), make.floats(4, 3), make.floats(4)),
        ]
    ),
)
def linear(input, weight, bias: Tensor = None, *, out=None):
    """The input times the transposed weight, plus the bias: `(*, in) -> (*, out)`.

    >>> weight, bias = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, -1.0]]), torch.tensor([0.5, 0.0, 0.0])
    >>> F.linear(torch.tensor([1.0, 2.0]), weight, bias)
    tensor([ 1.5000,  3.0000, -2.0000])
    """
    if not (input.ndim and 1 <= weight.ndim <= 2) or input.shape[-1] != weight.shape[-1]:
        refuse_ranks(input.ndim, weight.ndim)
        raise_features(input.shape, weight.shape)
    if input.dtype.kind == "b":
        refuse_bool(input, {(1, 1): "dot", (2, 1): "addmv_impl_cpu"}.get((input.ndim, weight.ndim), "addmm_impl_cpu_"))
    if weight.ndim == 1 and bias is not None and input.ndim == 2:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor: a weight of one row is weight[None]")
    rows = input if input.ndim <= 2 else input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
    found = product(rows, weight.T)
    if bias is not None:
        try:
            found = np.add(found, bias, found) if found.ndim else found + bias
        except ValueError:
            raise_bias(found if found.ndim > 1 else found[None], bias.shape)
    return found if input.ndim <= 2 else found.reshape(*input.shape[:-1], *weight.shape[:-1])


linear.gradient(
    input=lambda grad, weight: linear_input(grad, weight),
    weight=lambda grad, input: linear_weight(grad, input),
    bias=lambda grad: grad,
)


@functools.cache
def linear_order(inputs, is_matrix):
    """torch's addition serves the bias first, and its transposed weight after an input that is no view."""
    order = ("bias", "input", "weight") if is_matrix else ("bias", "weight", "input")
    positions = [linear.op.positions[name] for name in order]
    return [inputs.index(position) for position in positions if position in inputs]


linear.op.delivery = lambda node: linear_order(node.plan.inputs, len(node.outputs[0][0]) == 2)


def linear_steps(node):
    """The nodes between a linear map and its inputs in torch, for those who look."""
    from rushlight.autograd import steps

    return steps.linear_steps(node)


linear.op.steps = linear_steps


def linear_node(input, weight, bias):
    """torch's last step: a product of its own for vectors, or a view of a product of matrices."""
    rank = input._array.ndim
    if weight._array.ndim == 1 and bias is not None:
        return "AddBackward0"
    if bias is not None:
        if rank == 2:
            return "AddmmBackward0"
        return "ViewBackward0" if input._array.flags.c_contiguous else "AddBackward0"
    if weight._array.ndim == 1 and rank < 3:
        return "DotBackward0" if rank == 1 else "MvBackward0"
    return ("SqueezeBackward4", "MmBackward0", "UnsafeViewBackward0")[min(rank, 3) - 1]


def refuse_ranks(one: int, two: int) -> None:
    """torch's words for a number in place of features, and for weights of several matrices."""
    if not one or not two:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {one}D and {two}D")
    if two > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {two}D: a weight is (out, in)")


def linear_input(grad, weight):
    if weight._array.ndim == 1:
        return grad.unsqueeze(-1) * conjugate(weight)
    return grad.matmul(conjugate(weight))


def linear_weight(grad, input):
    """The gradient of the weight, already in its layout."""
    rows = input if input._array.ndim == 2 else input.flatten(0, -2) if input._array.ndim > 2 else input.unsqueeze(0)
    if grad._array.ndim < input._array.ndim:
        return grad.reshape(-1).matmul(conjugate(rows))
    grads = grad if grad._array.ndim == 2 else grad.flatten(0, -2) if grad._array.ndim > 2 else grad.unsqueeze(0)
    return columns_product(grads, conjugate(rows))


@op(name="_columns_product", dtype=MATCH, batch=COLUMNS, linear=("input", "other"), samples=None)
def columns_product(input, other):
    """The first matrix transposed, times the second: (N, A), (N, B) -> (A, B)."""
    return input.T.dot(other)


columns_product.gradient(
    input=lambda grad, other: conjugate(other).mm(grad.transpose(0, 1)),
    other=lambda grad, input: conjugate(input).mm(grad),
)


def raise_bias(found, bias):
    """torch's words for a bias that cannot be added to each row."""
    target, kind = list(found.shape), dtypes.from_numpy(found.dtype).scalar
    if len(bias) > len(target):
        raise RuntimeError(
            f"expand(torch.{kind}Tensor{{{list(bias)}}}, size={target}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(bias)})"
        )
    back = next(k for k in range(1, len(bias) + 1) if bias[-k] not in (1, target[-k]))
    raise RuntimeError(
        f"The expanded size of the tensor ({target[-back]}) must match the existing size ({bias[-back]}) at "
        f"non-singleton dimension {len(target) - back}.  Target sizes: {target}.  Tensor sizes: {list(bias)}: a bias "
        f"has one number for each of the {target[-1]} features"
    )


def raise_features(input, weight):
    rows = int(np.prod(input[:-1]))
    columns = "x".join(map(str, reversed(weight)))
    raise explained(
        RuntimeError,
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input[-1] if input else 1} and {columns}): the input's "
        f"last dimension is {input[-1] if input else 'missing'}, the layer expects {weight[-1]} features",
        fix=features(input, weight),
    )
