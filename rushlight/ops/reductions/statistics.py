"""Statistics: variance and deviation, medians and quantiles, histograms and correlations."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors.warning import warn
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axes
from rushlight.ops.machine.gradients import conjugate, spread, widened
from rushlight.ops.machine.rules import REAL
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import OVER
from rushlight.ops.pointwise.complex import complex
from rushlight.ops.pointwise.where import choose
from rushlight.ops.reductions.folding import fold
from rushlight.ops.reductions.reductions import reduced_count


def spreads(make):
    """Samples of the variance and its kin, in all their overloads."""
    x = make.floats(3, 4, 2)
    return [
        case(x),
        case(x, 1),
        case(x, (0, 2), keepdim=True),
        case(x, False),
        case(x, unbiased=True),
        case(x, 0, False, True),
        case(x, dim=1, unbiased=False),
        case(x, dim=(0, 1), correction=0),
        case(x, 0, correction=2, keepdim=True),
        case(x, correction=1.5),
        case(x, None),
        case(make.floats(4, 3).T, 0),
        case(make.floats(5, dtype="float64")),
        case(make.floats(5, dtype="float16")),
        case(make.complexes(2, 3), 1),
        case(make.ints(3)),
        case(x, 3),
    ]


@composed(samples=cases(spreads))
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=None, out=None):
    """Variance over `dim`; the sum of squares is divided by the count less `correction`.

    >>> torch.tensor([1.0, 2.0, 3.0]).var()
    tensor(1.)
    >>> torch.tensor([1.0, 2.0, 3.0]).var(correction=0)
    tensor(0.6667)
    """
    dim, keepdim, correction = arguments("var", dim, unbiased, keepdim, correction, axis, keepdims)
    return variance(input, dim, keepdim, correction, out=out)


@composed(samples=cases(spreads))
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=None, out=None):
    """Standard deviation over `dim`; the sum of squares is divided by the count less `correction`.

    >>> torch.tensor([[1.0, 3.0], [2.0, 2.0]]).std(dim=1, correction=0)
    tensor([1., 0.])
    """
    dim, keepdim, correction = arguments("std", dim, unbiased, keepdim, correction, axis, keepdims)
    return deviation(input, dim, keepdim, correction, out=out)


@composed(samples=cases(spreads), method=False)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=None):
    """Variance and mean over `dim`.

    >>> variance, mean = torch.var_mean(torch.tensor([1.0, 2.0, 3.0]))
    >>> variance, mean
    (tensor(1.), tensor(2.))
    """
    dim, keepdim, correction = arguments("var_mean", dim, unbiased, keepdim, correction, axis, keepdims)
    return variance_and_mean(input, dim, keepdim, correction)


@composed(samples=cases(spreads), method=False)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None, keepdims=None):
    """Standard deviation and mean over `dim`.

    >>> torch.std_mean(torch.tensor([[0.0, 2.0], [5.0, 5.0]]), dim=1, correction=0)
    (tensor([1., 0.]), tensor([1., 5.]))
    """
    dim, keepdim, correction = arguments("std_mean", dim, unbiased, keepdim, correction, axis, keepdims)
    return deviation_and_mean(input, dim, keepdim, correction)


def arguments(name, dim, unbiased, keepdim, correction, axis, keepdims):
    """torch's overloads in one form: (unbiased), (dim, unbiased, keepdim), (dim, *, correction, keepdim)."""
    dim = dim if axis is None else axis
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    elif unbiased is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: either unbiased= or correction=")
    return dim, keepdim if keepdims is None else keepdims, correction


@op(dtype=REAL, batch=OVER, name="_variance", node="VarBackward0", samples=None)
def variance(input, dim: tuple, keepdim: bool, correction: float, *, out=None):
    return moments(input, "var", dim, keepdim, correction)[0]


@op(dtype=REAL, batch=OVER, name="_deviation", node="StdBackward0", samples=None)
def deviation(input, dim: tuple, keepdim: bool, correction: float, *, out=None):
    return rooted(input, "std", dim, keepdim, correction)[0]


@op(dtype=REAL, batch=OVER, name="_variance_and_mean", node="VarMeanBackward0", samples=None)
def variance_and_mean(input, dim: tuple, keepdim: bool, correction: float):
    return moments(input, "var_mean", dim, keepdim, correction)


