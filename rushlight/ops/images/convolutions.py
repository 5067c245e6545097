"""Convolutions by their number of dimensions: `conv2d` and its kin, which also take single images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.memory.layout import contiguous_format
from rushlight.core.numbers import dtypes
from rushlight.ops.images.convolution import check_weight, convolution, refuse_bools
from rushlight.ops.images.padding import pad
from rushlight.ops.images.sliding import extents
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.kinds import plain_name
from rushlight.ops.machine.naming import renamed
from rushlight.ops.machine.samples import Samples, case, cases
from rushlight.ops.shape.copying import clone


def slid(*sizes: int) -> Samples:
    """Samples of a convolution over images of these sizes."""
    kernel = (3, 2, 2)[: len(sizes)]
    small = (1,) * len(sizes)

    def make(make):
        x, w = make.floats(2, 4, *sizes), make.floats(6, 4, *kernel)
        half, deep = make.floats(6, 2, *kernel), make.floats(4, 1, *kernel)
        return [
            case(x, w),
            case(x, w, make.floats(6)),
            case(x, w, None, 2, 1),
            case(x, half, make.floats(6), stride=2, padding=kernel, dilation=1, groups=2),
            case(x, deep, None, 1, 1, 2, 4),
            case(x, w, padding="same"),
            case(x, w, padding="valid", stride=2),
            case(x, make.floats(6, 4, *small), make.floats(6)),
            case(x[0], w, make.floats(6)),
            case(x.swapaxes(0, -1)[..., :2].swapaxes(0, -1), w),
            case(x.astype("float64"), w.astype("float64")),
            case(x.astype("float16"), w.astype("float16")),
            case(make.floats(0, 4, *sizes), w),
            case(make.complexes(1, 2, *sizes), make.complexes(3, 2, *kernel)),
            case(x, w, padding="same", stride=2),
            case(x, w, padding="some"),
            case(x, w[:, :3]),
            case(x, w, groups=5),
            case(x, w, make.floats(5)),
            case(x, w, stride=0),
            case(x, w, padding=-1),
            case(x, w, dilation=9),
            case(x[0, 0], w),
            case(x, w.astype("float64")),
        ]

    return cases(make)


def spread(*sizes: int) -> Samples:
    """Samples of a transposed convolution over images of these sizes."""
    kernel = (3, 2, 2)[: len(sizes)]

    def make(make):
        x, w = make.floats(2, 4, *sizes), make.floats(4, 3, *kernel)
        return [
            case(x, w),
            case(x, w, make.floats(3)),
            case(x, w, None, 2, 1, 1),
            case(x, w, make.floats(6), stride=3, padding=1, output_padding=2, groups=2, dilation=2),
            case(x, w, None, 1, 0, 1, 1, 2),
            case(x[0], w, make.floats(3)),
            case(x, make.floats(4, 1, *kernel), groups=4),
            case(x.astype("float64"), w.astype("float64")),
            case(x, make.floats(5, 3, *kernel)),
            case(x, w, make.floats(4)),
            case(x, w, output_padding=1),
            case(x, w, None, 1, 0, -1),
            case(x[0, 0], w),
        ]

    return cases(make)


def batched(input: Any, dims: int, name: str) -> bool:
    """Whether the input is a batch, and not a single image."""
    rank = input._array.ndim
    if rank not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return rank == dims + 2


# torch makes a convolution of complex numbers out of three real ones
complex_convolution = renamed(convolution, "AddBackward0")


def kernel_for(input):
    return complex_convolution if input.is_complex() else convolution


def convolve(dims: int, input, weight, bias, stride, padding, dilation, groups) -> Any:
    """A convolution whose padding may be a word, of a batch or a single image."""
    if bias is not None and bias._array.dtype != input._array.dtype:
        kinds = [plain_name(each._array) for each in (input, bias)]
        raise RuntimeError(f"Input type ({kinds[0]}) and bias type ({kinds[1]}) should be the same")
    if not batched(input, dims, f"conv{dims}d"):
        found = convolve(dims, input.unsqueeze(0), weight, bias, stride, padding, dilation, groups)
        return found.squeeze(0)
    if isinstance(padding, str):
        input, padding = named_padding(padding, input, weight, stride, dilation)
    look_first(input, weight, bias, False, groups)
    return kernel_for(input)(input, weight, bias, stride, padding, dilation, False, 0, groups)


def look_first(input, weight, bias, transposed: bool, groups: int) -> None:
    """Of operands with different dtypes torch looks at the sizes first, unless the input is complex."""
    if weight._array.dtype != input._array.dtype:
        if input._array.dtype.kind == "c":
            raise RuntimeError(f"Input type ({kind_of(input)}) and weight type ({kind_of(weight)}) should be the same")
        check_weight(input, weight, bias, transposed, groups)
        refuse_bools(input._array, transposed)


def kind_of(tensor) -> str:
    """A tensor's kind as this refusal shows it: complex ones have no class of their own."""
    scalar = dtypes.from_numpy(tensor._array.dtype).scalar
    return f"CPU{scalar}Type" if tensor._array.dtype.kind == "c" else f"torch.{scalar}Tensor"


