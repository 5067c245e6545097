"""Lazy norms: layers that take `num_features` from the first input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.creation.creation import tensor
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.numbers.dtypes import int64
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from rushlight.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from rushlight.nn.modules.lazy import LazyModuleMixin, materialize
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter

if TYPE_CHECKING:
    # what a class with this mixin is besides
    from rushlight.nn.modules.batchnorm import _NormBase as Base
else:
    Base = object

__all__ = [f"Lazy{kind}Norm{dims}d" for kind in ("Batch", "Instance") for dims in (1, 2, 3)]


class _LazyNormBase(LazyModuleMixin, Base):
    """What lazy norms share: a number for each channel, as soon as these can be counted."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            self.bias = UninitializedParameter(device=device, dtype=dtype) if bias else None
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def reset_parameters(self) -> None:
        """Set weights and statistics back, once there are any."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `num_features` from the input's second dimension."""
        if self.has_uninitialized_params():
            if input.ndim < 2:
                raise IndexError(
                    f"tuple index out of range: {type(self).__name__} counts the channels in the second dimension of "
                    f"its first input, which has shape {list(input.shape)}"
                )
            self.num_features = input.shape[1]
            for each in (self.weight, self.bias, self.running_mean, self.running_var):
                materialize(each, self.num_features)
            self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A `BatchNorm1d` that takes `num_features` from its first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A `BatchNorm2d` that takes `num_features` from its first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A `BatchNorm3d` that takes `num_features` from its first input."""

    cls_to_become = BatchNorm3d


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An `InstanceNorm1d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An `InstanceNorm2d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An `InstanceNorm3d` that takes `num_features` from its first input."""

    cls_to_become = InstanceNorm3d
