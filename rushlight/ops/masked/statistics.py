"""Masked statistics: mean, median and variance of the elements where a mask is True; NaN where there are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.samples import case, cases, joined
from rushlight.ops.masked.fills import checked, dims_of, filled, fitting
from rushlight.ops.masked.reductions import samples, sum
from rushlight.ops.reductions.quantiles import nanmedian


@composed(name="masked.mean", samples=samples())
def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Mean over `dim` of the elements where the mask is True.

    >>> torch.masked.mean(torch.tensor([1.0, 2.0, 4.0]), mask=torch.tensor([True, False, True]))
    tensor(2.5000)
    """
    kind = checked("mean", input).dtype if dtype is None else dtype
    if not kind.differentiable:
        source = "Input" if dtype is None else "Optional"
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )
    total = sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask)
    return total / counted(input, dim, bool(keepdim), mask)


@composed(
    name="masked.median",
    samples=joined(
        samples(),
        cases(lambda make: [case(make.ints(3, 4), 0), case(make.ints(3), 0, mask=make.ints(3, low=1, high=2))]),
    ),
)
def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The element in the middle, along `dim`, of those where the mask is True.

    >>> torch.masked.median(torch.tensor([1.0, 2.0, 3.0, 99.0]), 0, mask=torch.tensor([True, True, True, False]))
    tensor(2.)
    """
    along = axis(dim, checked("median", input).ndim)
    if input.dtype.is_floating_point:
        return nanmedian(filled(input, mask, math.nan), along, keepdim).values
    found = nanmedian(filled(input.float(), mask, math.nan), along, keepdim).values
    if found.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype or input.dtype)


spread_samples = joined(
    samples(),
    cases(
        lambda make: [
            case(make.floats(3, 4), 1, False, mask=~np.eye(3, 4, dtype=bool)),
            case(make.floats(3, 4), (0, 1), correction=2),
            case(make.floats(3, 4), 1, correction=0.5, mask=~np.eye(1, 4, dtype=bool)),
            case(make.floats(3), 0, True, correction=1),
        ]
    ),
)


@composed(name="masked.var", samples=spread_samples)
def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Variance over `dim` of the elements where the mask is True.

    >>> torch.masked.var(torch.tensor([1.0, 3.0, 99.0]), 0, mask=torch.tensor([True, True, False]))
    tensor(2.)
    """
    return squared_deviation(input, dim, unbiased, correction, keepdim, dtype, mask)


@composed(name="masked.std", samples=spread_samples)
def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """Standard deviation over `dim` of the elements where the mask is True.

    >>> x, mask = torch.tensor([[1.0, 3.0, 99.0]]), torch.tensor([[True, True, False]])
    >>> torch.masked.std(x, 1, unbiased=False, mask=mask)
    tensor([1.])
    """
    return squared_deviation(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def squared_deviation(
    input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: Any, dtype: Any, mask: Tensor | None
) -> Tensor:
    """The mean square of the distances from the mean, with `correction` elements fewer than there are."""
    checked("var", input)
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    if dtype is None:
        dtype = input.dtype if input.dtype.differentiable else dtypes.float32
    compute = dtype if dtype.differentiable else dtypes.float32
    count = counted(input, dim, True, mask)
    away = input - sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    total = sum(away * away.conj(), dim, keepdim=keepdim, dtype=compute, mask=mask)
    if not keepdim:
        count = count.reshape(total.shape)
    return (total / (count.to(compute.to_real()) - correction).clamp(min=0)).to(dtype)


def counted(input: Tensor, dim: Any, keepdim: bool, mask: Tensor | None) -> Tensor:
    """The number of elements where the mask is True."""
    here = input.new_ones(input.shape, dtype=dtypes.bool_) if mask is None else fitting(input, mask)
    return here.sum(dims_of(dim, input.ndim), keepdim)
