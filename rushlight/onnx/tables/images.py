"""Images and signals: convolutions, pooling, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.onnx.graph import Edge, Graph
from rushlight.onnx.tables.table import unsupported, writes


def many(value: Any, count: int) -> list[Any]:
    """A setting for each dimension."""
    given = list(value) if isinstance(value, (list, tuple)) else [value]
    return given * count if len(given) == 1 else given


def batched(graph: Graph, input: Edge, spatial: int) -> tuple[Edge, bool]:
    """The input with a batch dimension, and whether that was missing."""
    return (graph.unsqueeze(input, 0), True) if input.rank == spatial + 1 else (input, False)


def spatial_of(graph: Graph) -> int:
    """How many dimensions an operation slides over: its name says it."""
    return int(graph.name[-2])


@writes("conv1d conv2d conv3d")
def conv(
    graph: Graph,
    input: Edge,
    weight: Edge,
    bias: Edge | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Edge:
    count = spatial_of(graph)
    edge, single = batched(graph, input, count)
    dilations = many(dilation, count)
    kernel = (weight.shape or [])[2:]
    if padding == "valid":
        pads = [0] * 2 * count
    elif padding == "same":
        total = [by * (size - 1) for by, size in zip(dilations, kernel, strict=True)]
        pads = [each // 2 for each in total] + [each - each // 2 for each in total]
    else:
        pads = many(padding, count) * 2
    found = graph.add(
        "Conv",
        edge,
        weight,
        bias,
        kernel_shape=kernel,
        strides=many(stride, count),
        pads=pads,
        dilations=dilations,
        group=groups,
    )
    return graph.squeeze(found, 0) if single else found


@writes("conv_transpose1d conv_transpose2d conv_transpose3d")
def conv_transpose(
    graph: Graph,
    input: Edge,
    weight: Edge,
    bias: Edge | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Edge:
    count = spatial_of(graph)
    edge, single = batched(graph, input, count)
    found = graph.add(
        "ConvTranspose",
        edge,
        weight,
        bias,
        kernel_shape=(weight.shape or [])[2:],
        strides=many(stride, count),
        pads=many(padding, count) * 2,
        output_padding=many(output_padding, count),
        dilations=many(dilation, count),
        group=groups,
    )
    return graph.squeeze(found, 0) if single else found


@writes("max_pool1d max_pool2d max_pool3d")
def max_pool(
    graph: Graph,
    input: Edge,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Edge:
    if return_indices:
        unsupported(graph, "return_indices=True", "pool without indices")
    count = spatial_of(graph)
    edge, single = batched(graph, input, count)
    found = graph.add(
        "MaxPool",
        edge,
        kernel_shape=many(kernel_size, count),
        strides=many(kernel_size if stride in (None, []) else stride, count),
        pads=many(padding, count) * 2,
        dilations=many(dilation, count),
        ceil_mode=int(ceil_mode),
    )
    return graph.squeeze(found, 0) if single else found


@writes("avg_pool1d avg_pool2d avg_pool3d")
def avg_pool(
    graph: Graph,
    input: Edge,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Edge:
    if divisor_override is not None:
        unsupported(graph, "divisor_override", "multiply the result")
    count = spatial_of(graph)
    edge, single = batched(graph, input, count)
    found = graph.add(
        "AveragePool",
        edge,
        kernel_shape=many(kernel_size, count),
        strides=many(kernel_size if stride in (None, []) else stride, count),
        pads=many(padding, count) * 2,
        ceil_mode=int(ceil_mode),
        count_include_pad=int(count_include_pad),
    )
    return graph.squeeze(found, 0) if single else found


ADAPTIVE = " ".join(f"adaptive_{kind}_pool{count}d" for kind in ("avg", "max") for count in (1, 2, 3))


@writes(ADAPTIVE)
def adaptive_pool(graph: Graph, input: Edge, output_size: Any, return_indices: bool = False) -> Edge:
    if return_indices:
        unsupported(graph, "return_indices=True", "pool without indices")
    count = spatial_of(graph)
    edge, single = batched(graph, input, count)
    sizes = (input.shape or [])[-count:]
    wanted = [own if each is None else each for each, own in zip(many(output_size, count), sizes, strict=True)]
    kind = "Average" if "avg" in graph.name else "Max"
    if all(each == 1 for each in wanted):
        found = graph.add(f"Global{kind}Pool", edge)
    elif wanted == sizes:
        found = edge
    elif all(isinstance(own, int) and each and own % each == 0 for each, own in zip(wanted, sizes, strict=True)):
        kernel = [own // each for each, own in zip(wanted, sizes, strict=True)]
        found = graph.add(f"{kind}Pool", edge, kernel_shape=kernel, strides=kernel)
    else:
        unsupported(graph, f"{sizes} to {wanted}", "choose an output size that divides the input's")
    return graph.squeeze(found, 0) if single else found


@writes("interpolate upsample upsample_nearest upsample_bilinear")
def interpolate(
    graph: Graph,
    input: Edge,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Edge:
    kinds = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}
    if graph.name.startswith("upsample_"):
        mode, align_corners = graph.name.removeprefix("upsample_"), graph.name == "upsample_bilinear"
    if mode not in kinds or antialias:
        unsupported(graph, "antialias=True" if antialias else f"mode={mode!r}", "use mode='nearest' or 'bilinear'")
    count = input.rank - 2
    corners = "align_corners" if align_corners else "half_pixel" if mode == "bicubic" else "pytorch_half_pixel"
    scales = sizes = None
    if size is not None or recompute_scale_factor:
        shape = [each for each in (input.shape or [])[:2]]
        sizes = graph.ints([*shape, *(graph.result.shape[2:] if size is None else many(size, count))])
    else:
        scales = graph.constant([1, 1, *many(scale_factor, count)], np.float32)
    return graph.add(
        "Resize",
        input,
        None,
        scales,
        sizes,
        mode=kinds[mode],
        coordinate_transformation_mode="asymmetric" if mode == "nearest" else corners,
        nearest_mode="floor" if mode == "nearest" else None,
        cubic_coeff_a=-0.75 if mode == "bicubic" else None,
    )