def named_padding(name: str, input, weight, stride, dilation) -> tuple[Any, Any]:
    """The input, and the padding in numbers; where 'same' needs more at one end, that is added to the input."""
    dims = weight._array.ndim - 2
    if name == "valid":
        return input, 0
    if name != "same":
        raise RuntimeError(f"Invalid padding string: '{name}'; it is 'valid', 'same' or numbers")
    if any(each != 1 for each in extents(stride, dims, "stride")):
        raise RuntimeError("padding='same' is not supported for strided convolutions; give the padding in numbers")
    steps = extents(dilation, dims, "dilation")
    total = [step * (size - 1) for step, size in zip(steps, weight.shape[2:], strict=True)]
    if any(each % 2 for each in total):
        # one more at the end: pairs from the last dimension to the first
        input = pad(input, [side for each in reversed(total) for side in (0, each % 2)])
    return input, tuple([each // 2 for each in total])


def convolve_transposed(dims: int, input, weight, bias, stride, padding, output_padding, groups, dilation) -> Any:
    """A transposed convolution, of a batch or a single image."""
    if not batched(input, dims, f"conv_transpose{dims}d"):
        options = (stride, padding, output_padding, groups, dilation)
        return convolve_transposed(dims, input.unsqueeze(0), weight, bias, *options).squeeze(0)
    look_first(input, weight, bias, True, groups)
    return kernel_for(input)(input, weight, bias, stride, padding, dilation, True, output_padding, groups)


def declared(name: str, samples: Samples) -> Callable:
    return composed(name=name, aliases=[f"nn.functional.{name}"], method=False, samples=samples)


@declared("conv1d", slid(7))
def conv1d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple | str = 0,
    dilation: int | tuple = 1,
    groups=1,
):
    """Kernels slid along sequences: (N, C, L) with weights (O, C / groups, K) gives (N, O, places).

    >>> signal = torch.tensor([[[0.0, 1.0, 4.0, 9.0, 16.0]]])
    >>> F.conv1d(signal, torch.tensor([[[-1.0, 1.0]]]))  # differences of neighbours
    tensor([[[1., 3., 5., 7.]]])
    """
    return convolve(1, input, weight, bias, stride, padding, dilation, groups)


@declared("conv2d", slid(6, 5))
def conv2d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple | str = 0,
    dilation: int | tuple = 1,
    groups=1,
):
    """Kernels slid over images: (N, C, H, W) with weights (O, C / groups, KH, KW) gives (N, O, *places).

    >>> image, blur = torch.eye(4).reshape(1, 1, 4, 4), torch.full((1, 1, 2, 2), 0.25)
    >>> F.conv2d(image, blur, stride=2)
    tensor([[[[0.5000, 0.0000],
              [0.0000, 0.5000]]]])
    >>> F.conv2d(image, blur, padding="same").shape
    torch.Size([1, 1, 4, 4])
    """
    return convolve(2, input, weight, bias, stride, padding, dilation, groups)


