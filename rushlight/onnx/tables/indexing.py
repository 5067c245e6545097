"""Indexing: slices, numbers and tensors in brackets, gathering and scattering."""

from __future__ import annotations

from typing import Any

from rushlight.onnx.graph import BOOL, INT64, Edge, Graph, axis_of
from rushlight.onnx.sizes import Size
from rushlight.onnx.tables.table import unsupported, writes

LAST = 2**63 - 1


def entries(graph: Graph, input: Edge, index: Any) -> list[Any]:
    """The index, an entry for each dimension that is there; `...` is written out."""
    given = [numbers(graph, each) for each in (index if isinstance(index, tuple) else (index,))]
    taken = sum(each is not None and each is not ... for each in given)
    missing = [slice(None)] * (input.rank - taken)
    for place, each in enumerate(given):
        if each is ...:
            return [*given[:place], *missing, *given[place + 1 :]]
    return given + missing


def numbers(graph: Graph, entry: Any) -> Any:
    if isinstance(entry, list):
        return graph.constant(entry, INT64)
    if isinstance(entry, bool):
        unsupported(graph, "a truth value as index", "use unsqueeze")
    if isinstance(entry, Edge) and entry.dtype == BOOL:
        unsupported(graph, "a mask as index, which gives a shape of its own", "use torch.where or masked_fill")
    return entry


@writes("__getitem__")
def getitem(graph: Graph, input: Edge, index: Any) -> Edge:
    given = entries(graph, input, index)
    found = sliced(graph, input, [each for each in given if each is not None])
    # the dimensions as they are now: numbers are gone, new ones come in
    dims: list[Any] = []
    for each in given:
        if each is None:
            found = graph.unsqueeze(found, len(dims))
            dims.append(None)
        elif isinstance(each, (int, Size)):
            found = graph.add("Gather", found, graph.tensor(each, INT64), axis=len(dims))
        else:
            dims.append(each)
    places = [place for place, each in enumerate(dims) if isinstance(each, Edge)]
    if len(places) == 1:
        return graph.add("Gather", found, graph.cast(dims[places[0]], INT64), axis=places[0])
    return several(graph, found, dims, places) if places else found


def sliced(graph: Graph, input: Edge, given: list[Any]) -> Edge:
    """The slices of an index, in one node."""
    cuts = [(axis, each) for axis, each in enumerate(given) if isinstance(each, slice) and each != slice(None)]
    cuts = [
        (axis, each) for axis, each in cuts if (each.start, each.stop, each.step) not in ((0, None, None), (0, None, 1))
    ]
    if not cuts:
        return input
    starts = graph.ints([0 if each.start is None else each.start for _, each in cuts])
    stops = graph.ints([LAST if each.stop is None else each.stop for _, each in cuts])
    steps = graph.ints([1 if each.step is None else each.step for _, each in cuts])
    return graph.add("Slice", input, starts, stops, graph.constant([axis for axis, _ in cuts], INT64), steps)


def several(graph: Graph, found: Edge, dims: list[Any], places: list[int]) -> Edge:
    """Several tensors in brackets: their dimensions in front, then tuples of indices."""
    indices = [graph.cast(dims[place], INT64) for place in places]
    # broadcast against each other: zero times the others
    none = graph.folded("Add", [graph.add("Mul", each, graph.constant(0, INT64)) for each in indices])
    joined = graph.add("Concat", *[graph.unsqueeze(graph.add("Add", each, none), -1) for each in indices], axis=-1)
    rest = [place for place in range(len(dims)) if place not in places]
    result = graph.add("GatherND", graph.transpose(found, [*places, *rest]), joined)
    if places != list(range(places[0], places[0] + len(places))) or places[0] == 0:
        return result
    new = len(graph.result.shape) - len(rest)
    front = [place for place in rest if place < places[0]]
    order = [new + number for number in range(len(front))] + list(range(new))
    return graph.transpose(result, [*order, *range(new + len(front), new + len(rest))])


