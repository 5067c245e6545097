"""Weight normalization along the first or the last dimension, as one op."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases


def others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple([each for each in range(ndim) if each != dim])


@op(
    dtype=MATCH,
    name="_weight_norm_interface",
    method=False,
    returns=("weight", "norms"),
    samples=cases(
        lambda make: [
            case(make.floats(3, 2, low=0.5), make.floats(3, 1), 0),
            case(make.floats(3, 2, 4, low=0.5), make.floats(1, 1, 4), 2),
            case(make.floats(3, low=0.5, dtype="float64"), make.floats(3, dtype="float64"), 0),
        ]
    ),
)
def weight_norm_interface(v, g, dim=0):
    """A direction brought to the length of each slice along the first or last dimension, and the norms it had."""
    if dim not in (0, v.ndim - 1):
        raise RuntimeError(f"fused kernels can only be applied for first or last dim, not for {dim} of {v.ndim}")
    norms = np.sqrt(np.add.reduce(v * v, others(v.ndim, dim), keepdims=True))
    return v * (g / norms), norms


weight_norm_interface.gradient(
    v=lambda grads, v, g, dim, norms: direction_gradient(grads, v, g, dim, norms),
    g=lambda grads, v, dim, norms: None if grads[0] is None else summed(grads[0] * v, dim) / norms,
)


def summed(given: Tensor, dim: int) -> Tensor:
    dims = others(given.ndim, dim)
    return given.sum(dims, True) if dims else given


def direction_gradient(grads: list, v: Tensor, g: Tensor, dim: int, norms: Tensor) -> Tensor:
    found = v * 0 if grads[1] is None else v * (grads[1] / norms)
    if grads[0] is None:
        return found
    along = summed(grads[0] * v, dim) / (norms * norms)
    across = (g / norms) * (grads[0] - v * along)
    return across if grads[1] is None else across + found


NAMESPACES[""]["_weight_norm_interface"] = weight_norm_interface