@declared("conv3d", slid(4, 4, 5))
def conv3d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple | str = 0,
    dilation: int | tuple = 1,
    groups=1,
):
    """Kernels slid through volumes: (N, C, D, H, W) with weights (O, C / groups, KD, KH, KW).

    >>> video = torch.ones(1, 3, 8, 16, 16)  # three channels, eight frames
    >>> F.conv3d(video, torch.ones(5, 3, 3, 3, 3), padding=1).shape
    torch.Size([1, 5, 8, 16, 16])
    """
    return convolve(3, input, weight, bias, stride, padding, dilation, groups)


@declared("conv_transpose1d", spread(5))
def conv_transpose1d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    output_padding: int | tuple = 0,
    groups=1,
    dilation: int | tuple = 1,
):
    """The kernel spread around each element of a sequence, times it: what conv1d's gradient does to its input.

    >>> F.conv_transpose1d(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[1.0, 1.0, 1.0]]]), stride=2)
    tensor([[[1., 1., 3., 2., 2.]]])
    """
    return convolve_transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@declared("conv_transpose2d", spread(4, 3))
def conv_transpose2d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    output_padding: int | tuple = 0,
    groups=1,
    dilation: int | tuple = 1,
):
    """The kernel spread around each pixel of an image, times it: what conv2d's gradient does to its input.

    >>> F.conv_transpose2d(torch.tensor([[[[1.0, 2.0]]]]), torch.ones(1, 1, 2, 2), stride=2)
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """
    return convolve_transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@declared("conv_transpose3d", spread(3, 2, 3))
def conv_transpose3d(
    input,
    weight,
    bias=None,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    output_padding: int | tuple = 0,
    groups=1,
    dilation: int | tuple = 1,
):
    """The kernel spread around each element of a volume, times it: what conv3d's gradient does to its input.

    >>> F.conv_transpose3d(torch.ones(1, 4, 2, 2, 2), torch.ones(4, 1, 2, 2, 2), stride=2).shape
    torch.Size([1, 1, 4, 4, 4])
    """
    return convolve_transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


in_steps = renamed(clone, "ConvTbcBackward0")
in_steps.op.runs_once = True


@declared(
    "conv_tbc",
    cases(
        lambda make: [
            case(make.floats(5, 2, 3), make.floats(3, 3, 4), make.floats(4), 1),
            case(make.floats(5, 2, 3), make.floats(2, 3, 4), make.floats(4)),
            case(make.floats(5, 2, 3), make.floats(2, 4, 4), make.floats(4)),
        ]
    ),
)
def conv_tbc(input, weight, bias, pad=0):
    """Kernels slid along sequences that are laid out (time, batch, channels), with weights (kernel, in, out).

    >>> x = torch.arange(6.0).reshape(3, 1, 2)  # three moments, one sequence, two channels
    >>> torch.conv_tbc(x, torch.ones(1, 2, 1), torch.zeros(1)).flatten()
    tensor([1., 5., 9.])
    """
    if input.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise RuntimeError("Bias must be 1-D: one number for each output channel")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError(
            f"Input dim 2 (input channels) is not == dim 1 in the weight tensor: {input.shape[2]} and {weight.shape[1]}"
        )
    if weight.shape[2] != bias.shape[0]:
        raise RuntimeError(
            f"Bias size must equal dim 2 in the weight tensor (output channels). {bias.shape[0]}, {weight.shape[2]}"
        )
    found = convolution(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, pad)
    return in_steps(found.permute(2, 0, 1), memory_format=contiguous_format)
