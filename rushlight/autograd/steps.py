"""Steps: how an op that is one node here is shown to those who walk the graph, as the several nodes it is in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.graph import Node, OpNode, accumulator
from rushlight.autograd.handles import RemovableHandle
from rushlight.autograd.shown import input_sizes

# a step is its name and what it follows: steps, or names of the op's inputs
Tree = tuple[Any, ...]
Follows = tuple[tuple[Node | None, int], ...]


class Step(Node):
    """A node between an op's own and its inputs; it can be looked at, and runs as a part of the op's node."""

    def __init__(self, owner: OpNode, following: Follows):
        super().__init__()
        self.number, self.place = owner.number, owner.place
        self._following = following

    def following(self) -> Follows:
        """The nodes it follows."""
        return self._following

    def register_hook(self, hook: Callable[[tuple, tuple], Any]) -> RemovableHandle:
        """Refused: there is no gradient in between."""
        raise RuntimeError(f"{self.name()} runs as a part of one operation: hook a tensor before or after it instead")

    register_prehook = register_hook  # type: ignore[assignment]


def follow(node: OpNode) -> Follows:
    """What `next_functions` shows of an op with steps."""
    found: Follows | None = node.__dict__.get("_following")
    if found is None:
        tree = node.op.steps(node)  # type: ignore[misc]
        # kept, so that a second look finds the same objects
        found = node.__dict__["_following"] = tuple([shown(node, each) for each in tree[1:]])
    return found


def shown(node: OpNode, part: Tree | str) -> tuple[Node | None, int]:
    """One place: an input's node, a step, or (None, 0) where no gradient is wanted."""
    if isinstance(part, str):
        position = node.op.positions[part]
        if position not in node.plan.inputs:
            return None, 0
        place = node.plan.inputs.index(position)
        return accumulator(node.edges[place]), 0 if node.numbers is None else node.numbers[place]
    following = tuple([shown(node, each) for each in part[1:]])
    if all([each is None for each, _ in following]):
        return None, 0
    return kind_of(part[0])(node, following), 0


KINDS: dict[str, type[Step]] = {}


def kind_of(name: str) -> type[Step]:
    """The class of steps of this name, as torch has one for each kind of node."""
    if name not in KINDS:
        KINDS[name] = type(name, (Step,), {"__module__": "torch.autograd"})
    return KINDS[name]


def linear_steps(node: OpNode) -> Tree:
    """torch's steps for a linear map: the weight is transposed, what has no two dimensions becomes a matrix."""
    transposed = ("TBackward0", "weight")
    kind = type(node).__name__
    is_vector = kind in ("DotBackward0", "MvBackward0") or is_one_row(node)
    dims = len(node.outputs[0][0]) + is_vector
    if kind in ("AddmmBackward0", "MmBackward0", "DotBackward0", "MvBackward0"):
        rows: Tree | str = "input"
    elif dims == 1:
        unsqueezed = "UnsqueezeBackward0" if kind == "SqueezeBackward4" else "ViewBackward0"
        rows = "input" if is_vector else (unsqueezed, "input")
    else:
        may_lie_apart = kind != "AddBackward0" or is_vector
        rows = ("ViewBackward0", "input") if may_lie_apart and lies_in_rows(node) else COPIED
    if kind == "AddmmBackward0":
        return kind, "bias", rows, transposed
    if kind == "ViewBackward0":
        return kind, ("AddmmBackward0", "bias", rows, transposed)
    product = ("DotBackward0" if dims == 1 else "MvBackward0") if is_vector else "MmBackward0"
    if kind == product:
        return kind, rows, transposed
    if kind == "AddBackward0":
        found: Tree = (product, rows, transposed)
        return kind, found if dims == 1 else ("UnsafeViewBackward0", found), "bias"
    return kind, (product, rows, transposed)


# an input of three dimensions or more whose rows lie apart is copied first
COPIED = ("UnsafeViewBackward0", ("CloneBackward0", "input"))


def lies_in_rows(node: OpNode) -> bool:
    """Whether torch could view the input as a matrix, as far as the node can tell."""
    array = saved_array(node, "input")
    return array is None or bool(array.flags.c_contiguous)


def is_one_row(node: OpNode) -> bool:
    """Whether the weight is a vector."""
    sizes = input_sizes(node, "weight_shape")
    array = saved_array(node, "weight")
    return len(sizes) == 1 if sizes is not None else array is not None and array.ndim == 1


def saved_array(node: OpNode, name: str) -> Any:
    """The memory of a saved input; None if it was not saved, or is freed or packed."""
    if node.saved is None or name not in node.plan.names:
        return None
    return getattr(node.saved[node.plan.names.index(name)], "_array", None)
