"""The graph of a tensor, drawn: nodes with their lines, leaves under the names of their parameters, cuts in red."""

from __future__ import annotations

import gc
import html
import sys
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.autograd.graph import Node
from rushlight.core.object.tensor import Tensor
from rushlight.doctor.lives import Lives
from rushlight.doctor.names import Names, variable
from rushlight.errors import location
from rushlight.errors.history import what_happened

# a terminal shows no more lines than this of a tree
LONGEST = 200


class Vertex:
    """One thing in the picture: a node, a leaf, or a value whose history was cut."""

    def __init__(self, kind: str, label: str, line: str = ""):
        self.kind = kind
        self.label = label
        self.line = line
        self.inputs: list[Vertex] = []

    def __str__(self) -> str:
        return f"{self.label}  {self.line}".rstrip()


class Graph:
    """What a tensor was computed from; print it, or show it in a notebook."""

    def __init__(self, root: Vertex):
        self.root = root

    def vertices(self) -> list[Vertex]:
        """Each of them once, the root first."""
        found: dict[int, Vertex] = {}
        stack = [self.root]
        while stack:
            each = stack.pop()
            if id(each) not in found:
                found[id(each)] = each
                stack.extend(reversed(each.inputs))
        return list(found.values())

    @property
    def cuts(self) -> list[Vertex]:
        """The values whose history was cut."""
        return [each for each in self.vertices() if each.kind == "cut"]

    def __str__(self) -> str:
        return "\n".join(self.lines(lambda text, kind: text))

    def __repr__(self) -> str:
        return str(self)

    def show(self) -> None:
        """Print the tree, with colours where the terminal has them."""
        from rushlight.doctor.report.terminal import Paint

        paint = Paint(sys.stdout)
        colours = {"cut": "error", "leaf": "bold"}
        print("\n".join(self.lines(lambda text, kind: paint(text, colours[kind]) if kind in colours else text)))

    def lines(self, paint: Callable[[str, str], str]) -> Iterator[str]:
        """A tree: below each thing what it was computed from; what was shown above is only named."""
        seen: set[int] = set()
        stack: list[tuple[Vertex, str, str]] = [(self.root, "", "")]
        count = 0
        while stack:
            each, before, below = stack.pop()
            again = id(each) in seen and bool(each.inputs)
            seen.add(id(each))
            yield before + paint(f"{each} (above)" if again else str(each), each.kind)
            count += 1
            if count == LONGEST:
                yield f"... {len(self.vertices())} in all"
                return
            if again:
                continue
            for number, one in reversed(list(enumerate(each.inputs))):
                last = number == len(each.inputs) - 1
                stack.append((one, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))

    @property
    def dot(self) -> str:
        """The picture in graphviz's language."""
        numbers = {id(each): number for number, each in enumerate(self.vertices())}
        rows = ['digraph { rankdir=BT; node [shape=box style=rounded fontname="sans-serif" fontsize=11]']
        colours = {"leaf": 'style="rounded,filled" fillcolor="#dcebdc"', "cut": "color=red fontcolor=red"}
        for each in self.vertices():
            label = html.escape(each.label)
            if each.line:
                label += f"<br/><font point-size='9'>{html.escape(each.line)}</font>"
            rows.append(f"  n{numbers[id(each)]} [label=<{label}> {colours.get(each.kind, '')}]")
        for each in self.vertices():
            for one in each.inputs:
                edge = " [color=red style=dashed]" if one.kind == "cut" else ""
                rows.append(f"  n{numbers[id(one)]} -> n{numbers[id(each)]}{edge}")
        return "\n".join([*rows, "}"])

    def svg(self) -> str:
        """The picture, drawn by graphviz."""
        try:
            import graphviz
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "drawing a graph needs graphviz: pip install graphviz and the program dot; print(graph) needs neither"
            ) from error
        drawn: str = graphviz.Source(self.dot).pipe(format="svg", encoding="utf-8")
        return drawn

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """What a notebook shows: the picture where graphviz is there, the tree elsewhere."""
        bundle = {"text/plain": str(self)}
        try:
            bundle["image/svg+xml"] = self.svg()
        except Exception:  # neither the package nor the program has to be there
            bundle["text/html"] = "<pre style='overflow:auto'>" + "\n".join(self.lines(coloured)) + "</pre>"
        return bundle