@op(dtype=REAL, batch=OVER, name="_deviation_and_mean", node="StdMeanBackward0", samples=None)
def deviation_and_mean(input, dim: tuple, keepdim: bool, correction: float):
    return rooted(input, "std_mean", dim, keepdim, correction)


def rooted(input, name, dim, keepdim, correction):
    """Deviation and mean: of numbers whose squares overflow by way of wider ones, as in torch."""
    wider, kind, real = WIDER.get(input.dtype.char), input.dtype, input.real.dtype
    if wider is not None and input.size and np.absolute(input).max() > LARGE:
        input = input.astype(wider)
    variance, mean = moments(input, name, dim, keepdim, correction)
    return np.sqrt(variance).astype(real, copy=False), mean.astype(kind, copy=False)


WIDER = {"f": np.float64, "F": np.complex128}
# whose squares may overflow in single precision, once there are some of them
LARGE = 1e18


def moments(input, name, dim, keepdim, correction):
    """Variance and mean, the mean taken off first so that large means cost no digits."""
    if input.dtype not in dtypes.DIFFERENTIABLE:
        both = "std and var" if name in ("std", "var") else name
        raise RuntimeError(f"{both} only support floating point and complex dtypes; convert first, as with .float()")
    along = axes(dim, input.ndim)
    total = fold(np.add, input, along, True)
    wider = WIDER.get(input.dtype.char)
    if wider is not None and np.isinf(total).any():
        # the sum has overflowed, the mean need not
        found = moments(input.astype(wider), name, dim, keepdim, correction)
        return tuple([each.astype(total.real.dtype if k == 0 else total.dtype) for k, each in enumerate(found)])
    count = input.size // (total.size or 1)
    mean = total / count
    offset = input - mean
    squares = offset * offset if input.dtype.kind != "c" else offset.real**2 + offset.imag**2
    freedom = count - correction
    if freedom <= 0:
        warn_freedom(name)
        freedom = 0
    # what the rounding of the mean has left over: 160 units in the last place at a mean of 10,000 deviations
    left = np.abs(fold(np.add, offset, along, keepdim))
    variance = (fold(np.add, squares, along, keepdim) - left * (left / (count or 1))) / freedom
    return variance, mean.reshape(variance.shape)


def warn_freedom(name):
    warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
        "(input numel divided by output numel); unbiased=False divides by the count itself."
    )


def variance_gradient(grad, input, dim, keepdim, correction):
    freedom = reduced_count(input._array.shape, dim) - correction
    offset = input - input.mean(dim, True)
    if freedom <= 0 and (dim is None or not input.ndim):
        # the slope has no end: NaN at the mean, where torch multiplies it by 0
        return grad * choose(offset == 0, math.nan, math.inf).to(input.dtype)
    return widened(grad, input.shape, dim, keepdim) * (2 / freedom if freedom else math.inf) * offset


def deviation_gradient(grad, input, result, dim, keepdim, correction):
    """Through the variance; constant inputs, where the square root has a corner, get zero."""
    halved = (grad / (result * 2)).masked_fill_(result == 0, 0)
    return variance_gradient(halved, input, dim, keepdim, correction)


def with_mean(grad, mean_grad, input_shape, dim, keepdim):
    """The gradient through the spread, where there is one, plus the gradient through the mean."""
    if mean_grad is None:
        return grad
    through = spread(mean_grad / reduced_count(input_shape, dim), input_shape, dim, keepdim)
    return through if grad is None else grad + through


variance.gradient(input=variance_gradient)
deviation.gradient(input=deviation_gradient)
variance_and_mean.gradient(
    input=lambda grads, input, dim, keepdim, correction: with_mean(
        grads[0] if grads[0] is None else variance_gradient(grads[0], input, dim, keepdim, correction),
        grads[1],
        input.shape,
        dim,
        keepdim,
    )
)
deviation_and_mean.gradient(
    input=lambda grads, input, result, dim, keepdim, correction: with_mean(
        grads[0] if grads[0] is None else deviation_gradient(grads[0], input, result, dim, keepdim, correction),
        grads[1],
        input.shape,
        dim,
        keepdim,
    )
)