@writes("__setitem__")
def setitem(graph: Graph, input: Edge, index: Any, value: Any) -> Edge:
    if isinstance(index, Edge) and index.dtype == BOOL and index.rank == input.rank:
        return graph.where(index, graph.tensor(value, input.dtype), input)
    given = entries(graph, input, index)
    if any(isinstance(each, Edge) or each is None for each in given):
        unsupported(graph, "tensors as index", "use torch.where, masked_fill or scatter")
    filler = graph.tensor(value, input.dtype)
    for axis, each in enumerate(given):
        behind = sum(isinstance(other, slice) for other in given[axis:])
        if isinstance(each, (int, Size)) and filler.rank > behind:
            # the dimension that the number takes away
            shape = list(filler.shape or ())
            shape.insert(filler.rank - behind, 1)
            filler = Edge(graph.unsqueeze(filler, filler.rank - behind).name, filler.dtype, shape)
    return assigned(graph, input, given, filler)


def assigned(graph: Graph, input: Edge, given: list[Any], value: Edge) -> Edge:
    """What is before, the part with the value in it, what is behind: along one axis after the other."""
    axis = next((place for place, each in enumerate(given) if each != slice(None)), None)
    if axis is None:
        return graph.add("Expand", value, graph.add("Shape", input, dtype=INT64))
    each = given[axis]
    start, stop = (each.start, each.stop) if isinstance(each, slice) else (each, following(each))
    if isinstance(each, slice) and each.step not in (None, 1):
        unsupported(graph, "steps in an index that is written to", "use torch.where")

    def part(first: Any, last: Any) -> Edge:
        bounds = [graph.ints([0 if first is None else first]), graph.ints([LAST if last is None else last])]
        return graph.add("Slice", input, *bounds, graph.constant([axis], INT64))

    inner = assigned(graph, part(start, stop), [*given[:axis], slice(None), *given[axis + 1 :]], value)
    before = [] if start in (None, 0) else [part(None, start)]
    behind = [] if stop is None else [part(stop, None)]
    return graph.add("Concat", *before, inner, *behind, axis=axis) if before or behind else inner


def following(index: Any) -> Any:
    """The index behind one; None behind the last."""
    if isinstance(index, Size):
        return Size({**index.factors, frozenset(): index.factors.get(frozenset(), 0) + 1})
    return None if index == -1 else index + 1


@writes("select")
def select(graph: Graph, input: Edge, dim: int, index: Any) -> Edge:
    return graph.add("Gather", input, graph.tensor(index, INT64), axis=axis_of(input, dim))


@writes("narrow")
def narrow(graph: Graph, input: Edge, dim: int, start: int, length: Any) -> Edge:
    axis = graph.constant([axis_of(input, dim)], INT64)
    if not isinstance(start, int):
        unsupported(graph, "a start that changes", "slice with numbers")
    if isinstance(length, Size):
        end: Any = Size({**length.factors, frozenset(): length.factors.get(frozenset(), 0) + start})
    else:
        end = start + length
    return graph.add("Slice", input, graph.ints([start]), graph.ints([end]), axis)


@writes("_slice")
def slice_dim(graph: Graph, input: Edge, dim: int, start: Any, end: Any, step: int = 1) -> Edge:
    axes = graph.constant([dim], INT64)
    return graph.add("Slice", input, graph.ints([start]), graph.ints([end]), axes, graph.ints([step]))


@writes("index_select")
def index_select(graph: Graph, input: Edge, dim: int, index: Edge) -> Edge:
    if not input.rank:
        return input
    indices = index if index.rank else graph.unsqueeze(index, 0)
    return graph.add("Gather", input, indices, axis=axis_of(input, dim))


@writes("gather")
def gather(graph: Graph, input: Edge, dim: int, index: Edge, *, sparse_grad: bool = False) -> Edge:
    return graph.add("GatherElements", input, index, axis=axis_of(input, dim))


@writes("scatter scatter_add")
def scatter(
    graph: Graph, input: Edge, dim: int, index: Edge, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Edge:
    if reduce is not None or (graph.name == "scatter_add" and graph.opset < 16):
        unsupported(graph, "reduce=", "use scatter without it")
    given = src if value is None else value
    if not isinstance(given, Edge):
        shape = graph.add("Shape", index, dtype=INT64)
        given = graph.add("Expand", graph.tensor(given, input.dtype), shape)
    if isinstance(src, Edge) and src.shape != index.shape:
        unsupported(graph, "more values than indices", "slice the values to the shape of the indices")
    kind = "add" if graph.name == "scatter_add" else None
    values = graph.cast(given, input.dtype)
    return graph.add("ScatterElements", input, index, values, axis=axis_of(input, dim), reduction=kind)
