"""Shapes: the same elements in other shapes and orders, joined and split."""

from __future__ import annotations

from typing import Any

from rushlight.onnx.graph import INT64, Edge, Graph, axes_of, axis_of
from rushlight.onnx.tables.table import unsupported, writes


@writes("view reshape flatten unflatten _view _unsafe_view _reshaped_copy ravel")
def reshaped(graph: Graph, input: Edge, *options: Any, **more: Any) -> Edge:
    return graph.reshape(graph.cast(input, graph.result.dtype), graph.result.shape)


@writes("squeeze")
def squeeze(graph: Graph, input: Edge, dim: Any = None) -> Edge:
    axes = axes_of(input, dim) if dim is not None else range(input.rank)
    ones = [axis for axis in axes or () if input.shape and input.shape[axis] == 1]
    return graph.squeeze(input, *ones) if ones else input


@writes("unsqueeze")
def unsqueeze(graph: Graph, input: Edge, dim: int) -> Edge:
    return graph.unsqueeze(input, dim + input.rank + 1 if dim < 0 else dim)


@writes("transpose swapaxes swapdims t T mT adjoint")
def transpose(graph: Graph, input: Edge, dim0: int = 0, dim1: int = 1) -> Edge:
    if not input.rank:
        return input
    order = list(range(input.rank))
    if graph.name in ("t", "T"):
        return graph.transpose(input, order[::-1])
    if graph.name in ("mT", "adjoint"):
        dim0, dim1 = -1, -2
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return graph.transpose(input, order)


@writes("permute")
def permute(graph: Graph, input: Edge, *dims: Any, **more: Any) -> Edge:
    order = more.get("dims", dims[0] if dims and isinstance(dims[0], (list, tuple)) else dims)
    return graph.transpose(input, [axis_of(input, each) for each in order])


@writes("movedim moveaxis")
def movedim(graph: Graph, input: Edge, source: Any, destination: Any) -> Edge:
    sources, targets = axes_of(input, source) or [], axes_of(input, destination) or []
    rest = iter([each for each in range(input.rank) if each not in sources])
    moved = dict(zip(targets, sources, strict=True))
    return graph.transpose(input, [moved[place] if place in moved else next(rest) for place in range(input.rank)])


@writes("expand broadcast_to expand_as")
def expand(graph: Graph, input: Edge, *size: Any, **more: Any) -> Edge:
    shape = graph.result.shape
    own = [None] * (len(shape) - input.rank) + list(input.shape or ())
    target = [1 if mine is not None and mine == each else each for mine, each in zip(own, shape, strict=True)]
    return graph.add("Expand", input, graph.ints(target))


@writes("repeat tile")
def repeat(graph: Graph, input: Edge, *repeats: Any, **more: Any) -> Edge:
    given = more.get(
        "repeats", more.get("dims", repeats[0] if repeats and isinstance(repeats[0], (list, tuple)) else repeats)
    )
    times = [1] * (input.rank - len(given)) + list(given)
    found = graph.unsqueeze(input, *range(len(times) - input.rank)) if len(times) > input.rank else input
    return graph.add("Tile", found, graph.ints(times))


@writes("cat concat concatenate")
def cat(graph: Graph, tensors: list[Edge], dim: int = 0, *, axis: int | None = None) -> Edge:
    parts = [graph.cast(each, graph.result.dtype) for each in tensors if each.shape != [0]]
    place = dim if axis is None else axis
    return graph.add("Concat", *parts, axis=axis_of(parts[0], place))


@writes("stack")
def stack(graph: Graph, tensors: list[Edge], dim: int = 0) -> Edge:
    axis = dim + tensors[0].rank + 1 if dim < 0 else dim
    parts = [graph.unsqueeze(graph.cast(each, graph.result.dtype), axis) for each in tensors]
    return graph.add("Concat", *parts, axis=axis)


