"""Convolution layers: learned kernels slid over sequences, images and volumes, forwards and transposed."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.filled import empty
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.utils import _ntuple, _reverse_repeat_tuple
from rushlight.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

PADDINGS = ("same", "valid")
PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions share: their options, as tuples, their weights and how they are drawn and shown."""

    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: Any
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        check_options(in_channels, out_channels, stride, padding, groups, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = sides_of(padding, kernel_size, dilation)
        inside, outside = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        shape = (inside, outside // groups, *kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        # a = sqrt(5) makes this uniform(-1 / sqrt(k), 1 / sqrt(k)) for k inputs of an output
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        none, ones = (0,) * len(self.stride), (1,) * len(self.stride)
        if self.padding != none:
            shown.append(f"padding={self.padding}")
        if self.dilation != ones:
            shown.append(f"dilation={self.dilation}")
        if self.output_padding != none:
            shown.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            shown.append(f"groups={self.groups}")
        if self.bias is None:
            shown.append("bias=False")
        if self.padding_mode != "zeros":
            shown.append(f"padding_mode={self.padding_mode}")
        return ", ".join(shown)


def check_options(in_channels: int, out_channels: int, stride: Any, padding: Any, groups: int, mode: str) -> None:
    """Refuse what no convolution can be made with."""
    if groups <= 0:
        raise ValueError(f"groups must be a positive integer, not {groups}")
    for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
        if channels % groups:
            raise ValueError(f"{name} must be divisible by groups: {channels} channels, {groups} groups")
    if isinstance(padding, str):
        if padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {PADDINGS}")
        if padding == "same" and any(each != 1 for each in stride):
            raise ValueError("padding='same' is not supported for strided convolutions; give the padding in numbers")
    if mode not in PADDING_MODES:
        raise ValueError(f"padding_mode must be one of {PADDING_MODES}, but got padding_mode='{mode}'")


def sides_of(padding: Any, kernel_size: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """The padding as F.pad takes it, for the padding modes that read the image."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    found = []
    for size, step in zip(reversed(kernel_size), reversed(dilation), strict=True):
        total = step * (size - 1) if padding == "same" else 0
        found += [total // 2, total - total // 2]
    return found


class _Convolution(_ConvNd):
    """A convolution; the number of dimensions is that of the class."""

    dims: int
    function: str

    def __init__(
        self,
        in_channels: int,
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
        each = _ntuple(self.dims)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            padding if isinstance(padding, str) else each(padding),
            each(dilation),
            False,
            each(0),
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        convolve = getattr(F, self.function)
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return convolve(input, weight, bias, self.stride, 0, self.dilation, self.groups)
        return convolve(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Convolution):
    """Kernels slid along sequences: `(N, in_channels, L) -> (N, out_channels, places)`.

    >>> torch.nn.Conv1d(4, 8, 3, padding=1)(torch.ones(2, 4, 10)).shape
    torch.Size([2, 8, 10])
    """

    dims, function = 1, "conv1d"


class Conv2d(_Convolution):
    """Kernels slid over images: `(N, in_channels, H, W) -> (N, out_channels, *places)`.

    >>> torch.nn.Conv2d(3, 16, 3, stride=2)(torch.ones(2, 3, 9, 9)).shape
    torch.Size([2, 16, 4, 4])
    """

    dims, function = 2, "conv2d"


class Conv3d(_Convolution):
    """Kernels slid through volumes: `(N, in_channels, D, H, W) -> (N, out_channels, *places)`."""

    dims, function = 3, "conv3d"


class _ConvTransposeNd(_ConvNd):
    """A transposed convolution; the number of dimensions is that of the class."""

    dims: int
    function: str

    def __init__(
        self,
        in_channels: int,
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
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        each = _ntuple(self.dims)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            each(padding),
            each(dilation),
            True,
            each(output_padding),
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output_padding that makes the output as large as was asked for."""
        if output_size is None:
            return self.output_padding
        dims, places = self.dims, input.shape[input.dim() - self.dims :]
        wanted = tuple(output_size)
        if len(wanted) == input.dim():
            wanted = wanted[input.dim() - dims :]
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or {input.dim()} "
                f"elements (got {len(output_size)})"
            )
        options = zip(places, self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        least = [(size - 1) * step - 2 * pad + far * (kernel - 1) + 1 for size, step, pad, far, kernel in options]
        most = [size + step - 1 for size, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {tuple(output_size)}, but valid sizes range from {least} to {most} "
                f"(for an input of {input.shape[2:]})"
            )
        return tuple(size - low for size, low in zip(wanted, least, strict=True))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return getattr(F, self.function)(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTransposeNd):
    """Kernels spread around each element of sequences: what the gradient of Conv1d does to its input."""

    dims, function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """Kernels spread around each pixel of images: what the gradient of Conv2d does to its input.

    >>> torch.nn.ConvTranspose2d(3, 4, 2, stride=2)(torch.ones(1, 3, 5, 5)).shape
    torch.Size([1, 4, 10, 10])
    """

    dims, function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """Kernels spread around each element of volumes: what the gradient of Conv3d does to its input."""

    dims, function = 3, "conv_transpose3d"


__getattr__ = names_of(
    "rushlight.nn.modules.conv",
    (),
    {
        **{f"LazyConv{dims}d": "nn.modules.lazy_conv" for dims in (1, 2, 3)},
        **{f"LazyConvTranspose{dims}d": "nn.modules.lazy_conv" for dims in (1, 2, 3)},
    },
)


class _ConvTransposeMixin(_ConvTransposeNd):
    """The old name of what transposed convolutions share, which packages still import."""
