"""Variates: counts, gamma numbers and shares, drawn on torch's own stream from tensors of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.random import rejection
from rushlight.core.random.streams import Generator
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.random import implicit
from rushlight.ops.random.draws import check_generator

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor


def require_one_float(kernel: str, first: np.ndarray, *others: np.ndarray) -> None:
    """Refuse dtypes other than float32 and float64, and several of them."""
    for each in others:
        if each.dtype != first.dtype:
            names = [dtypes.from_numpy(array.dtype).scalar for array in (each, first)]
            raise RuntimeError(f"Found dtype {names[0]} but expected {names[1]}: convert one of them")
    if first.dtype.char not in "fd":
        raise refuse(kernel, first)


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4, low=0, high=9)),
            case(make.floats(20, low=5, high=50, dtype="float64")),
            case(make.floats(4, 5, low=0, high=20).T),
            case(make.floats(low=0)),
            case(make.floats(0, 3)),
            case(make.floats(4, low=0, high=9, dtype="float16")),
            case(make.floats(4)),
            case(make.ints(3)),
        ]
    ),
    method=False,
)
def poisson(input, generator: Generator | None = None):
    """How many events happen in a unit of time when `input` of them are expected.

    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([1.0, 1.0, 100.0, 100.0]))
    tensor([ 2.,  3., 96., 94.])
    """
    check_generator(generator, "poisson")
    if input.dtype.char not in "fdeE":
        raise refuse("poisson_cpu", input)
    return rejection.poisson(input, generator)


poisson.gradient(input=lambda grad: grad.new_zeros(grad.shape))


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.ints(3, 4, low=0, high=60, dtype="float32"), make.floats(3, 4, low=0, high=1)),
            case(make.ints(20, low=0, high=900, dtype="float64"), make.floats(low=0, high=1, dtype="float64")),
            case(make.ints(4, 1, low=0, high=30, dtype="float32"), make.floats(3, low=-0.1, high=1.1)),
            case(make.ints(4, 5, low=0, high=30, dtype="float32").T, make.floats(4, low=0, high=1)),
            case(make.floats(0), make.floats(0)),
            case(make.floats(3), make.floats(3, dtype="float64")),
            case(make.ints(3), make.floats(3)),
            case(make.floats(3, dtype="float16"), make.floats(3, dtype="float16")),
            case(make.floats(3), make.floats(2)),
        ]
    ),
    method=False,
    underivable="binomial",
)
def binomial(count: "Tensor", prob: "Tensor", generator: Generator | None = None):
    """How many of `count` trials succeed when each does with probability `prob`.

    >>> _ = torch.manual_seed(0)
    >>> torch.binomial(torch.tensor([10.0, 10.0, 100.0]), torch.tensor([0.5, 1.0, 0.5]))
    tensor([ 7., 10., 51.])
    """
    check_generator(generator, "binomial")
    if count.dtype.kind not in "fV":
        kind = dtypes.from_numpy(count.dtype).scalar
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {kind}")
    require_one_float("binomial_cpu", count, prob)
    return rejection.binomial(count, prob, generator)


@op(dtype=SAME, name="_standard_gamma", node="StandardGammaBackward0", samples=None)
def standard_gamma(input, generator: Generator | None = None):
    """Numbers from the gamma distribution of rate 1; they follow the parameter along their quantiles."""
    check_generator(generator, "_standard_gamma")
    require_one_float("gamma_cpu", input)
    return rejection.gamma(input, generator)


standard_gamma.gradient(input=lambda grad, input, result: grad * standard_gamma_grad(input, result))


# torch gives no derivative of the two slopes either
@op(dtype=SAME, batch=ELEMENTWISE, name="_standard_gamma_grad", samples=None)
def standard_gamma_grad(input, output: "Tensor"):
    """How fast `output`, drawn by `_standard_gamma(input)`, grows with the input."""
    require_one_float("_standard_gamma_grad_cpu", input, output)
    alpha, x = np.broadcast_arrays(input, output)
    found = implicit.gamma_slope(alpha.astype("d").ravel(), x.astype("d").ravel())
    return found.astype(input.dtype).reshape(alpha.shape)


@op(dtype=SAME, name="_sample_dirichlet", samples=None, underivable="_sample_dirichlet")
def sample_dirichlet(input, generator: Generator | None = None):
    """Positive numbers that sum to 1 along the last dim, from the Dirichlet distribution."""
    check_generator(generator, "_sample_dirichlet")
    require_one_float("dirichlet", input)
    return rejection.dirichlet(input, generator)


@op(dtype=SAME, batch=ELEMENTWISE, name="_dirichlet_grad", samples=None, underivable="_dirichlet_grad")
def dirichlet_grad(x, alpha: "Tensor", total: "Tensor"):
    """How fast a share `x` grows with its own parameter, divided by what is left to the others."""
    require_one_float("_dirichlet_grad_cpu", x, alpha, total)
    arrays = np.broadcast_arrays(x, alpha, total)
    found = implicit.beta_slope(*[each.astype("d").ravel() for each in arrays])
    return found.astype(x.dtype).reshape(arrays[0].shape)


# torch's distributions, and others, call these by their private names
NAMESPACES[""].update(
    {each.op.name: each for each in (standard_gamma, standard_gamma_grad, sample_dirichlet, dirichlet_grad)}
)
