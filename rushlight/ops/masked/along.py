"""Masked operations that keep the shape: cumulative sums, softmax, normalization of where a mask is True."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.samples import Samples, case, cases, corner, corners
from rushlight.ops.masked.fills import checked, filled, highest, lowest
from rushlight.ops.masked.reductions import norm
from rushlight.ops.pointwise.exponential import logaddexp as logaddexp_of_all


def samples(*leading: Any) -> Samples:
    """Calls along a dimension, with and without mask; `leading` are the arguments before `dim`."""

    def make(make):
        x, mask = make.floats(3, 4), ~np.eye(3, 4, dtype=bool)
        return [
            case(x, *leading, 1),
            case(x, *leading, 1, mask=mask),
            case(x.T, *leading, 0, mask=mask.T),
            corner(x, *leading, -2, mask=make.bools(4)),
            corner(x, *leading, 1, dtype=dtypes.float64, mask=mask & False),
            corner(make.floats(), *leading, 0, mask=make.bools()),
            case(make.ints(3, 4), *leading, 1),
            case(make.ints(3, 4, dtype="int32"), *leading, 1, dtype=dtypes.float32, mask=mask),
            case(make.bools(3), *leading, 0, mask=make.bools(3)),
            case(x, *leading, 2, mask=mask),
            case(x, *leading, 1, mask=make.bools(5, 3, 4)),
        ]

    return cases(make)


@composed(name="masked.cumsum", samples=samples())
def cumsum(input, dim, *, dtype=None, mask=None):
    """Sums of each element and those before it along `dim`, where the mask is True.

    >>> torch.masked.cumsum(torch.tensor([1.0, 2.0, 3.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([1., 1., 4.])
    """
    along = axis(dim, checked("cumsum", input).ndim)
    kind = countable("cumsum", dtype or input.dtype)
    return filled(input, mask, 0).cumsum(along, dtype=kind).to(kind)


@composed(name="masked.cumprod", samples=samples())
def cumprod(input, dim, *, dtype=None, mask=None):
    """Products of each element and those before it along `dim`, where the mask is True.

    >>> torch.masked.cumprod(torch.tensor([2.0, 0.0, 4.0]), 0, mask=torch.tensor([True, False, True]))
    tensor([2., 2., 8.])
    """
    along = axis(dim, checked("cumprod", input).ndim)
    kind = countable("cumprod", dtype or input.dtype)
    return filled(input, mask, 1).cumprod(along, dtype=kind).to(kind)


def countable(name: str, kind: dtypes.dtype) -> dtypes.dtype:
    """A dtype in which one can add and multiply."""
    if kind is dtypes.bool_:
        raise no_kernel(f"{name}_out_cpu", "Bool", fix="pass dtype=torch.int64")
    return kind


@composed(name="masked.softmax", samples=samples())
def softmax(input, dim, *, dtype=None, mask=None):
    """Exponentials divided by their sum along `dim`; 0 where the mask is False.

    >>> scores = torch.tensor([1.0, 1.0, 9.0])
    >>> torch.masked.softmax(scores, 0, mask=torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    along = axis(dim, checked("softmax", input).ndim)
    fill = None if mask is None else lowest("amax", input)
    return filled(input, mask, fill).softmax(along, dtype or input.dtype)


# where the mask is False the result is -inf, which no difference is taken of
@composed(name="masked.log_softmax", samples=corners(samples()))
def log_softmax(input, dim, *, dtype=None, mask=None):
    """Logarithm of the softmax along `dim`; -inf where the mask is False.

    >>> scores = torch.tensor([3.0, 3.0, 9.0])
    >>> torch.masked.log_softmax(scores, 0, mask=torch.tensor([True, True, False]))[:2]
    tensor([-0.6931, -0.6931])
    """
    along = axis(dim, checked("log_softmax", input).ndim)
    fill = None if mask is None else lowest("amax", input)
    return filled(input, mask, fill).log_softmax(along, dtype or input.dtype)


@composed(name="masked.softmin", samples=samples())
def softmin(input, dim, *, dtype=None, mask=None):
    """Softmax of the negated input along `dim`; 0 where the mask is False.

    >>> costs = torch.tensor([0.0, math.log(3), -5.0])
    >>> torch.masked.softmin(costs, 0, mask=torch.tensor([True, True, False]))
    tensor([0.7500, 0.2500, 0.0000])
    """
    along = axis(dim, checked("softmin", input).ndim)
    fill = None if mask is None else highest("amin", input)
    return (-filled(input, mask, fill)).softmax(along, dtype or input.dtype)


@composed(name="masked.normalize", samples=samples(2.0))
def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """The input divided by its norm of order `ord` along `dim`, at least `eps`; 0 where the mask is False.

    >>> x, mask = torch.tensor([3.0, 4.0, 99.0]), torch.tensor([True, True, False])
    >>> torch.masked.normalize(x, 2.0, 0, mask=mask)
    tensor([0.6000, 0.8000, 0.0000])
    """
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled(input, mask, 0) / length.maximum(length.new_full((), eps))


@composed(
    name="masked.logaddexp",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(3, 4)),
            corner(make.floats(3, 4), make.floats(4), input_mask=make.bools(4)),
            corner(make.floats(3, 4), make.floats(3, 4), input_mask=make.bools(3, 1), other_mask=make.bools(3, 4)),
            corner(make.floats(3), make.floats(3), dtype=dtypes.float64, other_mask=make.bools(3)),
            case(make.floats(3), make.floats(3), other_mask=make.bools(2, 3)),
            case(make.ints(3), make.ints(3)),
        ]
    ),
)
def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)); where its mask is False, an operand counts as -inf.

    >>> torch.masked.logaddexp(torch.zeros(2), torch.zeros(2), other_mask=torch.tensor([True, False]))
    tensor([0.6931, 0.0000])
    """
    pairs = ((checked("logaddexp", input), input_mask), (checked("logaddexp", other), other_mask))
    both = [filled(each, mask, None if mask is None else lowest("logaddexp", each)) for each, mask in pairs]
    return logaddexp_of_all(*both).to(dtype or input.dtype)
