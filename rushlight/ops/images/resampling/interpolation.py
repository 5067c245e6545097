"""Interpolation: images, rows and volumes brought to another size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.ops.images.resampling.weights import taps_for
from rushlight.ops.images.taps import tap
from rushlight.ops.machine.bind import NAMESPACES, namespace
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.samples import case, cases

ALIGNED = ("linear", "bilinear", "bicubic", "trilinear")
MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
# dimensions of the input, the weights along each and torch's name, by mode
LINEAR = {"linear": 3, "bilinear": 4, "trilinear": 5}
NAMES = {
    "nearest": "UpsampleNearest",
    "nearest-exact": "UpsampleNearestExact",
    "linear": "UpsampleLinear",
    "bilinear": "UpsampleBilinear",
    "trilinear": "UpsampleTrilinear",
    "bicubic": "UpsampleBicubic",
    "lanczos": "UpsampleLanczos",
}
SMOOTH = {"bilinear": "triangle", "bicubic": "bump", "lanczos": "lanczos"}


def resized(
    input: Tensor, mode: str, output: list[int], scales: list, align: bool = False, antialias: bool = False
) -> Tensor:
    """The input with its last dimensions brought to the output sizes."""
    array = input._array
    count = array.ndim - 2
    check(array, mode, output)
    weights = SMOOTH[mode] if antialias else "linear" if mode in LINEAR else mode
    double = array.dtype == np.float64
    taps = tuple(
        [
            None
            if size == wanted and (weights in ("linear", "nearest", "nearest-exact") or antialias)
            else taps_for(weights, size, wanted, scale, align, double)
            for size, wanted, scale in zip(array.shape[2:], output, scales, strict=True)
        ]
    )
    node = f"{NAMES[mode]}{count}D{'Aa' if antialias else ''}Backward0"
    if array.dtype == np.uint8 and not mode.startswith("nearest"):
        return tap(input.float(), taps, node).round().clamp(0, 255).to(input.dtype)
    return tap(input, taps, node)


def check(array: np.ndarray, mode: str, output: list[int]) -> None:
    sizes = array.shape[2:]
    if min(*sizes, *output) <= 0:
        letters = "DHW"[-len(sizes) :]
        given, wanted = (", ".join(map("{}: {}".format, letters, each)) for each in (sizes, output))
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) output ({wanted})"
        )
    if array.shape[1] == 0:
        raise RuntimeError(f"Non-empty {array.ndim}D data tensor expected but got a tensor with sizes {array.shape}")
    kind = array.dtype
    if kind.kind != "f" and kind not in HALF and (kind != np.uint8 or mode in ("linear", "trilinear")):
        raise refuse(KERNELS[mode.removesuffix("-exact"), array.ndim - 2], array)


# which of torch's kernels complains about a dtype, by mode and number of dimensions
KERNELS = {
    ("nearest", 1): "compute_indices_weights_nearest",
    ("nearest", 2): "upsample_nearest2d_channels_last",
    ("nearest", 3): "compute_indices_weights_nearest",
    ("linear", 1): "compute_indices_weights_linear",
    ("bilinear", 2): "upsample_bilinear2d_channels_last",
    ("bicubic", 2): "compute_indices_weights_cubic",
    ("trilinear", 3): "compute_indices_weights_linear",
}


def scalings(make):
    row, image, volume = make.floats(2, 3, 5), make.floats(2, 3, 5, 4), make.floats(2, 2, 3, 4, 3)
    many = [case(each, size=7) for each in (row, image, volume)]
    many += [case(each, scale_factor=1.7, mode="nearest-exact") for each in (row, image, volume)]
    for mode, each in (("linear", row), ("bilinear", image), ("bicubic", image), ("trilinear", volume)):
        many += [
            case(each, size=3, mode=mode),
            case(each, scale_factor=2, mode=mode, align_corners=True),
            case(each.astype("float64"), scale_factor=1.3, mode=mode, recompute_scale_factor=True),
        ]
    return [
        *many,
        *[case(image, (7, 2), mode=mode, antialias=True) for mode in ("bilinear", "bicubic")],
        *[case(each, 2, mode="area") for each in (row, image, volume)],
        case(image, scale_factor=(0.5, 1.5)),
        case(make.floats(4, 5, 3, 2).T, 6),
        case(make.floats(0, 3, 4, 4), 2),
        case(image.astype("float16"), 7, mode="bilinear"),
        case(image),
        case(image, 2, 2),
        case(image, (2,)),
        case(image, scale_factor=(2.0,)),
        case(image, 2, mode="linear"),
        case(image, 2, mode="sharp"),
        case(image, 2, mode="nearest", align_corners=True),
        case(image, 2, recompute_scale_factor=True),
        case(image, 2, antialias=True),
        case(image, 0),
        case(make.floats(2, 0, 4, 4), 2),
        case(make.floats(4, 4), 2),
        case(make.ints(2, 3, 4, 4), 2),
        case(image, (2.0, 3)),
    ]


@composed(name="nn.functional.interpolate", samples=cases(scalings))
def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """Rows `(N, C, L)`, images `(N, C, H, W)` or volumes brought to `size`, or to `scale_factor` times their own.

    `mode` is nearest, nearest-exact, linear (rows), bilinear or bicubic (images), trilinear (volumes) or area. With
    `align_corners` the outermost elements stay where they are; with `antialias` every element of an image counts when
    it is made smaller.

    >>> rows = torch.tensor([[[0.0, 3.0]]])
    >>> F.interpolate(rows, scale_factor=2)
    tensor([[[0., 0., 3., 3.]]])
    >>> F.interpolate(rows, size=4, mode="linear", align_corners=True)
    tensor([[[0., 1., 2., 3.]]])
    """
    if mode == "lanczos" and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
            f"trilinear, not with {mode}"
        )
    count = input.ndim - 2
    sizes = list(input.shape[2:])
    size, scales = wanted(sizes, size, scale_factor)
    if recompute_scale_factor:
        if size is not None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        size, scales = scaled(sizes, scales), None
    if antialias and not (mode in SMOOTH and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "lanczos" and not antialias and input.ndim == 4:
        raise ValueError("Lanczos mode requires antialias=True")
    if mode == "area":
        pool = namespace("nn.functional").get(f"adaptive_avg_pool{count}d")
        if pool is not None and count > 0:
            return pool(input, scaled(sizes, scales) if size is None else size)
    if mode in LINEAR and 3 <= input.ndim <= 5 and input.ndim != LINEAR[mode]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {LINEAR[mode]}D input")
    flat = mode in ("bicubic", "lanczos")
    if not 3 <= input.ndim <= 5 or mode not in NAMES or (flat and input.ndim != 4):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: {MODES} (got "
            f"{mode})"
        )
    output = scaled(sizes, scales) if size is None else size
    if math.prod(output) * input._array.itemsize >= 2**63:
        shape = [*input.shape[:2], *output]
        raise RuntimeError(f"Storage size calculation overflowed with sizes={shape}: no memory holds that many numbers")
    return resized(input, mode, output, scales or [None] * count, bool(align_corners), antialias)


def wanted(sizes: list[int], size: Any, scale_factor: Any) -> tuple[list[int] | None, list[float] | None]:
    """The sizes or the scales that were asked for, one for each dimension."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    for name, short, each in (("output size", "o", size), ("scale_factor", "s", scale_factor)):
        if isinstance(each, (list, tuple)) and len(each) != len(sizes):
            what = f"{name} of {tuple(each)}" if short == "o" else f"{name} of shape {tuple(each)}"
            raise ValueError(
                f"Input and {name.removesuffix(' size')} must have the same number of spatial dimensions, but got "
                f"input with spatial dimensions of {sizes} and {what}. Please provide input tensor in (N, C, d1, d2, "
                f"...,dK) format and {name} in ({short}1, {short}2, ...,{short}K) format."
            )
    if size is not None:
        if isinstance(size, (list, tuple)):
            if not all(hasattr(each, "__index__") for each in size):
                raise TypeError(
                    "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                    f"size with types {[type(each) for each in size]}"
                )
            return [int(each) for each in size], None
        if not hasattr(size, "__index__"):
            raise TypeError(f"interpolate(): argument 'size' must be int, not {type(size).__name__}")
        return [int(size)] * len(sizes), None
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * len(sizes)
    if not all(isinstance(each, (int, float, np.number)) for each in given):
        raise TypeError(
            f"interpolate(): argument 'scale_factor' must be float or tuple of floats, not {scale_factor!r}: call "
            ".item() on a tensor"
        )
    return None, [float(each) for each in given]


