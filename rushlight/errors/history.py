"""Errors of histories: torch's words for a gradient that fails, the user's own lines, and the fix."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.errors.explained import Line, explained
from rushlight.errors.lost import last_exits

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
        ".item() or float() turned it into a plain Python number",
        "keep the tensor for the loss; take the number only to print or log it",
    ),
    "tolist": (
        ".tolist() turned it into plain Python numbers",
        "keep the tensor for the loss; torch.stack([...]) joins tensors and keeps their history",
    ),
    "numpy": (
        "its values went through a NumPy array, which keeps no history",
        "compute with torch functions where the value should learn",
    ),
    "no_grad": (
        "it was computed inside torch.no_grad(), where nothing is recorded",
        "move the computation out of the no_grad block or decorator",
    ),
    "inference": (
        "it was computed inside torch.inference_mode(), where nothing is recorded",
        "move the computation out of the inference_mode block or decorator",
    ),
    "tensor": (
        "torch.tensor(...) copied the values and left the history behind",
        "join tensors with torch.stack([...]) or torch.cat([...]), which keep it; a single one needs no tensor(...)",
    ),
    "to": (
        "a conversion to integers or booleans has no derivative",
        "convert only what is printed or used as an index, and keep a floating point dtype for the loss",
    ),
    "indices": (
        "positions and counts have no derivative",
        "use the values that the call returns beside them, or gather() what stands at the positions",
    ),
    "frozen": (
        "requires_grad was set to False: what it was computed from is frozen",
        "set requires_grad=True again for what should learn",
    ),
}

POSITIONS = {"argmax", "argmin", "argsort", "searchsorted", "bucketize", "nonzero", "count_nonzero"}
SAMPLES = {"multinomial", "bernoulli", "poisson", "binomial"}
COMPARISONS = {"gt", "ge", "lt", "le", "eq", "ne", "isclose", "isnan", "isinf", "isfinite", "signbit"}


def no_history(tensor: Tensor, position: int = 0) -> RuntimeError:
    """The error for a backward from a tensor that no recorded operation made."""
    words = f"element {position} of tensors does not require grad and does not have a grad_fn"
    lines, fix = why_cut(tensor)
    return explained(RuntimeError, words, lines=lines, fix=fix)


def why_cut(tensor: Tensor) -> tuple[list[Line], str]:
    """Why a tensor has no history, and what to do."""
    if tensor._cut is None:
        return never_had(tensor)
    reason, place = tensor._cut
    happened, fix = what_happened(reason)
    return [("Its history was cut at", place), f"{happened}."], fix


def what_happened(reason: str) -> tuple[str, str]:
    """What cut a history, and what to write instead; the reason may be the name of an op without derivative."""
    if reason in CUTS:
        return CUTS[reason]
    name = reason.lstrip("_")
    if name in POSITIONS:
        return (
            f"{name}() gives positions, which have no derivative",
            "use the values: max() or gather() where the position is known, softmax() as a soft choice",
        )
    if name in SAMPLES:
        return (
            f"a sample from {name}() has no derivative",
            "use the log-probability of the sample: distribution.log_prob(sample), or rsample() where there is one",
        )
    if name in COMPARISONS:
        return (
            f"a comparison ({name}) gives booleans, which have no derivative",
            "compute the loss from the values themselves; torch.sigmoid is a comparison that has a slope",
        )
    return f"{name}() has no derivative", f"compute the loss from what {name}() was given"


def never_had(tensor: Tensor) -> tuple[list[Line], str]:
    """For a tensor without a known cut: where it was made, and where values left the graph before."""
    lines: list[Line] = ["Nothing it was computed from requires grad."]
    if tensor._created is not None:
        lines = [("It was made at", tensor._created), "and does not require grad."]
    exits = last_exits(3)
    if not exits:
        return lines, (
            "create what should learn with requires_grad=True, or compute the loss from the outputs of a model "
            "whose parameters are not frozen"
        )
    lines += ["Values left the graph, as plain numbers, at", *[(" ", place) for _, place in exits]]
    return lines, (
        "if the loss was computed from those numbers, compute it from the tensors instead; else create what should "
        "learn with requires_grad=True, and see whether all parameters are frozen"
    )


def overwritten(node: Node, tensor: Tensor, expected: int) -> RuntimeError:
    """The error for a saved value that was changed in place before backward."""
    storage = tensor._storage
    assert storage is not None
    # a view that could not follow the write is the better message: it raises that
    _ = tensor.grad_fn
    words = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{tensor.type()} {list(tensor.shape)}] is at version {storage.version}; expected version {expected} instead."
    )
    lines = [(f"saved for {node.name()} at", node.place), ("changed at", storage.writer)]
    return explained(RuntimeError, words, lines=lines, fix=instead_of(tensor, storage.writer))


def instead_of(tensor: Tensor, writer: location.Location | None) -> str:
    """What to write instead of the line that changed a saved value."""
    if tensor._requires_grad and tensor._node is None:
        return (
            "the weights were changed between the forward pass and its backward: call backward() before "
            "optimizer.step(), or compute the loss again after the step"
        )
    shared = "; a view, and what detach() returns, share the memory: take a .clone() of those before writing"
    text = "" if writer is None else location.source(writer)
    if method := re.search(r"\.([a-z]\w*)_\(", text):
        return f"write y = y.{method[1]}(...) in place of y.{method[1]}_(...){shared}"
    if operator := re.search(r"(\*\*|//|<<|>>|[-+*/%@&|^])=", text):
        return f"write y = y {operator[1]} ... in place of y {operator[0]} ...{shared}"
    if re.search(r"\]\s*=(?!=)", text):
        return f"assign to a copy (y = y.clone() before the assignment), or use torch.where or torch.stack{shared}"
    return f"write the change out of place{shared}"


def leaf_write(target: Tensor, words: str) -> RuntimeError:
    """The error for an in-place operation on a leaf, whose gradient would belong to a value that is gone."""
    leaf = target if target._base is None else target._base
    lines: list[Line] = [("it is written to at", location.user_line())]
    if leaf._created is not None:
        lines.append(("the leaf was made at", leaf._created))
    return explained(
        RuntimeError,
        words,
        lines=lines,
        fix="put an update of a parameter under torch.no_grad(); elsewhere write the operation out of place "
        "(x = x + y, not x += y)",
    )


def freed(node: Node) -> RuntimeError:
    """The error for a second backward through values that the first one gave up."""
    words = (
        "Trying to backward through the graph a second time (or directly access saved tensors after they have "
        "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
        "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time."
    )
    lines = [(f"{node.name()} was made at", node.place)]
    if node.freed is not None:
        lines.append(("its values were freed by the backward at", node.freed[0]))
    return explained(RuntimeError, words, lines=lines, fix=second_backward(node))


def second_backward(node: Node) -> str:
    """`detach()` if the graph of an earlier backward is carried along, `retain_graph` if one graph serves twice."""
    from rushlight.autograd.engine import current_root

    root = current_root()
    if node.freed is not None and root is not None and root > node.freed[1]:
        return (
            "the new loss was computed after that backward from a tensor that still carries the old graph (a "
            "hidden state, a running value): cut it there with .detach(); retain_graph=True would keep every step "
            "in memory"
        )
    return "add the losses and call backward once, or pass retain_graph=True to the first backward"


def unused(position: int) -> RuntimeError:
    return RuntimeError(
        f"The differentiated Tensor at index {position} appears to not have been used in the graph. Set "
        "allow_unused=True if this is the desired behavior: no path leads from the outputs to it."
    )
