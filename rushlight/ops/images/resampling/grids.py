"""Grids: images and volumes read at places that a grid of coordinates names, and grids of affine maps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rushlight.core.creation.ranges import between
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.warning import warn
from rushlight.ops.images.resampling.places import scattered, taken
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.layer_words import PLACED_IN_IMAGES
from rushlight.ops.machine.transforms.words import FOLDED
from rushlight.ops.shape.joining import stack

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@op(
    dtype=MATCH,
    batch=FOLDED,
    name="_grid_sampler",
    node=lambda orders: f"GridSampler{len(orders)}DBackward0",
    samples=None,
)
def sampled(input, grid, mode: int, padding: int, align: bool, orders: tuple):
    """The input at the grid's places, or its derivatives there, of some order along each dimension."""
    return taken(input, grid, mode, padding, align, orders)


@op(dtype=MATCH, batch=PLACED_IN_IMAGES, name="_grid_spread", samples=None)
def spread(values, grid, shape: tuple, mode: int, padding: int, align: bool, orders: tuple):
    """Values at the grid's places, shared out among the elements that were read there."""
    return scattered(values, grid, shape, mode, padding, align, orders)


sampled.gradient(
    input=lambda grad, grid, input_shape, mode, padding, align, orders: spread(
        grad, grid, tuple(input_shape), mode, padding, align, orders
    ),
    grid=lambda grad, input, grid, mode, padding, align, orders: along_grid(
        grad, input, grid, mode, padding, align, orders
    ),
)
spread.gradient(
    values=lambda grad, grid, mode, padding, align, orders: sampled(grad, grid, mode, padding, align, orders),
    grid=lambda grad, values, grid, mode, padding, align, orders: along_grid(
        values, grad, grid, mode, padding, align, orders
    ),
)


def along_grid(
    grad: Tensor, input: Tensor, grid: Tensor, mode: int, padding: int, align: bool, orders: tuple
) -> Tensor:
    """How the sum of `grad` times what is read changes as the places move; the grid counts the last dimension first."""
    if mode == 1:
        return grid.new_zeros(grid.shape)
    found = []
    for dim in reversed(range(len(orders))):
        steeper = tuple([order + (place == dim) for place, order in enumerate(orders)])
        found.append((grad * sampled(input, grid, mode, padding, align, steeper)).sum(1))
    return stack(found, -1)


def check(input: Tensor, grid: Tensor, mode: int) -> None:
    shape, places = input._array.shape, grid._array.shape
    given = f"but got input with sizes {list(shape)} and grid with sizes {list(places)}"
    if shape[:1] != places[:1]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {given}")
    if places[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got grid with sizes "
            f"{list(places)}"
        )
    if len(shape) not in (4, 5) or len(places) != len(shape):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, {given}")
    for dim in range(2, len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(shape)} with dimension {dim} being empty"
            )
    if mode == 2 and len(shape) != 4:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype is not grid.dtype:
        words = f"expected scalar type {input.dtype.scalar} but found {grid.dtype.scalar}"
        raise explained(RuntimeError, words, fix=one_dtype(input.dtype, grid.dtype))
    require_floats(f"grid_sampler_{len(shape) - 2}d_cpu_kernel_impl", input._array)


def numbered(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """As `nn.functional.grid_sample`, with numbers for the kinds of interpolation and padding.

    >>> image, places = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), torch.zeros(1, 1, 1, 2)
    >>> torch.grid_sampler(image, places, 0, 0, False)  # linear, zeros outside
    tensor([[[[2.5000]]]])
    """
    check(input, grid, interpolation_mode)
    flat = (0,) * (input.ndim - 2)
    return sampled(input, grid, interpolation_mode, padding_mode, bool(align_corners), flat)


def planes(make):
    image, grid = make.floats(2, 3, 5, 4), make.floats(2, 3, 2, 2, low=-1.3, high=1.3)
    volume, places = make.floats(2, 2, 3, 4, 3), make.floats(2, 2, 3, 2, 3, low=-1.3, high=1.3)
    every = itertools.product(MODES, PADDINGS, (False, True))
    return [
        *[case(image, grid, mode, padding, align) for mode, padding, align in every],
        *[case(volume, places, "bilinear", padding, False) for padding in PADDINGS],
        case(volume, places, "nearest", "border", True),
        case(image.astype("float64"), grid.astype("float64"), align_corners=False),
        case(make.floats(0, 3, 5, 4), make.floats(0, 3, 2, 2), align_corners=False),
        case(image, grid, "sharp"),
        case(image, grid, padding_mode="none"),
        case(image, grid[:1], align_corners=False),
        case(image, places, align_corners=False),
        case(volume, places, "bicubic", align_corners=False),
        case(image, grid.astype("float64"), align_corners=False),
        case(make.ints(2, 3, 5, 4), make.ints(2, 3, 2, 2), align_corners=False),
        case(make.floats(2, 3, 0, 4), grid, align_corners=False),
    ]


@composed(name="nn.functional.grid_sample", samples=cases(planes))
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """The input `(N, C, H, W)` read at the places `(N, h, w, 2)`: from -1, left or top, to 1, right or bottom.

    Between elements it is interpolated (bilinear, nearest or bicubic); outside it is zero, its border or its
    reflection. With `align_corners`, -1 and 1 are the middles of the outermost elements, not their edges. Volumes
    `(N, C, D, H, W)` take places `(N, d, h, w, 3)`.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> places = torch.tensor([[[[0.0, 0.0], [-0.5, -0.5]]]])  # x and y: the middle, then the first pixel
    >>> F.grid_sample(image, places, align_corners=False)
    tensor([[[[2.5000, 1.0000]]]])
    """
    if mode not in MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    return numbered(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), aligned(align_corners))


