"""Linear maps: what a layer does to its features, one op with its own gradient."""

from __future__ import annotations

import math

import numpy as np

from rushlight.ops.declare import op
from rushlight.ops.gradients import conjugate
from rushlight.ops.rules import MATCH
from rushlight.ops.samples import case, cases


@op(
    name="nn.functional.linear",
    dtype=MATCH,
    node=lambda input, bias: linear_node(input, bias),
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
    """The input times the transposed weight, plus the bias: `(*, in) -> (*, out)`."""
    if not input.ndim or input.shape[-1] != weight.shape[-1]:
        raise_features(input.shape, weight.shape)
    rows = input if input.ndim <= 2 else input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
    found = rows.dot(weight.T)
    if bias is not None:
        found = np.add(found, bias, found) if found.ndim else found + bias
    return found if input.ndim <= 2 else found.reshape(*input.shape[:-1], *weight.shape[:-1])


linear.gradient(
    input=lambda grad, weight: linear_input(grad, weight),
    weight=lambda grad, input: linear_weight(grad, input),
    bias=lambda grad: grad,
)


def linear_node(input, bias):
    if input._array.ndim == 2:
        return "MmBackward0" if bias is None else "AddmmBackward0"
    return "UnsafeViewBackward0" if bias is None else "ViewBackward0"


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


@op(name="_columns_product", dtype=MATCH, samples=None)
def columns_product(input, other):
    """The first matrix transposed, times the second: (N, A), (N, B) -> (A, B)."""
    return input.T.dot(other)


columns_product.gradient(
    input=lambda grad, other: conjugate(other).mm(grad.transpose(0, 1)),
    other=lambda grad, input: conjugate(input).mm(grad),
)


def raise_features(input, weight):
    rows = int(np.prod(input[:-1]))
    columns = "x".join(map(str, reversed(weight)))
    raise RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input[-1] if input else 1} and {columns}): the input's "
        f"last dimension is {input[-1] if input else 'missing'}, the layer expects {weight[-1]} features"
    )
