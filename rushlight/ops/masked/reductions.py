"""Masked reductions: sums, products, extremes and norms of the elements where a mask is True."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import Samples, case, cases, corner
from rushlight.ops.masked.fills import checked, dims_of, filled, fitting, highest, lowest
from rushlight.ops.pointwise.where import where
from rushlight.ops.reductions.norms import require_inexact, vector_norm


def samples(*leading: object, ints: bool = True) -> Samples:
    """Calls of a reduction with and without mask; `leading` are the arguments before `dim`."""

    def make(make):
        x, mask = make.distinct(3, 4), ~np.eye(3, 4, dtype=bool)
        found = [
            case(x, *leading),
            case(x, *leading, mask=mask),
            case(x, *leading, 1, mask=mask),
            case(x.T, *leading, 0, mask=mask.T),
            case(x, *leading, -1, dtype=dtypes.float64, mask=mask[0]),
            corner(x, *leading, 0, keepdim=True, mask=make.bools(3, 1)),
            corner(x, *leading, 1, mask=mask & False),
            corner(make.floats(), *leading, mask=make.bools()),
            corner(make.floats(3, dtype="float64"), *leading, 0, mask=make.ints(3, low=0, high=2)),
            case(x, *leading, mask=make.bools(2, 3, 4)),
            case(x, *leading, mask=make.bools(2)),
            case(x, *leading, 2, mask=mask),
            corner(make.complexes(3), *leading, 0, mask=make.bools(3)),
        ]
        if ints:
            found += [case(make.ints(3, 4), *leading, 1, mask=mask), case(make.ints(3, dtype="int16"), *leading)]
            found += [case(make.bools(3), *leading), case(make.bools(3), *leading, mask=make.bools(3))]
        return found

    return cases(make)


@composed(name="masked.sum", samples=samples())
def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Sum over `dim` of the elements where the mask is True; 0 where there are none.

    >>> torch.masked.sum(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    dims = dims_of(dim, checked("sum", input).ndim)
    return filled(input, mask, 0).sum(dims, bool(keepdim), dtype=dtype)


@composed(name="masked.prod", samples=samples())
def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Product over `dim` of the elements where the mask is True; 1 where there are none.

    >>> torch.masked.prod(torch.tensor([[2.0, 3.0], [0.0, 5.0]]), 1, mask=torch.tensor([[True, True], [False, True]]))
    tensor([6., 5.])
    """
    dims = dims_of(dim, checked("prod", input).ndim)
    if dtype is None:
        dtype = input.dtype if input.dtype.differentiable else dtypes.int64
    if not dims and mask is not None:
        return where(fitting(input, mask), input, input.new_ones(())).to(dtype)
    found = filled(input, mask, 1).to(dtype)
    for each in reversed(dims):
        found = found.prod(each, bool(keepdim))
    return found


@composed(name="masked.amax", samples=samples())
def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest over `dim` of the elements where the mask is True; the lowest number where there are none.

    >>> legal = torch.tensor([[True, False, True]])
    >>> torch.masked.amax(torch.tensor([[1.0, 9.0, 4.0]]), 1, mask=legal)
    tensor([4.])
    """
    dims = dims_of(dim, checked("amax", input).ndim)
    fill = None if mask is None else lowest("amax", input)
    return filled(input, mask, fill).amax(dims, bool(keepdim)).to(dtype or input.dtype)


@composed(name="masked.amin", samples=samples())
def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest over `dim` of the elements where the mask is True; the highest number where there are none.

    >>> torch.masked.amin(torch.tensor([3.0, -7.0, 2.0]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    dims = dims_of(dim, checked("amin", input).ndim)
    fill = None if mask is None else highest("amin", input)
    return filled(input, mask, fill).amin(dims, bool(keepdim)).to(dtype or input.dtype)


@composed(name="masked.argmax", samples=samples())
def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest of the elements stands for which the mask is True; as a number of the input's dtype.

    >>> q_values, legal = torch.tensor([[1.0, 9.0, 4.0]]), torch.tensor([[True, False, True]])
    >>> torch.masked.argmax(q_values, 1, mask=legal)
    tensor([2.])
    """
    fill = None if mask is None else lowest("argmax", checked("argmax", input))
    return filled(checked("argmax", input), mask, fill).argmax(dim, bool(keepdim)).to(dtype or input.dtype)


@composed(name="masked.argmin", samples=samples())
def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of the elements stands for which the mask is True; as a number of the input's dtype.

    >>> torch.masked.argmin(torch.tensor([3.0, -7.0, 2.0]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    fill = None if mask is None else highest("argmin", checked("argmin", input))
    return filled(checked("argmin", input), mask, fill).argmin(dim, bool(keepdim)).to(dtype or input.dtype)


@composed(name="masked.logsumexp", samples=samples())
def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Logarithm of the sum over `dim` of the exponentials of the elements where the mask is True.

    >>> torch.masked.logsumexp(torch.tensor([5.0, 5.0, 80.0]), 0, mask=torch.tensor([True, True, False]))
    tensor(5.6931)
    """
    dims = dims_of(dim, checked("logsumexp", input).ndim)
    fill = None
    if mask is not None:
        fill = -math.inf if input.is_complex() else lowest("logsumexp", input)
    return filled(input, mask, fill).logsumexp(dims, bool(keepdim)).to(dtype or input.dtype)


@composed(name="masked.norm", samples=samples(3.0, ints=False))
def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm of order `ord` over `dim` of the elements where the mask is True.

    >>> torch.masked.norm(torch.tensor([3.0, 100.0, 4.0]), 2.0, 0, mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    dims = dims_of(dim, checked("norm", input).ndim)
    fill = None if mask is None else norm_fill(input, ord)
    require_inexact(input._array, "linalg.vector_norm")
    return vector_norm(filled(input, mask, fill), ord, dims, bool(keepdim), dtype=dtype or input.dtype)


def norm_fill(input: Tensor, ord: float) -> float:
    """What adds nothing to a norm; for the smallest absolute value, what no element is above."""
    if ord != -math.inf:
        return 0
    if not input.dtype.is_floating_point:
        raise AssertionError(f"input must be floating point, got {input.dtype}")
    return math.inf