def aligned(align_corners: bool | None) -> bool:
    if align_corners is None:
        warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired: the outermost elements' middles are then at "
            "-1 and 1."
        )
        return False
    return align_corners


NAMESPACES[""]["grid_sampler"] = numbered
NAMESPACES[""]["grid_sampler_2d"] = NAMESPACES[""]["grid_sampler_3d"] = numbered


@op(dtype=MATCH, batch=PLACED_IN_IMAGES, name="_affine_grid", node="AffineGridGeneratorBackward0", samples=None)
def affine_places(theta, size: tuple, align: bool):
    """The places of an image or a volume, mapped by each of the matrices."""
    places = homogeneous(size[2:], align, theta.dtype)
    found = places.reshape(-1, places.shape[-1]) @ theta.swapaxes(1, 2)
    return found.reshape(size[0], *size[2:], len(size) - 2)


affine_places.gradient(theta=lambda grad, size, align: affine_gradient(grad, size, align))


@op(dtype=MATCH, batch=PLACED_IN_IMAGES, name="_affine_grid_gradient", samples=None)
def affine_gradient(grad, size: tuple, align: bool):
    """A gradient of places, as that of the matrices that made them."""
    places = homogeneous(size[2:], align, grad.dtype)
    return grad.reshape(size[0], -1, len(size) - 2).swapaxes(1, 2) @ places.reshape(-1, places.shape[-1])


affine_gradient.gradient(grad=lambda grad, size, align: affine_places(grad, size, align))


def homogeneous(sizes: tuple, align: bool, kind: np.dtype) -> np.ndarray:
    """Every place of an image or a volume, from -1 to 1, the last dimension first, then a one."""
    found = np.ones((*sizes, len(sizes) + 1), kind)
    for dim, size in enumerate(sizes):
        line = between((-1, 1), size, kind) if size > 1 else np.zeros(1, kind)
        if not align:
            # bit for bit as torch: whoever reads at whole places has another gradient an ulp beside them
            line = line * kind.type(size - 1) / kind.type(size)
        found[..., len(sizes) - 1 - dim] = line.reshape(-1, *[1] * (len(sizes) - dim - 1))
    return found


@composed(
    name="nn.functional.affine_grid",
    samples=cases(
        lambda make: [
            case(make.floats(2, 2, 3), (2, 1, 3, 4), align_corners=False),
            case(make.floats(2, 2, 3, dtype="float64"), [2, 1, 3, 1], True),
            case(make.floats(1, 3, 4), (1, 1, 3, 2, 4), True),
            case(make.floats(2, 2, 3), (3, 1, 3, 4), True),
            case(make.floats(2, 3), (2, 1, 3, 4), True),
            case(make.floats(2, 2, 3), (2, 1, 3), True),
            case(make.floats(2, 2, 3), (2, 1, 0, 4), True),
            case(make.ints(2, 2, 3), (2, 1, 3, 4), True),
        ]
    ),
)
def affine_grid(theta, size, align_corners=None):
    """For `grid_sample`: where each element of a batch of the given size reads from under the maps `(N, 2, 3)`.

    For volumes the maps are `(N, 3, 4)`.

    >>> mirror = torch.tensor([[[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> F.affine_grid(mirror, (1, 1, 1, 3), align_corners=True)
    tensor([[[[ 1.,  0.],
              [ 0.,  0.],
              [-1.,  0.]]]])
    """
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    shown, size, count = size, tuple(size), len(size) - 2
    if count not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{shown}."
        )
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (count, count + 1):
        raise ValueError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size {shown}. Got "
            f"{theta.shape}."
        )
    align_corners = aligned(align_corners)
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {shown}")
    return affine_generated(theta, size, align_corners)


def affine_generated(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """`nn.functional.affine_grid` by torch's inner name.

    >>> same = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> torch.affine_grid_generator(same, [1, 1, 1, 2], True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {theta.shape[-1]}] but got: "
            f"[{theta.shape[0]}, {theta.shape[-1]}]. There must be one matrix for each of the {size[0]} examples"
        )
    return affine_places(theta, tuple(size), bool(align_corners))


NAMESPACES[""]["affine_grid_generator"] = affine_generated
