"""Explaining gradients that fail: torch's words, then the user's own lines and the cure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.core.location import describe
from rushlight.core.tensor import Tensor

if TYPE_CHECKING:
    from rushlight.autograd.graph import Node

# what cuts a history: (what happened, what to write instead)
CUTS = {
    "detach": (
        "detach() took it out of the graph",
        "leave detach() out where the value should learn; keep it for targets and baselines",
    ),
    "data": (".data took it out of the graph", "use the tensor itself where the value should learn"),
    "item": (
        ".item() turned it into a plain Python number",
        "keep the tensor for the loss; call .item() only to print or log",
    ),
    "numpy": (
        ".numpy() took its values out of the graph",
        "compute with torch functions where the value should learn",
    ),
    "no_grad": (
        "it was computed inside torch.no_grad(), where nothing is recorded",
        "move the computation out of the no_grad block",
    ),
    "tensor": (
        "torch.tensor(...) copied the values and left the history behind",
        "join tensors with torch.stack([...]) or torch.cat([...]), which keep it",
    ),
    "to": (
        "a conversion to integers or booleans has no derivative",
        "convert after the loss, or keep a floating point dtype",
    ),
}


def no_history(tensor: Tensor, position: int = 0) -> RuntimeError:
    """The error for a backward from a tensor that no recorded operation made."""
    words = f"element {position} of tensors does not require grad and does not have a grad_fn"
    return RuntimeError(f"{words}\n  {why_cut(tensor)}")


def why_cut(tensor: Tensor) -> str:
    """Why a tensor has no history, and what to do."""
    if tensor._cut is None:
        made = f"It was created at {describe(tensor._created)}. " if tensor._created is not None else ""
        return (
            f"{made}Nothing it was computed from requires grad.\n  fix: create what should learn with "
            "requires_grad=True, or compute the loss from the outputs of a model with parameters"
        )
    reason, place = tensor._cut
    happened, cure = CUTS.get(reason, (f"{reason}() has no derivative", f"compute the loss from what {reason}() was given"))
    return f"Its history was cut at {describe(place)}\n  {happened}.\n  fix: {cure}"


def overwritten(node: Node, tensor: Tensor, expected: int) -> RuntimeError:
    """The error for a saved value that was changed in place before backward."""
    storage = tensor._storage
    assert storage is not None
    words = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{tensor.type()} {list(tensor.shape)}] is at version {storage.version}; expected version {expected} instead."
    )
    lines = [
        f"saved for {node.name()} at {describe(node.place)}",
        f"changed at {describe(storage.writer)}",
        "fix: write the change out of place (y = y + 1, not y += 1), or change a copy: .clone() before the write",
    ]
    if any(each is tensor for each in getattr(node, "saved", None) or ()) and tensor._node is None:
        lines[2] += "; .detach() shares memory, so a write through it counts too"
    return RuntimeError("\n  ".join([words, *lines]))


def freed(node: Node) -> RuntimeError:
    """The error for a second backward through values that the first one gave up."""
    words = (
        "Trying to backward through the graph a second time (or directly access saved tensors after they have "
        "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
        "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time."
    )
    lines = [f"{node.name()} was made at {describe(node.place)}"]
    if node.freed is not None:
        lines.append(f"its values were freed by the backward at {describe(node.freed[0])}")
    return RuntimeError("\n  ".join([words, *lines, second_backward_cure(node)]))


def second_backward_cure(node: Node) -> str:
    """`detach()` if the graph of an earlier backward is carried along, `retain_graph` if one graph serves twice."""
    from rushlight.autograd.engine import current_root

    root = current_root()
    if node.freed is not None and root is not None and root > node.freed[1]:
        return (
            "fix: the new loss was computed after that backward from a tensor that still carries the old graph (a "
            "hidden state, a running value): cut it there with .detach(); retain_graph=True would keep every step "
            "in memory"
        )
    return "fix: add the losses and call backward once, or pass retain_graph=True to the first backward"


def unused(position: int) -> RuntimeError:
    return RuntimeError(
        "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
        f"is the desired behavior. (It is number {position} of the inputs: no path leads from the outputs to it.)"
    )