def variance_tangent(op, primals, tangents, results):
    """Each element's share by itself, added up: of no elements that is 0."""
    input, dim, keepdim, correction = primals
    shares = variance_gradient(tangents[0].conj(), input, dim, True, correction)
    return (shares.real if shares.is_complex() else shares).sum(dim, keepdim)


def deviation_tangent(op, primals, tangents, results):
    result = results[0] if isinstance(results, tuple) else results
    return (variance_tangent(op, primals, tangents, results) / (result * 2)).masked_fill(result == 0, 0)


def mean_tangent(primals, tangents):
    """That of the mean is the mean of the tangents: of no elements NaN, as the mean."""
    return tangents[0].mean(primals[1], primals[2])


variance.op.tangent = variance_tangent
deviation.op.tangent = deviation_tangent
variance_and_mean.op.tangent = lambda op, primals, tangents, results: (
    variance_tangent(op, primals, tangents, results),
    mean_tangent(primals, tangents),
)
deviation_and_mean.op.tangent = lambda op, primals, tangents, results: (
    deviation_tangent(op, primals, tangents, results),
    mean_tangent(primals, tangents),
)


def tables(make, *extra):
    return [
        case(make.floats(3, 5)),
        case(make.floats(5)),
        case(make.ints(2, 5)),
        case(make.complexes(2, 4)),
        case(make.floats(2, 2, 2)),
        *extra,
    ]


@composed(
    samples=cases(
        lambda make: tables(
            make,
            case(make.floats(3, 5), correction=0),
            case(make.floats(3, 5), fweights=make.ints(5, low=1, high=4)),
            case(make.floats(3, 5), aweights=make.floats(5, low=0.5)),
            case(
                make.floats(3, 5),
                correction=2,
                fweights=make.ints(5, low=1),
                aweights=make.floats(5, low=0.5),
            ),
            case(make.floats(3, 5), fweights=make.floats(5)),
            case(make.floats(3, 5), fweights=make.ints(5, low=-3, high=0)),
            case(make.floats(3, 5), aweights=make.floats(4, low=0.5)),
            case(make.bools(3, 5)),
        )
    )
)
def cov(input, *, correction=1, fweights=None, aweights=None):
    """Covariances of the rows; columns are observations, with how often and how heavily each one counts.

    >>> torch.tensor([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]).cov()
    tensor([[ 1., -2.],
            [-2.,  4.]])
    """
    require_table(input, fweights, aweights)
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    count = rows.shape[1]
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = count if weights is None else weights.sum()
    if weights is not None and total == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    if not rows.dtype.differentiable:
        rows = rows.to(dtypes.default)
    mean = (rows if weights is None else rows * weights).sum(1, True) / total
    if weights is None or aweights is None or correction == 0:
        freedom = total - correction
    else:
        freedom = total - correction * (weights * aweights).sum() / total
    offset = rows - mean
    other = conjugate(offset if weights is None else offset * weights).mT
    if freedom <= 0:
        warn_freedom("cov")
        freedom = freedom * 0
    return (offset @ other / freedom).squeeze()


def require_table(input, fweights, aweights):
    """torch's conditions on the arguments of `cov`."""
    if input.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    if input.dtype is dtypes.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    count = input.shape[-1] if input.ndim else 1
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None:
            require_weights(name, weights, count)


def require_weights(name, weights, count):
    words = f"cov(): expected {name} to have"
    if weights.ndim > 1:
        raise RuntimeError(f"{words} one or fewer dimensions but got {name} with {weights.ndim} dimensions")
    if weights.dtype.is_floating_point != (name == "aweights"):
        kind = "integral" if name == "fweights" else "floating point"
        raise RuntimeError(f"{words} {kind} dtype but got {name} with {weights.dtype.scalar} dtype")
    if weights.numel() != count:
        raise RuntimeError(
            f"{words} the same numel as there are observations in the input but got {weights.numel()} != {count}"
        )
    if (weights < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@composed(samples=cases(tables))
def corrcoef(input):
    """Correlation coefficients of the rows; columns are observations.

    >>> torch.tensor([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]).corrcoef()
    tensor([[1.0000, 0.5000],
            [0.5000, 1.0000]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    found = cov(input)
    if not found.ndim:
        return found / found
    deviation = (found.diagonal().real if found.is_complex() else found.diagonal()).sqrt()
    found = found / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    if found.is_complex():
        return complex(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)
