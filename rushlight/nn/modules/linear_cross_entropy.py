"""A linear layer with its cross entropy, as one loss."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from rushlight.nn.modules.loss import _WeightedLoss

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(_WeightedLoss):
    """Cross entropy of a linear layer of its own: inputs `(N, in_features)`, targets as in `CrossEntropyLoss`."""

    # a list, as torch has it
    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]  # noqa: RUF012

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Dtype | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        size = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, size, bias, device, dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        places = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*places, self.linear.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(places),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )
