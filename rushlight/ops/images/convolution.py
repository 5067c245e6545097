"""Convolutions: a kernel slid over an image, forwards and transposed, in any number of dimensions; one op for all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.capacity import MOST, require_room
from rushlight.core.memory.strides import packed
from rushlight.ops.images.sliding import (
    Extents,
    add_windows,
    extents,
    in_layout_of,
    padded,
    place_counts,
    reach,
    windows,
)
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.layouts import KEPT
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.product_words import CONVOLVED, KERNELS

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor


def images(make):
    plain = ((1, 1), (0, 0), (1, 1), False, (0, 0), 1)
    x, w = make.floats(2, 4, 5, 6), make.floats(4, 4, 3, 2)
    return [
        case(x, w, make.floats(4), *plain),
        case(x, make.floats(6, 2, 3, 2), None, (2, 1), (1, 2), (1, 2), False, (0, 0), 2),
        case(x, make.floats(4, 3, 3, 2), make.floats(6), (2, 3), (1, 1), (1, 2), True, (1, 0), 2),
        case(make.floats(2, 3, 7), make.floats(4, 3, 3), None, (2,), (1,), (1,), False, (0,), 1),
        case(make.floats(1, 2, 3, 4, 4), make.floats(2, 2, 2, 2, 3), None, (1,), (0,), (1,), False, (0,), 1),
        case(make.floats(0, 4, 5, 6), w, None, *plain),
        case(make.ints(2, 4, 5, 6), make.ints(4, 4, 3, 2), None, *plain),
        case(x, make.floats(4, 3, 3, 2), None, *plain),
    ]


@op(
    dtype=MATCH,
    batch=CONVOLVED,
    linear=("input", "weight"),
    layout=KEPT,
    operands=["input", "weight", "bias"],
    method=False,
    samples=cases(images),
    fused=True,
    saves=("input", "weight"),
)
def convolution(
    input,
    weight,
    bias: Tensor = None,
    stride: int | tuple = 1,
    padding: int | tuple = 0,
    dilation: int | tuple = 1,
    transposed=False,
    output_padding: int | tuple = 0,
    groups=1,
):
    """Each output is a weighted sum of what the kernel sees at a place: (N, C, *) with (O, C / groups, *kernel).

    `transposed` swaps the roles: each input spreads the kernel over the output, with weights (C, O / groups, *kernel).

    >>> torch.convolution(torch.ones(1, 1, 4), torch.ones(1, 1, 2), None, [2], [0], [1], False, [0], 1)
    tensor([[[2., 2.]]])
    """
    stride, padding, dilation, output_padding = check_options(weight, stride, padding, dilation, output_padding, groups)
    check_weight(input, weight, bias, transposed, groups)
    refuse_bools(input, transposed)
    if input.ndim < 5 and input.dtype.kind == "f" and not is_straight(input, weight):
        options = (stride, padding, dilation, transposed, output_padding, groups)
        return in_layout_of(straightened(convolution, input, weight, bias, *options), input, weight)
    run = spread_kernel if transposed else slide_kernel
    found = run(input, weight, stride, padding, dilation, output_padding, groups)
    if bias is not None:
        found = found + bias.reshape(-1, *[1] * (found.ndim - 2))
    return in_layout_of(found, input, weight)


def refuse_bools(input: np.ndarray, transposed: bool) -> None:
    """Refuse truths, in the name of torch's kernel."""
    if input.dtype.kind == "b":
        volumes = input.ndim == 5
        if transposed:
            raise refuse(f"slow_conv_transpose{3 if volumes else 2}d_out_cpu", input)
        raise refuse("compute_columns3d" if volumes else "slow_conv2d_cpu", input)


convolution.gradient(
    input=lambda grad, weight, input_shape, stride, padding, dilation, transposed, groups: image_gradient(
        grad, conjugate(weight), input_shape, stride, padding, dilation, transposed, groups
    ),
    weight=lambda grad, input, weight_shape, stride, padding, dilation, transposed, groups: kernel_gradient(
        grad if transposed else conjugate(input),
        conjugate(input) if transposed else grad,
        weight_shape[2:],
        stride,
        padding,
        dilation,
        groups,
    ),
    bias=lambda grad: grad.sum([0, *range(2, grad.dim())]),
)


def check_options(weight, stride, padding, dilation, output_padding, groups) -> tuple[Extents, ...]:
    """The options, one number for each dimension of the kernel."""
    dims = weight.ndim - 2
    if dims < 1:
        raise RuntimeError(
            f"weight should have at least three dimensions, (out channels, in channels / groups, *kernel), but got "
            f"{list(weight.shape)}"
        )
    stride, padding = extents(stride, dims, "stride"), extents(padding, dims, "padding")
    dilation, output_padding = extents(dilation, dims, "dilation"), extents(output_padding, dims, "output_padding")
    if min(padding) < 0:
        raise RuntimeError(f"negative padding is not supported, but got {list(padding)}; F.pad takes it")
    for dim, each in enumerate(padding):
        if each > MOST // 2:
            raise RuntimeError(f"Given padding={each} at dimension {dim} , expected padding to be at most {MOST // 2}")
    if min(output_padding) < 0:
        raise RuntimeError(f"negative output_padding is not supported, but got {list(output_padding)}")
    if min(stride) <= 0:
        raise RuntimeError(f"non-positive stride is not supported, but got {list(stride)}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if groups <= 0:
        raise RuntimeError(f"non-positive groups is not supported, but got {groups}")
    return stride, padding, dilation, output_padding


def check_weight(input, weight, bias, transposed: bool, groups: int) -> None:
    """Refuse weights that do not fit the input, in torch's words."""
    size = list(weight.shape)
    if input.ndim != weight.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight {size}, but got "
            f"{input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    if weight.shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{size} instead"
        )
    if weight.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{size}] instead"
        )
    given = "transposed=1" if transposed else f"groups={groups}"
    channels = weight.shape[0] if transposed else weight.shape[1] * groups
    if input.shape[1] != channels:
        raise RuntimeError(
            f"Given {given}, weight of size {size}, expected input{list(input.shape)} to have {channels} channels, but "
            f"got {input.shape[1]} channels instead"
        )
    outputs = weight.shape[1] * groups if transposed else weight.shape[0]
    if bias is not None and bias.shape != (outputs,):
        given = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {given}weight of size {size}, expected bias to be 1-dimensional with {outputs} elements, but got "
            f"bias of size {list(bias.shape)} instead"
        )


def by_x(sizes: Any) -> str:
    return "(" + " x ".join(map(str, sizes)) + ")"


def slide_kernel(
    input, weight, stride: Extents, padding: Extents, dilation: Extents, _: Extents, groups: int
) -> np.ndarray:
    """The kernel times what it sees at each place."""
    kernel = weight.shape[2:]
    places = place_counts(input.shape[2:], kernel, stride, padding, dilation)
    if min(places) <= 0:
        whole = [size + 2 * pad for size, pad in zip(input.shape[2:], padding, strict=True)]
        raise RuntimeError(
            f"Calculated padded input size per channel: {by_x(whole)}. Kernel size: {by_x(reach(kernel, dilation))}. "
            "Kernel size can't be greater than actual input size"
        )
    require_room((len(input), len(weight), *places), input.itemsize)
    columns = columns_of(input, kernel, stride, padding, dilation, places, groups)
    rows = weight.reshape(groups, len(weight) // groups, columns.shape[2])
    return np.matmul(rows, columns).reshape(len(input), len(weight), *places)


def columns_of(
    image, kernel: Extents, stride: Extents, padding: Extents, dilation: Extents, places: Extents, groups: int
) -> np.ndarray:
    """What a kernel sees of an image, as columns of a matrix: (N, groups, C / groups * kernel, places)."""
    count, channels = image.shape[:2]
    # windows of an image in C order are copied in runs
    seen = windows(padded(packed(image), padding), kernel, stride, dilation, places)
    # memory that is kept at hand: pages that are fresh for each call took more time than the product
    return packed(seen).reshape(count, groups, channels // groups * math.prod(kernel), math.prod(places))


def spread_kernel(
    input, weight, stride: Extents, padding: Extents, dilation: Extents, output_padding: Extents, groups: int
) -> np.ndarray:
    """The kernel times each input, added to the output around the input's place."""
    kernel, places = weight.shape[2:], input.shape[2:]
    check_output_padding(output_padding, stride, dilation)
    sizes = spread_sizes(places, kernel, stride, padding, dilation, output_padding)
    if min(sizes) <= 0:
        raise RuntimeError(
            f"Given input size per channel: {by_x(places)}. Calculated output size per channel: {by_x(sizes)}. "
            "Output size is too small"
        )
    count, channels, outputs = len(input), len(weight) // groups, weight.shape[1]
    rows = weight.reshape(groups, channels, outputs * math.prod(kernel)).swapaxes(1, 2)
    seen = np.matmul(rows, input.reshape(count, groups, channels, math.prod(places)))
    seen = seen.reshape(count, groups * outputs, *kernel, *places)
    return add_windows(seen, sizes, kernel, stride, padding, dilation)


def spread_sizes(
    places: Extents, kernel: Extents, stride: Extents, padding: Extents, dilation: Extents, extra: Extents
) -> Extents:
    """The sizes of a transposed convolution's output."""
    options = zip(places, reach(kernel, dilation), stride, padding, extra, strict=True)
    return tuple([(count - 1) * step + far - 2 * pad + more for count, far, step, pad, more in options])


def check_output_padding(extra: Extents, stride: Extents, dilation: Extents) -> None:
    if any([more >= max(one, two) for more, one, two in zip(extra, stride, dilation, strict=True)]):
        raise RuntimeError(
            f"output padding must be smaller than either stride or dilation, but got output_padding: {extra} "
            f"stride: {stride} dilation: {dilation}"
        )


def image_gradient(grad, weight, shape, stride, padding, dilation, transposed: bool, groups: int) -> Tensor:
    """The gradient of what was convolved: a convolution of the other kind, with the same weights."""
    if transposed:
        return cut_to(convolution(grad, weight, None, stride, padding, dilation, False, 0, groups), shape)
    dims = weight.dim() - 2
    options = [extents(each, dims, "") for each in (stride, padding, dilation)]
    least = spread_sizes(grad.shape[2:], weight.shape[2:], *options, (0,) * dims)
    extra = tuple([size - one for size, one in zip(shape[2:], least, strict=True)])
    return convolution(grad, weight, None, stride, padding, dilation, True, extra, groups)


def cut_to(found: Tensor, shape: Extents) -> Tensor:
    """Without the places at the end that only output_padding left room for."""
    for dim in range(2, found.dim()):
        found = found.narrow(dim, 0, shape[dim]) if found.shape[dim] != shape[dim] else found
    return found


@op(
    dtype=MATCH,
    batch=KERNELS,
    linear=("image", "output"),
    name="_kernel_gradient",
    operands=["image", "output"],
    samples=None,
)
def kernel_gradient(
    image, output, kernel: tuple, stride: int | tuple, padding: int | tuple, dilation: int | tuple, groups: int
):
    """The gradient of a convolution's weights: each output's gradient times what the kernel saw there, summed."""
    stride, padding, dilation = [extents(each, len(kernel), "") for each in (stride, padding, dilation)]
    places = output.shape[2:]
    count, channels, outputs = len(image), image.shape[1], output.shape[1]
    columns = columns_of(image, kernel, stride, padding, dilation, places, groups)
    # all places of all images in one product
    columns = packed(columns.transpose(1, 2, 0, 3)).reshape(groups, columns.shape[2], count * math.prod(places))
    rows = packed(output).reshape(count, groups, outputs // groups, math.prod(places)).transpose(1, 2, 0, 3)
    found = np.matmul(
        packed(rows).reshape(groups, outputs // groups, count * math.prod(places)), columns.swapaxes(1, 2)
    )
    return in_layout_of(found.reshape(outputs, channels // groups, *kernel), image, output)


kernel_gradient.gradient(
    image=lambda grad, output, image_shape, stride, padding, dilation, groups: image_gradient(
        conjugate(output), grad, image_shape, stride, padding, dilation, False, groups
    ),
    output=lambda grad, image, output_shape, stride, padding, dilation, groups: cut_to(
        convolution(conjugate(image), grad, None, stride, padding, dilation, False, 0, groups), output_shape
    ),
)
