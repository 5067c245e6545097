"""The engine: backward through the graph, newest node first, without recursion."""

from __future__ import annotations

import threading
from heapq import heappop, heappush
from typing import Any

import numpy as np

from rushlight.autograd import graph, modes
from rushlight.autograd.graph import Node, edge_of
from rushlight.core import dtypes
from rushlight.core.deferred import resolved
from rushlight.core.layout import empty_with_strides, is_dense
from rushlight.core.location import user_line
from rushlight.core.strides import strides_of
from rushlight.core.tensor import Tensor, storage_of, wrap
from rushlight.native import core
from rushlight.ops.gradients import sum_to_shape

# two threads may bring gradients to one leaf at the same time
accumulating = threading.Lock()


class Running(threading.local):
    """The backward that runs in this thread: its newest node, for messages, and what was asked of it."""

    root: int | None = None
    # (roots with their gradients, inputs), noted once somebody watches; a new tuple for each backward
    task: tuple | None = None


running = Running()
watched = False


def watch() -> None:
    """From now on each backward notes what was asked of it, for hooks on several gradients."""
    global watched
    watched = True
    if core is not None:
        core.connect(watcher=watch)


def current_root() -> int | None:
    """The newest node of the backward that runs in this thread."""
    return running.root or (None if core is None else core.current_root())


class Run:
    """One backward pass: the gradients that have arrived and the nodes that wait for theirs."""

    def __init__(self, keep_graph: bool, create_graph: bool, captured: dict | None = None, needed: set | None = None):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        # `autograd.grad` and `inputs=`: {(edge, output): gradient}, and the nodes that lead there; else None
        self.captured: Any = captured
        self.needed: Any = needed
        # by age, newest first; numbers are unique, so nodes themselves are never compared
        self.waiting: list[tuple[int, Node]] = []
        self.arrived: dict[Node, list] = {}
        self.leaves: dict[int, list] = {}
        self.place = (user_line(), next(graph.sequence))

    def deliver(self, target: Node | Tensor, number: int, grad: Tensor) -> None:
        """Add a gradient to what its target has received so far."""
        if isinstance(target, Tensor):
            found = self.leaves.get(id(target))
            if found is None:
                self.leaves[id(target)] = [target, grad]
            else:
                found[1] = found[1] + grad
            return
        grads = self.arrived.get(target)
        if grads is None:
            grads = self.arrived[target] = [None] * len(target.outputs)
            heappush(self.waiting, (-target.number, target))
        before = grads[number]
        grads[number] = grad if before is None else before + grad

    def run(self) -> None:
        """Every node once, when all newer ones have run: then its gradient is complete."""
        waiting, arrived, captured = self.waiting, self.arrived, self.captured
        state = modes.state
        before = state.grad, state.backward
        state.grad, state.backward = self.create_graph, not self.create_graph
        careful = state.anomaly
        try:
            while waiting:
                node = heappop(waiting)[1]
                grads = arrived.pop(node)
                if node.tensor_hooks is not None:
                    run_tensor_hooks(node, grads)
                if captured is not None and not self.capture(node, grads):
                    continue
                if careful or node.pre_hooks is not None or node.post_hooks is not None:
                    found = apply_carefully(node, grads)
                elif grads[0] is not None or any([grad is not None for grad in grads]):
                    found = node.apply(grads)
                else:
                    continue
                if not self.keep_graph:
                    node.release(self.place)
                self.pass_on(node, found)
            self.finish_leaves()
        finally:
            state.grad, state.backward = before

    def pass_on(self, node: Node, found: list) -> None:
        """Send the gradients a node has computed along its edges."""
        numbers = node.numbers
        for position, target in enumerate(node.edges):
            grad = found[position]
            if target is None or grad is None:
                continue
            number = 0 if numbers is None else numbers[position]
            if self.captured is not None and not self.leads_on(target, number):
                continue
            if isinstance(target, Tensor):
                shape, kind = target._array.shape, target._array.dtype
            else:
                shape, kind = target.outputs[number]
            if grad._array.shape != shape or grad._array.dtype is not kind:
                grad = fit(grad, shape, kind, node, position)
            if type(grad._array) is not np.ndarray and not self.create_graph:
                # a gradient has memory of its own, also that of a conjugate
                grad = wrap(resolved(grad._array))
            self.deliver(target, number, grad)

    def leads_on(self, target: Node | Tensor, number: int) -> bool:
        """Whether a gradient is asked for, or on its way to one that is."""
        return (id(target), number) in self.captured or id(target) in self.needed

    def capture(self, node: Node, grads: list) -> bool:
        """Keep the gradients that were asked for; whether the node must run for others."""
        for number, grad in enumerate(grads):
            if (id(node), number) in self.captured:
                self.captured[id(node), number] = grad
        return id(node) in self.needed

    def finish_leaves(self) -> None:
        for leaf, grad in self.leaves.values():
            if self.captured is not None:
                if (id(leaf), 0) in self.captured:
                    self.captured[id(leaf), 0] = run_leaf_hooks(leaf, grad)
                continue
            if leaf._requires_grad:
                if leaf._hooks is not None or leaf._accumulate is not None:
                    grad = run_leaf_hooks(leaf, grad)
                accumulate(leaf, grad, self.create_graph)


