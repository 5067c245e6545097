"""Calling hooks: when the user's functions run during a backward, and what they may return."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import modes
from rushlight.autograd.accumulation import accumulate
from rushlight.autograd.graph import Node, OpNode
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor


def run_tensor_hooks(node: Node, grads: list) -> None:
    """Hooks of the node's outputs may replace their gradients; `retain_grad` sees the result."""
    hooked = [(number, dict(hooks)) for number, hooks in (node.tensor_hooks or {}).items()]
    for number, hooks in hooked:
        for key, hook in hooks.items():
            if key != "retain":
                grads[number] = gradient_from(hook, hook(grads[number]), grads[number])
    for number, hooks in hooked:
        if "retain" in hooks and grads[number] is not None:
            hooks["retain"](grads[number])


def run_leaf_hooks(leaf: Tensor, grad: Tensor | None) -> Tensor | None:
    """The leaf's own hooks may replace its gradient."""
    for hook in list((leaf._hooks or {}).values()):
        grad = gradient_from(hook, hook(grad), grad)
    return grad


def accumulator_of(leaf: Tensor) -> Node | None:
    """The node of a leaf, if somebody has looked at it."""
    return leaf._accumulate() if leaf._accumulate is not None else None


def store(leaf: Tensor, grad: Tensor | None, create_graph: bool, wrapped: bool = False) -> None:
    """A gradient goes to its leaf, through all hooks there are on the way."""
    grad = run_leaf_hooks(leaf, grad)
    known = accumulator_of(leaf)
    grads = [grad] if known is None or known.pre_hooks is None else run_pre_hooks(known, [grad])
    grad = None
    # one that no longer requires grad gets none, and its hooks are called all the same
    if grads[0] is not None and leaf._requires_grad:
        accumulate(leaf, grads[0], create_graph, wrapped)
    run_last_hooks(leaf)
    if known is not None and known.post_hooks is not None:
        run_post_hooks(known, [], grads)


def run_last_hooks(leaf: Tensor) -> None:
    """The hooks that see a leaf after its gradient was added."""
    for hook in list((leaf._post_hooks or {}).values()):
        given = hook(leaf)
        if given is not None and not isinstance(given, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(given).__name__}': it returns None")


def apply_carefully(node: Node, grads: list, wanted: list[bool] | None = None) -> list:
    """Run a node with its hooks around it and, in anomaly mode, with its gradients checked."""
    if node.pre_hooks is not None:
        grads = run_pre_hooks(node, grads)
    if not node.runs_on(grads):
        found: list = node.pass_nothing()
    elif modes.state.anomaly:
        from rushlight.autograd import anomaly

        found = anomaly.apply(node, grads, wanted)
    else:
        found = node.apply(grads) if wanted is None else node.apply_wanted(grads, wanted)
    if node.post_hooks is None:
        return found
    if isinstance(node, OpNode):
        from rushlight.autograd.engine import fitted

        # a user's Function shows what it gave, an op what is wanted of it
        asked = [True] * len(found) if wanted is None else wanted
        found = [
            None if not asked[place] else each if target is None or each is None else fitted(node, place, target, each)
            for place, (target, each) in enumerate(zip(node.edges, found, strict=True))
        ]
    return run_post_hooks(node, found, grads)


def shown_outputs(node: Node, count: int) -> list[int]:
    """The outputs that hooks see: torch has no places for indices, which have no gradients."""
    if not isinstance(node, OpNode):
        return list(range(count))
    return [place for place, (_, kind) in enumerate(node.outputs) if kind in DIFFERENTIABLE]


def run_pre_hooks(node: Node, grads: list) -> list:
    places = shown_outputs(node, len(grads))
    shown = [grads[place] for place in places]
    for hook in list((node.pre_hooks or {}).values()):
        shown = replaced_all(hook, hook(tuple(shown)), shown)
    found = list(grads)
    for place, each in zip(places, shown, strict=True):
        found[place] = each
    return found


def run_post_hooks(node: Node, found: list, grads: list) -> list:
    slots = node.slots()
    shown = [None if place is None else found[place] for place in slots]
    outputs = tuple([grads[place] for place in shown_outputs(node, len(grads))])
    for hook in list((node.post_hooks or {}).values()):
        shown = replaced_all(hook, hook(tuple(shown), outputs), shown)
    found = [None] * len(found)
    for place, each in zip(slots, shown, strict=True):
        if place is not None:
            found[place] = each
    return found


def replaced_all(hook: Any, given: Any, values: list) -> list:
    """What a hook of a node returned for all its gradients; those it was called with, if nothing."""
    if given is None:
        return values
    if not isinstance(given, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(given).__name__}'")
    if len(given) != len(values):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values (got {len(given)}, but expected "
            f"{len(values)})"
        )
    return [
        None if each is None else gradient_from(hook, each, value) for each, value in zip(given, values, strict=True)
    ]


def gradient_from(hook: Any, given: Any, value: Tensor | None) -> Tensor | None:
    """What a hook returned in place of a gradient; the gradient, if nothing."""
    if given is None:
        return value
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(given, Tensor):
        raise TypeError(
            f"expected Variable, but hook returned '{type(given).__name__}': a hook returns a Tensor or None"
        )
    if given._array.dtype != value._array.dtype:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the type of value (was {value.type()} got {given.type()})"
        )
    if given._array.shape != value._array.shape:
        raise RuntimeError(
            f"hook '{name_of(hook)}' has changed the size of value: the gradient has shape {list(value.shape)}, the "
            f"hook returned {list(given.shape)}"
        )
    return given


def name_of(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")