@writes("split chunk tensor_split split_with_sizes _split unbind")
def split(graph: Graph, input: Edge, how: Any = 0, dim: int = 0, **more: Any) -> list[Edge]:
    axis = axis_of(input, more.get("dim", how if graph.name == "unbind" else dim))
    several = len(graph.results)
    sizes = [1 if graph.name == "unbind" else each.shape[axis] for each in graph.results]
    if several == 1:
        parts = [input]
    else:
        parts = graph.add("Split", input, graph.ints(sizes), axis=axis, outputs=several)
    return [graph.squeeze(each, axis) for each in parts] if graph.name == "unbind" else list(parts)


@writes("flip")
def flip(graph: Graph, input: Edge, *dims: Any) -> Edge:
    axes = axes_of(input, dims[0] if isinstance(dims[0], (list, tuple)) else list(dims)) or []
    ends = graph.constant([-(2**63) + 1] * len(axes), INT64)
    steps = graph.constant([-1] * len(axes), INT64)
    return graph.add("Slice", input, graph.constant([-1] * len(axes), INT64), ends, graph.constant(axes, INT64), steps)


@writes("roll")
def roll(graph: Graph, input: Edge, shifts: Any, dims: Any = None) -> Edge:
    if dims is None or dims == ():
        unsupported(graph, "no dims", "give dims")
    found = input
    moves = zip(shifts if isinstance(shifts, (list, tuple)) else [shifts], axes_of(input, dims) or [], strict=True)
    for shift, axis in moves:
        size = (input.shape or [])[axis]
        if not isinstance(size, int):
            unsupported(graph, "an axis whose size changes", "leave it out of dynamic_shapes")
        cut = size - shift % size
        one, two = graph.add("Split", found, graph.constant([cut, size - cut], INT64), axis=axis, outputs=2)
        found = graph.add("Concat", two, one, axis=axis)
    return found


@writes("tril triu")
def triangle(graph: Graph, input: Edge, diagonal: Any = 0) -> Edge:
    return graph.add("Trilu", input, graph.tensor(diagonal, INT64), upper=int(graph.name == "triu"))


@writes("pad constant_pad_nd")
def pad(graph: Graph, input: Edge, pad: list, mode: Any = "constant", value: Any = None) -> Edge:
    if graph.name == "constant_pad_nd":
        mode, value = "constant", mode if mode != "constant" else value
    kinds = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}
    if mode not in kinds:
        unsupported(graph, f"mode={mode!r}", "join slices with torch.cat")
    count = len(pad) // 2
    before = [0] * (input.rank - count) + list(pad[0::2])[::-1]
    after = [0] * (input.rank - count) + list(pad[1::2])[::-1]
    filler = graph.tensor(value or 0, input.dtype) if mode == "constant" else None
    return graph.add("Pad", input, graph.ints([*before, *after]), filler, mode=kinds[mode])


@writes("channel_shuffle native_channel_shuffle")
def channel_shuffle(graph: Graph, input: Edge, groups: int) -> Edge:
    channels = (input.shape or [])[1]
    parts = graph.add("Reshape", input, graph.constant([0, groups, channels // groups, -1], INT64))
    mixed = graph.add("Transpose", parts, perm=[0, 2, 1, 3])
    return graph.add("Reshape", mixed, graph.add("Shape", input, dtype=INT64))


@writes("pixel_shuffle pixel_unshuffle")
def pixel_shuffle(graph: Graph, input: Edge, factor: int = 0, **named: int) -> Edge:
    factor = factor or next(iter(named.values()))
    if input.rank != 4:
        unsupported(graph, f"{input.rank} dimensions", "give a batch of images")
    if graph.name == "pixel_shuffle":
        return graph.add("DepthToSpace", input, blocksize=factor, mode="CRD")
    batch, channels, height, width = input.shape or [None] * 4
    if not isinstance(channels, int) or not isinstance(height, int) or not isinstance(width, int):
        unsupported(graph, "sizes that change", "leave height and width out of dynamic_shapes")
    parts = graph.reshape(input, [batch, channels, height // factor, factor, width // factor, factor])
    return graph.reshape(graph.transpose(parts, [0, 1, 3, 5, 2, 4]), graph.result.shape)
