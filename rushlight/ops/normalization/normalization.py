"""Normalization: activations brought to mean 0 and variance 1, or to length 1, over their last dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.memory.layout import empty_like_array
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.kinds import refuse, require_floats, require_one_kind
from rushlight.ops.machine.rules import MATCH, WIDENED
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.layer_words import LAYERED
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.folding import in_c_order


def layers(make):
    return [
        case(make.floats(3, 4), (4,)),
        case(make.floats(3, 4), (4,), make.floats(4)),
        case(make.floats(2, 3, 4), [3, 4], make.floats(3, 4), eps=0.1),
        case(make.floats(4, 3).T, (4,), make.floats(4)),
        case(make.floats(4), (4,)),
        case(make.floats(0, 4), (4,), make.floats(4)),
        case(make.floats(3, 4, dtype="float64"), (4,)),
        case(make.floats(3, 4, dtype="float16"), (4,), make.floats(4, dtype="float16")),
        case(make.floats(3, 4), (3,)),
        case(make.floats(3, 4), ()),
        case(make.floats(3, 4), 4),
        case(make.floats(3, 4), (4,), make.floats(3)),
    ]


def require_shape(shape: Any, name: str) -> None:
    """Refuse what is no sequence of integers."""
    begins = f"{name}(): argument 'normalized_shape'"
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{begins} (position 2) must be tuple of ints, not {type(shape).__name__}")
    for place, each in enumerate(shape):
        if type(each) is int or hasattr(each, "__index__"):
            continue
        kind = type(each).__name__
        if place:  # torch looks at the first one to tell whether these are sizes
            what = (
                f'failed to unpack the object at pos {place + 1} with error "type must be tuple of ints,but got {kind}"'
            )
        else:
            what = f"(position 2) must be tuple of ints, but found element of type {kind} at pos 0"
        raise TypeError(f"{begins} {what}")


def last_dims(input: np.ndarray, shape: Any, name: str) -> tuple[int, ...]:
    """The dimensions to normalize over, which must have the shape that was said."""
    require_shape(shape, name)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    if input.shape[-len(shape) :] != tuple(shape):
        wanted = ", ".join(str(size) for size in shape)
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {wanted}], but got input of "
            f"size{list(input.shape)}"
        )
    return tuple(range(-len(shape), 0))


def check_parameter(name: str, parameter: np.ndarray | None, shape: Any, input: np.ndarray) -> None:
    if parameter is None:
        return
    if parameter.shape != tuple(shape):
        raise RuntimeError(
            f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
            f"{list(parameter.shape)} and normalized_shape = {list(shape)}"
        )


@op(
    dtype=MATCH,
    batch=LAYERED,
    operands=["input"],
    name="_layer_norm",
    node="NativeLayerNormBackward0",
    returns=("output", "mean", "scale"),
    samples=None,
    fused=True,
    saves=("input", "weight", "bias"),
)
def normalized_layer(input, normalized_shape: tuple, weight: "Tensor" = None, bias: "Tensor" = None, eps=1e-05):
    """The result, and the mean and one over the standard deviation of what was normalized."""
    dims = last_dims(input, normalized_shape, "layer_norm")
    check_parameter("weight", weight, normalized_shape, input)
    check_parameter("bias", bias, normalized_shape, input)
    require_floats("LayerNormKernelImpl", input)
    along = -1 if len(dims) == 1 else dims
    count = 1
    for dim in dims:
        count *= input.shape[dim]
    input = in_c_order(input)
    mean = np.add.reduce(input, along, keepdims=True) / count
    output = input - mean
    variance = np.add.reduce(output * output, along, keepdims=True) / count
    scale = 1 / np.sqrt(variance + float(eps))
    output *= scale
    if weight is not None:
        output = output * weight
    if bias is not None:
        output = output + bias
    return output, mean, scale


normalized_layer.gradient(
    input=lambda grads, input, mean, scale, weight, normalized_shape: layer_gradient(
        grads, (input - mean) * scale, mean, scale, weight, len(normalized_shape)
    ),
    weight=lambda grad, input, mean, scale: None if grad is None else grad * conjugate((input - mean) * scale),
    bias=lambda grad: grad,
)


def layer_gradient(
    grads: list, normal: Tensor, mean: Tensor | None, scale: Tensor, weight: Tensor | None, dim_count: int
) -> Tensor | None:
    """Through the result and, where a gradient of this gradient used them, through the mean and the scale."""
    dims = tuple(range(-dim_count, 0))
    normal, scale, weight = conjugate(normal), conjugate(scale), conjugate(weight)
    found = None
    if grads[0] is not None:
        through = grads[0] if weight is None else grads[0] * weight
        found = normalized_gradient(through, normal, scale, dims, mean is not None)
    size = normal.numel() // (scale.numel() or 1) or 1
    if mean is not None and grads[1] is not None:
        found = total(found, (grads[1] / size).expand(normal.shape))
    if grads[-1] is not None:
        found = total(found, grads[-1] * scale * scale * normal * (-1 / size))
    return found


@op(dtype=WIDENED, batch=ALONG, name="_normalized_gradient", samples=None)
def normalized_gradient(through, normal, scale, dims: tuple, centred: bool):
    """A gradient less its parts along the normalized input and, where that was centred, along the ones; scaled.

    One op instead of eight: 13 us instead of 29 on (32, 64).
    """
    count = through.size // (scale.size or 1) or 1
    found = normal * (np.add.reduce(through * normal, dims, keepdims=True) / -count)
    found += through
    if centred:
        found -= np.add.reduce(through, dims, keepdims=True) / count
    found *= scale
    return found


normalized_gradient.gradient(
    # a projection is its own adjoint
    through=lambda grad, normal, scale, dims, centred: normalized_gradient(
        grad, conjugate(normal), conjugate(scale), dims, centred
    ),
    normal=lambda grad, through, normal, scale, dims: (
        (
            grad * conjugate((through * normal).mean(dims, True))
            + conjugate(through) * (grad * conjugate(normal)).mean(dims, True)
        )
        * -conjugate(scale)
    ),
    scale=lambda grad, result, scale: grad * conjugate(result / scale),
)


def total(one: Tensor | None, two: Tensor | None) -> Tensor | None:
    """The sum of two gradients, of which either may be missing."""
    return two if one is None else one if two is None else one + two


@composed(
    name="nn.functional.layer_norm",
    samples=cases(
        lambda make: [
            *layers(make),
            case(make.floats(3, 4), (4,), make.floats(4), make.floats(4)),
            case(make.floats(3, 4), (4,), None, make.floats(4)),
            case(make.floats(3, 4), (4,), make.floats(4), make.floats(3)),
            case(make.floats(3, 4), (4,), make.floats(4, dtype="float64")),
            case(make.ints(3, 4), (4,)),
        ]
    ),
)
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """The input less its mean, divided by its standard deviation, over the last dimensions; times weight, plus bias.

    >>> F.layer_norm(torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247],
            [-1.2247,  0.0000,  1.2247]])
    """
    require_one_kind(input._array.dtype, *[None if each is None else each._array for each in (weight, bias)])
    return normalized_layer(input, normalized_shape, weight, bias, eps)[0]


@op(
    dtype=MATCH,
    batch=LAYERED,
    operands=["input"],
    name="_rms_norm",
    node=lambda input: scaled_node(input),
    returns=("output", "scale"),
    samples=None,
)
def scaled_layer(input, normalized_shape: tuple, weight: "Tensor" = None, eps=None):
    """The result, and one over the root of the mean square of what was scaled."""
    dims = last_dims(input, normalized_shape, "rms_norm")
    if input.dtype.kind in "bui":
        raise refuse("rms_norm", input)
    check_parameter("weight", weight, normalized_shape, input)
    if eps is None:
        eps = float(np.finfo(input.dtype).eps)
    input = in_c_order(input)
    mean = np.add.reduce(input * input, dims, keepdims=True)
    mean /= input.size // (mean.size or 1) or 1
    scale = 1 / np.sqrt(mean + float(eps))
    output = input * scale
    return (output if weight is None else output * weight), scale


def scaled_node(input: Tensor) -> str:
    """The name of torch's last step: half precision is rounded at the end, other orders in memory are copied."""
    array = input._array
    if array.dtype in dtypes.HALF:
        return "ToCopyBackward0"
    return "MulBackward0" if empty_like_array(array).flags.c_contiguous else "CloneBackward0"


scaled_layer.gradient(
    input=lambda grads, input, scale, weight, normalized_shape: layer_gradient(
        grads, input * scale, None, scale, weight, len(normalized_shape)
    ),
    weight=lambda grad, input, scale: None if grad is None else grad * conjugate(input * scale),
)


@composed(name="nn.functional.rms_norm", samples=cases(layers))
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """The input divided by the root of its mean square over the last dimensions, times weight.

    >>> F.rms_norm(torch.tensor([3.0, 4.0, 0.0, 0.0]), (4,))
    tensor([1.2000, 1.6000, 0.0000, 0.0000])
    """
    require_shape(normalized_shape, "rms_norm")
    if input._array.ndim < len(normalized_shape):
        raise ValueError(
            f"Input tensor must have at least {len(normalized_shape)} dimensions, but got {input._array.ndim}: the "
            f"norm is over the last ones, of sizes {list(normalized_shape)}"
        )
    if weight is not None and weight._array.dtype.itemsize > input._array.dtype.itemsize:
        return (scaled_layer(input, normalized_shape, None, eps)[0] * weight).to(input.dtype)
    return scaled_layer(input, normalized_shape, weight, eps)[0]
