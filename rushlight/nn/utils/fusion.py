"""Fusion: a batch normalization in evaluation, multiplied into the layer before it."""

from __future__ import annotations

import copy
from typing import Any

from rushlight.core.creation.likeness import ones_like, zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what these two layers do, one after the other, in evaluation."""
    require_statistics(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of such a convolution."""
    kinds = conv_w.dtype, conv_w.dtype if conv_b is None else conv_b.dtype
    bias = zeros_like(bn_rm) if conv_b is None else conv_b
    scale = ones_like(bn_rm) if bn_w is None else bn_w
    shift = zeros_like(bn_rm) if bn_b is None else bn_b
    size = (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.ndim
    shape[int(transpose)] = -1
    weight = (conv_w * (scale * size).reshape(shape)).to(dtype=kinds[0])
    fused = ((bias - bn_rm) * size * scale + shift).to(dtype=kinds[1])
    return Parameter(weight, conv_w.requires_grad), Parameter(fused, bias.requires_grad)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what these two layers do, one after the other, in evaluation."""
    require_statistics(linear, bn)
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError(
            f"To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of such a linear layer."""
    kinds = linear_w.dtype, linear_w.dtype if linear_b is None else linear_b.dtype
    bias = zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(dtype=kinds[0])
    fused = ((bias - bn_rm) * scale + bn_b).to(dtype=kinds[1])
    return Parameter(weight, linear_w.requires_grad), Parameter(fused, bias.requires_grad)


def require_statistics(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
