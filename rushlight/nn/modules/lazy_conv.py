"""Lazy convolutions: layers that take `in_channels` from the first input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.naming import make_own
from rushlight.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from rushlight.nn.modules.lazy import LazyModuleMixin, materialize
from rushlight.nn.parameter import UninitializedParameter

if TYPE_CHECKING:
    # what a class with one of these mixins is besides
    from rushlight.nn.modules.conv import _ConvNd as Base
    from rushlight.nn.modules.conv import _Convolution as Straight
    from rushlight.nn.modules.conv import _ConvTransposeNd as Transposed
else:
    Base = Straight = Transposed = object

__all__ = [f"Lazy{kind}{dims}d" for kind in ("Conv", "ConvTranspose") for dims in (1, 2, 3)]


class _LazyConvXdMixin(LazyModuleMixin, Base):
    """What lazy convolutions share: weights that get their shape from the channels of the first input."""

    dims: int

    def forget_shapes(self, out_channels: int, bias: bool, device: Any, dtype: Dtype | None) -> None:
        """The end of `__init__`: weights without a shape instead of those for no channels."""
        self.out_channels = out_channels
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the weights anew, once there are any."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take `in_channels` from the input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self.channels_of(input)
        if self.in_channels % self.groups:
            raise ValueError(
                f"in_channels must be divisible by groups: {self.in_channels} channels, {self.groups} groups"
            )
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        materialize(self.weight, first, second // self.groups, *self.kernel_size)
        materialize(self.bias, self.out_channels)
        self.reset_parameters()

    def channels_of(self, input: Tensor) -> int:
        """The channels of an example or of a batch."""
        if input.ndim not in (self.dims + 1, self.dims + 2):
            raise RuntimeError(
                f"Expected {self.dims + 1}D (unbatched) or {self.dims + 2}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        return input.shape[-self.dims - 1]


class _LazyConv(_LazyConvXdMixin, Straight):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self.forget_shapes(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin, Transposed):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        self.forget_shapes(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A `Conv1d` that takes `in_channels` from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A `Conv2d` that takes `in_channels` from its first input.

    >>> layer = torch.nn.LazyConv2d(4, 3)
    >>> layer(torch.ones(1, 2, 5, 5)).shape, layer
    (torch.Size([1, 4, 3, 3]), Conv2d(2, 4, kernel_size=(3, 3), stride=(1, 1)))
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A `Conv3d` that takes `in_channels` from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A `ConvTranspose1d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A `ConvTranspose2d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A `ConvTranspose3d` that takes `in_channels` from its first input."""

    cls_to_become = ConvTranspose3d


for _kind in (LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d):
    make_own(_kind, "__init__")
