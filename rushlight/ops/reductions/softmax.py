"""Softmax: exponentials that add up to one along a dimension, and their logarithms."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors.refusals import no_kernel
from rushlight.errors.warning import warn
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.rules import AVERAGE
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.folding import fold, in_c_order


def samples(make):
    return [
        case(make.floats(3, 4), 1),
        case(make.floats(3, 4), -2),
        case(make.floats(4, 2, 3).T, 0),
        case(make.floats(), 0),
        case(make.floats(0, 3), 0),
        case(make.floats(0, 3), 1),
        case(make.floats(5, low=-300, high=300), 0),
        case(np.array([-np.inf, 0, np.inf, np.nan], "float32"), 0),
        case(np.array([-np.inf, -np.inf], "float32"), 0),
        case(make.floats(5, dtype="float16"), 0),
        case(make.floats(2, 3), 2),
    ]


def typed(make):
    """Samples with `dtype=`, which converts the input first."""
    return [case(make.floats(3, 4), 1, dtype=dtypes.float64), case(make.ints(3), 0, dtype=dtypes.float32)]


@op(
    dtype=AVERAGE,
    batch=ALONG,
    aliases=["special.softmax"],
    samples=cases(lambda make: [*samples(make), *typed(make), case(make.ints(3), 0)]),
)
def softmax(input, dim=None, dtype=None, *, out=None):
    """Exponentials divided by their sum along `dim`.

    >>> torch.tensor([0.0, math.log(3)]).softmax(0)
    tensor([0.2500, 0.7500])
    """
    along = axis(dim, input.ndim)
    if not input.size:
        return input.copy()
    require_real(input, "softmax", along)
    if not input.ndim:
        return np.exp(input - input)
    input = in_c_order(input)
    found = np.exp(input - np.maximum.reduce(input, along, keepdims=True))
    found /= fold(np.add, found, along, True)
    return found


softmax.gradient(input=lambda grad, result, dim: softmax_gradient(grad * result, result, dim))
softmax.op.refuse_complex_gradients("_softmax")


def softmax_gradient(weighted, result, dim):
    return weighted - result * weighted.sum(dim, True)


@op(
    dtype=AVERAGE,
    batch=ALONG,
    aliases=["special.log_softmax"],
    samples=cases(lambda make: [*samples(make), *typed(make), case(make.ints(3), 0)]),
)
def log_softmax(input, dim=None, dtype=None, *, out=None):
    """Logarithm of the softmax along `dim`, computed without losing small probabilities.

    >>> torch.tensor([0.0, 200.0]).log_softmax(0)  # softmax(0).log() would begin with -inf
    tensor([-200.,    0.])
    """
    along = axis(dim, input.ndim)
    if not input.size:
        return input.copy()
    require_real(input, "log_softmax", along)
    if not input.ndim:
        return input - input
    input = in_c_order(input)
    found = input - np.maximum.reduce(input, along, keepdims=True)
    found -= np.log(fold(np.add, np.exp(found), along, True))
    return found


log_softmax.gradient(input=lambda grad, result, dim: grad - result.exp() * grad.sum(dim, True))
log_softmax.op.refuse_complex_gradients("_log_softmax")


def require_real(input, name, along=-1):
    """Refuse what torch's kernel of this name, one for the last dimension and one for others, does not take."""
    if input.dtype not in dtypes.DIFFERENTIABLE or input.dtype.kind == "c":
        kind = dtypes.from_numpy(input.dtype).scalar
        kernel = f"{name}_lastdim_kernel_impl" if along in (-1, max(input.ndim - 1, 0)) else f"{name}_kernel_impl"
        raise no_kernel(kernel, kind, fix="pass dtype=torch.float32")


def implicit_dim(name, ndim):
    """The dimension that nn.functional takes when none is given, with torch's warning."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


@composed(name="nn.functional.softmax", samples=cases(lambda make: samples(make) + typed(make)))
def functional_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Exponentials divided by their sum along `dim`.

    >>> logits = torch.tensor([[1.0, 1.0], [0.0, math.log(3)]])
    >>> F.softmax(logits, dim=1)
    tensor([[0.5000, 0.5000],
            [0.2500, 0.7500]])
    """
    return softmax(input, implicit_dim("softmax", input.ndim) if dim is None else dim, dtype)


@composed(name="nn.functional.log_softmax", samples=cases(lambda make: samples(make) + typed(make)))
def functional_log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Logarithm of the softmax along `dim`.

    >>> F.log_softmax(torch.zeros(1, 4), dim=-1)
    tensor([[-1.3863, -1.3863, -1.3863, -1.3863]])
    """
    return log_softmax(input, implicit_dim("log_softmax", input.ndim) if dim is None else dim, dtype)


@composed(name="nn.functional.softmin", samples=cases(lambda make: samples(make) + typed(make)))
def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """Softmax of the negated input: the smallest element gets the largest share.

    >>> F.softmin(torch.tensor([0.0, math.log(3)]), dim=0)
    tensor([0.7500, 0.2500])
    """
    return softmax(-input, implicit_dim("softmin", input.ndim) if dim is None else dim, dtype)
