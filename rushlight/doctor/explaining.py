"""Explanations in words: where a tensor's gradient comes from, or why it has none."""

from __future__ import annotations

from collections import deque
from typing import Any

from rushlight.autograd.graph import Node
from rushlight.core.object.tensor import Tensor
from rushlight.doctor.graphs import cut_values, names_in_sight
from rushlight.doctor.names import listed, user_frames, variable, variables_of
from rushlight.errors import history, location
from rushlight.errors.explained import Line
from rushlight.errors.lost import leaves_behind


class Explanation(str):
    """Text that a prompt or a notebook shows as it is."""

    def __repr__(self) -> str:
        return str(self)


def explain(subject: Any, loss: Tensor | None = None) -> Explanation:
    """Say in words how gradients reach a tensor, a parameter or a loss, or where they stop, and on which line.

    A loss is told which parameters it reaches and which values came in without history. A parameter is told the way
    from `loss` to it; without one, from the tensors that the calling code has in its variables.

    >>> w = torch.tensor(1.0, requires_grad=True)
    >>> print(torch.explain(w.detach() * 2))  # doctest: +ELLIPSIS
    It has no history, so gradients stop here.
      Its history was cut at ...
      detach() took it out of the graph.
      fix: leave detach() out where the value should learn; keep it for targets and baselines
    """
    if not isinstance(subject, Tensor):
        raise TypeError(f"explain(): argument 'subject' must be Tensor, not {type(subject).__name__}")
    if subject.grad_fn is None and subject.requires_grad:
        return Explanation("\n".join(of_leaf(subject, loss)))
    node = subject.grad_fn
    return why_no_grad(subject) if node is None else Explanation("\n".join(of_result(subject, node)))


def why_no_grad(tensor: Tensor) -> Explanation:
    """Why a tensor's `.grad` is None, or why backward does not reach it."""
    if tensor.requires_grad and tensor.grad_fn is None:
        return Explanation("\n".join(of_leaf(tensor, None)))
    node = tensor.grad_fn
    if node is not None:
        said = f"It was computed by {node.name()}{at(node)}, so gradients flow through it.\n"
        if tensor._grad is not None:
            return Explanation(said + "It keeps its gradient, and has one.")
        if tensor.retains_grad:
            return Explanation(said + "It keeps its gradient, but no backward() has reached it yet.")
        return Explanation(said + "Only leaves keep theirs: call retain_grad() on it before backward().")
    lines, fix = history.why_cut(tensor)
    told = [f"  {text(each)}" for each in lines]
    return Explanation("\n".join(["It has no history, so gradients stop here.", *told, f"  fix: {fix}"]))


def text(line: Line) -> str:
    return line if isinstance(line, str) else f"{line[0]} {location.describe(line[1])}"


def at(node: Any) -> str:
    place = getattr(node, "place", None)
    return "" if place is None else f" at {location.describe(place)}"


def of_result(tensor: Tensor, node: Node) -> list[str]:
    """What a loss reaches, and what came into it without history."""
    names = names_in_sight()
    leaves = leaves_behind([tensor])
    reached = listed([names.of(each) for each in leaves], 5) if leaves else "nothing"
    lines = [f"It was computed by {node.name()}{at(node)}.", f"Gradients flow from it to {reached}."]
    for each in cuts_behind(node):
        assert each._cut is not None
        reason, place = each._cut
        happened, fix = history.what_happened(reason)
        lines += [f"They stop at {location.describe(place)}", f"  where {happened}.", f"  fix: {fix}"]
    return lines


def cuts_behind(node: Node) -> list[Tensor]:
    """The values without history that a graph has saved, each line once."""
    found: dict[Any, Tensor] = {}
    seen, stack = {id(node)}, [node]
    while stack:
        each = stack.pop()
        for value in cut_values(each):
            found.setdefault(value._cut, value)
        for edge in each.edges:
            if isinstance(edge, Node) and id(edge) not in seen:
                seen.add(id(edge))
                stack.append(edge)
    return list(found.values())


def of_leaf(leaf: Tensor, loss: Tensor | None) -> list[str]:
    """How gradients come to a parameter from a loss, or from what the calling code holds."""
    name = names_in_sight().of(leaf)
    if leaf.grad is not None:
        lines = [f"{name} has a gradient of norm {float(leaf.grad.norm()):.4g}."]
    else:
        lines = [f"{name} requires grad and has no gradient: no backward() has reached it since it was cleared."]
    sources = tensors_in_sight() if loss is None else [(variable(loss) or "the loss", loss)]
    for held, tensor in sources:
        way = None if tensor.grad_fn is None else way_to(tensor.grad_fn, leaf)
        if way is not None:
            steps = [f"    {node.name()}{at(node)}" for node in way]
            return [*lines, f"{held} leads to it by way of", *steps]
    cut = [tensor for _, tensor in sources if tensor.grad_fn is None]
    cut += [each for _, tensor in sources if tensor.grad_fn is not None for each in cuts_behind(tensor.grad_fn)]
    if not sources:
        return [*lines, "No tensor with a history is in sight: pass the loss, explain(parameter, loss)."]
    lines.append("The loss does not lead to it." if loss is not None else "No tensor in sight leads to it.")
    for reason, place in list(dict.fromkeys([tensor._cut for tensor in cut if tensor._cut is not None]))[:3]:
        happened, fix = history.what_happened(reason)
        lines += [f"A history was cut at {location.describe(place)}", f"  {happened}.", f"  fix: {fix}"]
    return lines


def tensors_in_sight() -> list[tuple[str, Tensor]]:
    """The variables of the calling code that hold tensors with a history or a cut one; `loss` first."""
    found: dict[int, tuple[str, Tensor]] = {}
    for frame in user_frames():
        for name, each in variables_of(frame)[0].items():
            if isinstance(each, Tensor) and (each.grad_fn is not None or each._cut is not None):
                found.setdefault(id(each), (name, each))
    return sorted(found.values(), key=lambda pair: "loss" not in pair[0])


def way_to(start: Node, leaf: Tensor) -> list[Node] | None:
    """The shortest way through the graph from a node to a leaf."""
    before: dict[int, Node | None] = {id(start): None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for edge in node.edges:
            if edge is leaf:
                way = [node]
                while before[id(way[-1])] is not None:
                    way.append(before[id(way[-1])])  # type: ignore[arg-type]
                return way[::-1]
            if isinstance(edge, Node) and id(edge) not in before:
                before[id(edge)] = node
                queue.append(edge)
    return None