def apply_carefully(node: Node, grads: list) -> list:
    """Run a node with its hooks around it and, in anomaly mode, with its gradients checked."""
    if node.pre_hooks is not None:
        grads = run_pre_hooks(node, grads)
    if all([grad is None for grad in grads]):
        return [None] * len(node.edges)
    if modes.state.anomaly:
        from rushlight.autograd import anomaly

        found = anomaly.apply(node, grads)
    else:
        found = node.apply(grads)
    return found if node.post_hooks is None else run_post_hooks(node, found, grads)


def fit(grad: Tensor, shape: tuple, kind: np.dtype, node: Node, position: int) -> Tensor:
    """A gradient of its input's shape and dtype: broadcasting and promotion undone, once for all formulas."""
    array = grad._array
    if array.shape != shape:
        grad = sum_to_shape(grad, shape, node, position)
    if array.dtype != kind:
        if array.dtype.kind == "c" and kind.kind != "c":
            grad = grad.real
        grad = grad.to(dtypes.from_numpy(kind))
    return grad


def accumulate(leaf: Tensor, grad: Tensor, create_graph: bool) -> None:
    """Add to a leaf's `.grad`; the first gradient becomes it, copied unless it is nobody else's."""
    with accumulating:
        if leaf._grad is None:
            # copied: formulas may pass on a gradient, a saved value or a view
            leaf._grad = grad if create_graph else wrap(copy_for(leaf._array, grad._array))
        elif create_graph or leaf._grad._requires_grad:
            leaf._grad = leaf._grad + grad
        else:
            held = leaf._grad._array
            np.add(held, grad._array, held, casting="same_kind")
            storage_of(leaf._grad).version += 1
    if leaf._post_hooks is not None:
        for hook in list(leaf._post_hooks.values()):
            hook(leaf)


