"""`nn.grad`: the gradients of convolutions by themselves, for inputs and for weights."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.ops.images.convolution import image_gradient, kernel_gradient

__all__ = [f"conv{dims}d_{what}" for dims in (1, 2, 3) for what in ("input", "weight")]


def conv1d_input(
    input_size: Any,
    weight: Tensor,
    grad_output: Tensor,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    dilation: int | tuple = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of a convolution for its input, of size `input_size`, from that of its output.

    >>> torch.nn.grad.conv1d_input((1, 1, 4), torch.ones(1, 1, 2), torch.ones(1, 1, 3))
    tensor([[[1., 2., 2., 1.]]])
    """
    return image_gradient(grad_output, weight, input_size, stride, padding, dilation, False, groups)


def conv1d_weight(
    input: Tensor,
    weight_size: Any,
    grad_output: Tensor,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    dilation: int | tuple = 1,
    groups: int = 1,
) -> Tensor:
    """The gradient of a convolution for its weight, of size `weight_size`, from that of its output."""
    return kernel_gradient(input, grad_output, tuple(weight_size[2:]), stride, padding, dilation, groups)


# the number of dimensions is that of the arguments
conv2d_input = conv3d_input = conv1d_input
conv2d_weight = conv3d_weight = conv1d_weight

__getattr__ = names_of("rushlight.nn.grad")
