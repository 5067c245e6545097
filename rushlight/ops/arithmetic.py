"""Arithmetic: sums, products, quotients and powers of tensors, element by element."""

from __future__ import annotations

import numpy as np

from rushlight.ops.declare import op
from rushlight.ops.gradients import conjugate
from rushlight.ops.rules import FLOAT, PROMOTE, SAME
from rushlight.ops.samples import binary, case, cases, unary


@op(dtype=PROMOTE, samples=binary(complexes=True), operator="+")
def add(input, other, *, alpha=1, out=None):
    """Sum of two tensors, the second one times `alpha`."""
    return np.add(input, other if alpha == 1 else other * alpha, out)


add.gradient(
    input=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * alpha,
)


@op(dtype=PROMOTE, samples=binary(complexes=True), operator="*", aliases=["multiply"])
def mul(input, other, *, out=None):
    """Product of two tensors, element by element, with broadcasting."""
    return np.multiply(input, other, out)


mul.gradient(
    input=lambda grad, other: grad * conjugate(other),
    other=lambda grad, input: grad * conjugate(input),
)


@op(dtype=SAME, samples=unary(complexes=True, bools=False), aliases=["negative"])
def neg(input, *, out=None):
    """Each element with its sign changed."""
    return np.negative(input, out)


neg.gradient(input=lambda grad: -grad)