def copy_for(leaf: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """The gradient in memory of its own: in the order of a dense leaf, contiguous otherwise."""
    if leaf.flags.c_contiguous or not is_dense(leaf.shape, strides_of(leaf)):
        return grad.copy()
    found = empty_with_strides(leaf.shape, strides_of(leaf), grad.dtype)
    found[...] = grad
    return found


def run_tensor_hooks(node: Node, grads: list) -> None:
    """Hooks of the node's outputs may replace their gradients; `retain_grad` sees the result."""
    for number, hooks in (node.tensor_hooks or {}).items():
        for key in sorted(hooks, key=lambda each: each == "retain"):
            if grads[number] is None:
                continue
            replaced = hooks[key](grads[number])
            if replaced is not None and key != "retain":
                grads[number] = check_hook(replaced, grads[number])


def run_leaf_hooks(leaf: Tensor, grad: Tensor) -> Tensor:
    if leaf._hooks is not None:
        for hook in list(leaf._hooks.values()):
            replaced = hook(grad)
            if replaced is not None:
                grad = check_hook(replaced, grad)
    known = leaf._accumulate() if leaf._accumulate is not None else None
    if known is not None and known.pre_hooks is not None:
        grad = run_pre_hooks(known, [grad])[0]
    if known is not None and known.post_hooks is not None:
        run_post_hooks(known, [], [grad])
    return grad


def check_hook(replaced: Any, grad: Tensor) -> Tensor:
    if not isinstance(replaced, Tensor):
        raise TypeError(
            f"hook '{type(replaced).__name__}' has returned a value of the wrong type: a hook returns a Tensor or None"
        )
    if replaced._array.shape != grad._array.shape:
        raise RuntimeError(
            f"hook has changed the size of value: the gradient has shape {list(grad.shape)}, "
            f"the hook returned {list(replaced.shape)}"
        )
    return replaced


def run_pre_hooks(node: Node, grads: list) -> list:
    for hook in list((node.pre_hooks or {}).values()):
        replaced = hook(tuple(grads))
        if replaced is not None:
            grads = list(replaced) if isinstance(replaced, (tuple, list)) else [replaced]
    return grads


def run_post_hooks(node: Node, found: list, grads: list) -> list:
    for hook in list((node.post_hooks or {}).values()):
        replaced = hook(tuple(found), tuple(grads))
        if replaced is not None:
            found = list(replaced) if isinstance(replaced, (tuple, list)) else [replaced]
    return found


def reaching(roots: list[Node | Tensor | None], wanted: set[int]) -> set[int]:
    """Which nodes have a path to one of the wanted edges; those alone need to run."""
    nodes, stack = {}, [root for root in roots if isinstance(root, Node)]
    while stack:
        node = stack.pop()
        if node.number not in nodes:
            nodes[node.number] = node
            stack.extend(each for each in node.edges if isinstance(each, Node) and each.number not in nodes)
    needed: set[int] = set()
    for number in sorted(nodes):
        if any(each is not None and (id(each) in wanted or id(each) in needed) for each in nodes[number].edges):
            needed.add(id(nodes[number]))
    return needed


def backward(
    roots: list[tuple[Tensor, Tensor]], keep_graph: bool, create_graph: bool, inputs: list[Tensor] | None = None
) -> list | None:
    """Run backward from (tensor, gradient) pairs; with `inputs`, return their gradients instead of storing them."""
    if not watched:
        return run_backward(roots, keep_graph, create_graph, inputs)
    outer, running.task = running.task, (roots, inputs)
    try:
        return run_backward(roots, keep_graph, create_graph, inputs)
    finally:
        running.task = outer


def run_backward(roots: list, keep_graph: bool, create_graph: bool, inputs: list[Tensor] | None) -> list | None:
    if core is not None and not create_graph:
        wanted = () if inputs is None else ([(edge_of(each), each._output) for each in inputs],)
        return core.run_backward(roots, keep_graph, *wanted)
    captured = needed = None
    if inputs is not None:
        edges = [(edge_of(each), each._output) for each in inputs]
        captured = {(id(edge), number): None for edge, number in edges}
        needed = reaching([edge_of(root) for root, _ in roots], {id(edge) for edge, _ in edges})
    run = Run(keep_graph, create_graph, captured, needed)
    for root, grad in roots:
        run.deliver(root.grad_fn or root, root._output, grad)
    outer, running.root = running.root, max([-number for number, _ in run.waiting], default=0)
    try:
        run.run()
    finally:
        running.root = outer
    return None if captured is None else [captured[id(edge), number] for edge, number in edges]


if core is not None:
    core.connect(
        run_node_hooks=run_tensor_hooks,
        apply_carefully=apply_carefully,
        fit=fit,
        run_leaf_hooks=run_leaf_hooks,
        accumulate=accumulate,
    )