def coloured(text: str, kind: str) -> str:
    """A line of the tree for a page, leaves in bold and cuts in red."""
    styles = {"cut": "color:red", "leaf": "font-weight:bold"}
    return f"<span style='{styles[kind]}'>{html.escape(text)}</span>" if kind in styles else html.escape(text)


def graph(tensor: Tensor) -> Graph:
    """The graph behind a tensor: what it was computed from, on which lines, down to the parameters; where a value came
    in whose history was cut, that is shown too, with the line.

    >>> w = torch.ones(2, requires_grad=True)
    >>> loss = (w * w.detach()).sum()
    >>> [each.label for each in torch.graph(loss).cuts]
    ['detach() took it out of the graph']
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"graph(): argument 'tensor' must be Tensor, not {type(tensor).__name__}")
    return Graph(Drawing().of_tensor(tensor))


class Drawing:
    """Turns nodes into vertices, each once."""

    def __init__(self) -> None:
        self.names = names_in_sight()
        self.made: dict[int, Vertex] = {}

    def of_tensor(self, tensor: Tensor) -> Vertex:
        node = tensor.grad_fn
        if node is None:
            return self.leaf(tensor) if tensor.requires_grad else self.without_history(tensor)
        root = self.of_node(node)
        held = variable(tensor)
        if held is not None:
            root.label = f"{held} = {root.label}"
        return root

    def of_node(self, start: Node) -> Vertex:
        """The vertex of a node and of all behind it, without recursion."""
        stack = [start]
        while stack:
            node = stack[-1]
            waiting = [each for each in node.edges if isinstance(each, Node) and id(each) not in self.made]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if id(node) not in self.made:
                self.made[id(node)] = self.vertex(node)
        return self.made[id(start)]

    def vertex(self, node: Node) -> Vertex:
        place = getattr(node, "place", None)
        line = "" if place is None else location.describe(place)
        made = Vertex("node", node.name().removeprefix("torch::autograd::"), line)
        for each in node.edges:
            if isinstance(each, Tensor):
                made.inputs.append(self.leaf(each))
            elif each is not None:
                made.inputs.append(self.made[id(each)])
        made.inputs += [self.without_history(each) for each in cut_values(node)]
        return made

    def leaf(self, tensor: Tensor) -> Vertex:
        known = self.made.get(id(tensor))
        if known is None:
            shape = list(tensor.shape)
            known = self.made[id(tensor)] = Vertex("leaf", f"{self.names.of(tensor)} {shape}")
        return known

    def without_history(self, tensor: Tensor) -> Vertex:
        known = self.made.get(id(tensor))
        if known is not None:
            return known
        if tensor._cut is None:
            made = Vertex("data", f"{variable(tensor) or 'data'} {list(tensor.shape)}")
        else:
            reason, place = tensor._cut
            made = Vertex("cut", what_happened(reason)[0], location.describe(place))
        self.made[id(tensor)] = made
        return made


def cut_values(node: Node) -> list[Tensor]:
    """Of what a node has saved, the tensors whose history was cut; they are gone after backward."""
    found: list[Tensor] = []
    for value in (node.looked_at or ((), ()))[0]:
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor) and each._cut is not None and not each.requires_grad:
                found.append(each)
    return found


def names_in_sight() -> Names:
    """Names from every module that lives."""
    from rushlight.nn.modules.module import Module

    lives = Lives()
    for each in gc.get_objects():
        if issubclass(type(each), Module) and "_parameters" in each.__dict__:
            lives.add_module(each, None)
    return Names(lives)
