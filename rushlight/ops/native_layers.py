"""Native layers: the functions behind layers that also return what their backward needs."""

from __future__ import annotations

from rushlight.ops.declare import composed
from rushlight.ops.normalization import normalized_layer
from rushlight.ops.samples import case, cases


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), (4,), None, None, 1e-5),
            case(make.floats(2, 3, 4), [3, 4], make.floats(3, 4), make.floats(3, 4), 0.1),
            case(make.floats(3, 4, dtype="float64"), (4,), make.floats(4, dtype="float64"), None, 1e-5),
            case(make.floats(0, 4), (4,), None, None, 1e-5),
            case(make.floats(3, 4), (3,), None, None, 1e-5),
        ]
    ),
)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """`layer_norm`, with the mean and one over the standard deviation of each part that was normalized."""
    output, mean, scale = normalized_layer(input, normalized_shape, weight, bias, eps)
    return output, mean.detach(), scale.detach()