def scaled(sizes: list[int], scales: list[float]) -> list[int]:
    found = [float(size) * scale for size, scale in zip(sizes, scales, strict=True)]
    if not all(abs(each) < 2**63 for each in found):
        raise RuntimeError(
            f"value cannot be converted to type int64_t without overflow: scale_factor {scales} makes sizes of {found}"
        )
    return [math.floor(each) for each in found]


@composed(
    name="nn.functional.upsample",
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 4), 6),
            case(make.floats(2, 3, 4, 2), scale_factor=2, mode="bilinear", align_corners=True),
            case(make.floats(2, 3, 4, 2)),
        ]
    ),
)
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """An older name of `interpolate`.

    >>> F.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=3)
    tensor([[[1., 1., 1., 2., 2., 2.]]])
    """
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@composed(
    name="nn.functional.upsample_nearest",
    samples=cases(lambda make: [case(make.floats(2, 3, 4), 6), case(make.floats(2, 3, 4, 2), scale_factor=2)]),
)
def upsample_nearest(input, size=None, scale_factor=None):
    """An older name of `interpolate` with the mode nearest.

    >>> F.upsample_nearest(torch.tensor([[[[1.0, 2.0]]]]), size=(2, 4))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "nearest")


@composed(
    name="nn.functional.upsample_bilinear",
    samples=cases(lambda make: [case(make.floats(2, 3, 4, 2), 6), case(make.floats(2, 3, 4, 2), scale_factor=2)]),
)
def upsample_bilinear(input, size=None, scale_factor=None):
    """An older name of `interpolate` with the mode bilinear and aligned corners.

    >>> F.upsample_bilinear(torch.tensor([[[[0.0, 2.0], [4.0, 6.0]]]]), size=3)
    tensor([[[[0., 1., 2.],
              [2., 3., 4.],
              [4., 5., 6.]]]])
    """
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)


def upsample_bilinear2d_aa(
    input: Tensor,
    output_size: Any = None,
    align_corners: bool = False,
    scale_factors: Any = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """Bilinear interpolation of images with antialiasing, as `torch.ops.aten` has it."""
    if output_size is None:
        output_size = scaled(list(input.shape[2:]), scale_factors)
        scales_h, scales_w = scale_factors
    return resized(input, "bilinear", list(output_size), [scales_h, scales_w], align_corners, True)


NAMESPACES[""]["_upsample_bilinear2d_aa"] = upsample_bilinear2d_aa
