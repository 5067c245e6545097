"""The graph of an ONNX file while it is written: nodes, initializers, and edges between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rushlight.errors.location import Location
from rushlight.onnx.errors import refuse
from rushlight.onnx.sizes import Merged, Size

INT64 = np.dtype(np.int64)
BOOL = np.dtype(bool)
# sizes: a number, a Size, or None where it follows others in a way that cannot be written
Dims = list[Any]


class Edge:
    """What a node gives or an initializer holds: a name, a dtype and, where it is known, a shape."""

    def __init__(self, name: str, dtype: np.dtype, shape: Dims | None = None):
        self.name, self.dtype, self.shape = name, dtype, shape

    @property
    def rank(self) -> int:
        assert self.shape is not None
        return len(self.shape)


class Graph:
    """Collects nodes; a translation adds those of one call."""

    def __init__(self, opset: int, reserved: Iterable[str] = ()):
        self.opset = opset
        self.nodes: list[Any] = []
        self.initializers: dict[str, np.ndarray] = {}
        self.used = set(reserved)
        self.constants: dict[tuple, Edge] = {}
        # where the size of a name can be read: an input and its axis
        self.sources: dict[str, tuple[Edge, int]] = {}
        self.sizes: dict[Any, Edge] = {}
        # the call that is being translated: its results, name and line
        self.results: Sequence[Merged] = ()
        self.name = ""
        self.place: Location | None = None

    @property
    def result(self) -> Merged:
        return self.results[0]

    def fresh(self, stem: str) -> str:
        """A name that nothing else has."""
        name, number = stem, 0
        while name in self.used:
            number += 1
            name = f"{stem}_{number}"
        self.used.add(name)
        return name

    def add(
        self, kind: str, *inputs: Edge | None, outputs: int = 1, dtype: Any = None, shape: Any = None, **options: Any
    ) -> Any:
        """A node; its first output, or a list of them. The dtype is that of the first input unless another is given."""
        from onnx import helper

        first = next((each for each in inputs if each is not None), None)
        dtype = first.dtype if dtype is None and first is not None else np.dtype(dtype)
        names = [self.fresh(kind.lower()) for _ in range(outputs)]
        given = ["" if each is None else each.name for each in inputs]
        while given and not given[-1]:
            given.pop()
        options = {name: value for name, value in options.items() if value is not None}
        self.nodes.append(helper.make_node(kind, given, names, name=names[0], **options))
        edges = [Edge(name, dtype, shape) for name in names]
        return edges[0] if outputs == 1 else edges

    def initializer(self, name: str, array: np.ndarray) -> Edge:
        name = self.fresh(name)
        self.initializers[name] = array
        return Edge(name, array.dtype, list(array.shape))

    def constant(self, value: Any, dtype: Any) -> Edge:
        """A number or an array of numbers of the program; the same one only once."""
        array = np.asarray(value, dtype)
        key = (str(array.dtype), array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = self.initializer("constant", array)
        return self.constants[key]

    def cast(self, edge: Edge, dtype: Any) -> Edge:
        """The edge in a dtype."""
        from onnx import helper

        dtype = np.dtype(dtype)
        if edge.dtype == dtype:
            return edge
        return self.add("Cast", edge, dtype=dtype, shape=edge.shape, to=helper.np_dtype_to_tensor_dtype(dtype))

    def tensor(self, value: Any, dtype: Any = None) -> Edge:
        """A tensor, a number or a size, as an edge of a dtype."""
        if isinstance(value, Edge):
            return value if dtype is None else self.cast(value, dtype)
        if isinstance(value, Size):
            scalar = self.add("Squeeze", self.size(value), shape=[])
            return scalar if dtype is None else self.cast(scalar, dtype)
        return self.constant(value, dtype)

    def ints(self, sizes: Sequence[Any]) -> Edge:
        """A list of sizes as a tensor of one dimension."""
        if None in sizes:
            fix = "give one of these axes one size: leave it out of dynamic_shapes"
            refuse("a shape depends on sizes that change in a way that cannot be written", self.place, fix)
        if all(isinstance(each, int) for each in sizes):
            return self.constant(list(sizes), INT64)
        parts = [self.size(each) if isinstance(each, Size) else self.constant([each], INT64) for each in sizes]
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=0)

    def size(self, size: Size) -> Edge:
        """A size as a tensor of one element."""
        if size not in self.sizes:
            terms = []
            for names, factor in size.factors.items():
                parts = [self.size_of(name) for name in sorted(names)]
                if factor != 1 or not parts:
                    parts.append(self.constant([factor], INT64))
                terms.append(self.folded("Mul", parts))
            self.sizes[size] = self.folded("Add", terms)
        return self.sizes[size]

    def folded(self, kind: str, parts: list[Edge]) -> Edge:
        found = parts[0]
        for each in parts[1:]:
            found = self.add(kind, found, each)
        return found

    def size_of(self, name: str) -> Edge:
        if name not in self.sizes:
            edge, axis = self.sources[name]
            shape = self.add("Shape", edge, dtype=INT64)
            self.sizes[name] = self.add("Gather", shape, self.constant([axis], INT64), axis=0)
        return self.sizes[name]

    def reshape(self, edge: Edge, shape: Sequence[Any]) -> Edge:
        """The elements in another shape; one size that changes is left to the reader of the file."""
        unknown = [place for place, each in enumerate(shape) if each is None]
        unknown = unknown or [place for place, each in enumerate(shape) if isinstance(each, Size)]
        if len(unknown) == 1 and 0 not in shape:
            sizes = [-1 if place in unknown else each for place, each in enumerate(shape)]
            return self.add("Reshape", edge, self.ints(sizes), shape=list(shape))
        zeros = 1 if 0 in shape else None
        return self.add("Reshape", edge, self.ints(shape), shape=list(shape), allowzero=zeros)

    def reduce(self, kind: str, edge: Edge, dims: Sequence[int] | None, keepdim: bool) -> Edge:
        """A reduction; the axes moved from an option to an input in version 18, of sums in 13."""
        keep = int(keepdim)
        if dims is None:
            return self.add(kind, edge, keepdims=keep)
        if self.opset >= 18 or kind == "ReduceSum":
            return self.add(kind, edge, self.constant(list(dims), INT64), keepdims=keep)
        return self.add(kind, edge, axes=list(dims), keepdims=keep)

    def where(self, condition: Edge, one: Edge, two: Edge) -> Edge:
        """One where the condition holds, two elsewhere; readers choose numbers only."""
        if one.dtype != BOOL:
            return self.add("Where", condition, one, two, dtype=one.dtype)
        other = self.add("And", self.add("Not", condition), two)
        return self.add("Or", self.add("And", condition, one), other)

    def transpose(self, edge: Edge, order: Sequence[int]) -> Edge:
        if not order:
            return edge
        shape = None if edge.shape is None else [edge.shape[each] for each in order]
        return self.add("Transpose", edge, perm=list(order), shape=shape)

    def unsqueeze(self, edge: Edge, *axes: int) -> Edge:
        return self.add("Unsqueeze", edge, self.constant(list(axes), INT64))

    def squeeze(self, edge: Edge, *axes: int) -> Edge:
        return self.add("Squeeze", edge, self.constant(list(axes), INT64))

    def pruned(self, outputs: Iterable[str]) -> list[Any]:
        """The nodes that the outputs need, in their order."""
        wanted = set(outputs)
        kept = []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output):
                kept.append(node)
                wanted.update(node.input)
        self.initializers = {name: array for name, array in self.initializers.items() if name in wanted}
        return kept[::-1]


def axis_of(edge: Edge, dim: int) -> int:
    """A dimension counted from the front."""
    return dim + edge.rank if dim < 0 else dim


def axes_of(edge: Edge, dim: Any) -> list[int] | None:
    """Dimensions counted from the front; None for all of them."""
    if dim is None or dim == [] or dim == ():
        return None
    return [axis_of(edge, each) for each in (dim if isinstance(dim, (list, tuple)) else [dim])]
