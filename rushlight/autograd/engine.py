"""The engine: backward through the graph, newest node first, without recursion."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np

from rushlight.autograd import accumulation, graph, hook_calls, reentrant
from rushlight.autograd.converted import dtype_for, noted
from rushlight.autograd.graph import Node
from rushlight.autograd.queue import LEAF, pop, push
from rushlight.core.memory.deferred import Deferred, resolved
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.object.views import make_view
from rushlight.core.settings.state import state
from rushlight.errors.location import user_line
from rushlight.native import extension
from rushlight.ops.machine.gradients import sum_to_shape


class Running(threading.local):
    """The backward that runs in this thread: its newest node, for messages, and what was asked of it."""

    root: int | None = None
    # (roots with their gradients, inputs, whether those accumulate), noted once somebody watches; new for each backward
    task: tuple | None = None


running = Running()
watched = False


def watch() -> None:
    """From now on each backward notes what was asked of it, for hooks on several gradients."""
    global watched
    watched = True
    if extension is not None:
        extension.connect(watcher=watch)


def current_root() -> int | None:
    """The newest node of the backward that runs in this thread."""
    return running.root or (None if extension is None else extension.current_root())


class Run:
    """One backward pass: the gradients that have arrived and the nodes that wait for theirs.

    A node is ready when every node that leads to it has run, whether or not a gradient came from there; a leaf that is
    ready goes before all nodes.
    """

    def __init__(self, keep_graph: bool, create_graph: bool, wanted: Wanted | None = None):
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.wanted = wanted
        self.ready: list[tuple[int, Node | Tensor]] = []
        self.arrived: dict[int, list] = {}
        # how many edges lead to a node or a leaf from nodes that have not run
        self.ahead: dict[int, int] = {}
        self.place = (user_line(), next(graph.sequence))

    def start(self, roots: list[tuple[Node | Tensor, int, Tensor]]) -> None:
        """Take the gradients to start from, and count what lies ahead."""
        for target, number, grad in roots:
            self.deliver(target, number, grad)
        targets = {id(target): target for target, _, _ in roots}
        self.ahead = count_ahead([each for each in targets.values() if isinstance(each, Node)])
        for target in targets.values():
            if not self.ahead.get(id(target)):
                self.queue(target)

    def queue(self, target: Node | Tensor, haste: int = 0) -> None:
        rank = target.number if isinstance(target, Node) and not target.runs_at_once else LEAF + haste
        push(self.ready, rank, target)

    def deliver(self, target: Node | Tensor, number: int, grad: Tensor | None) -> None:
        """Add a gradient to what its target has received so far."""
        grads = self.arrived.get(id(target))
        if grads is None:
            grads = self.arrived[id(target)] = [None] * (len(target.outputs) if isinstance(target, Node) else 1)
        if grad is not None:
            before = grads[number]
            grads[number] = grad if before is None else before + grad

    def run(self) -> None:
        """Every node once, when its gradients are complete."""
        before = state.grad, state.backward
        # inside of a function transform formulas must not look into arrays
        state.grad, state.backward = self.create_graph, not self.create_graph and not state.levels
        try:
            # not a loop here: Python 3.11 skips `finally` if a signal handler raises at a `continue`
            self.run_nodes(state.anomaly)
        finally:
            state.grad, state.backward = before

    def run_nodes(self, careful: bool) -> None:
        ready, arrived = self.ready, self.arrived
        while ready:
            target = pop(ready)
            grads = arrived.pop(id(target))
            if self.wanted is not None and not self.wanted.take(target, grads):
                continue
            if isinstance(target, Tensor):
                # not kept in the list: then it may be nobody else's
                hook_calls.store(target, grads.pop(), self.create_graph)
                continue
            if target.tensor_hooks is not None:
                hook_calls.run_tensor_hooks(target, grads)
            found = self.apply(target, grads, careful)
            if not self.keep_graph and not (self.wanted is not None and self.ends_in(target)):
                target.release(self.place)
            del grads
            self.pass_on(target, found)

    def apply(self, node: Node, grads: list, careful: bool) -> list:
        asked = None if self.wanted is None else [self.leads_on(each) for each in node.edges]
        if careful or node.pre_hooks is not None or node.post_hooks is not None:
            return hook_calls.apply_carefully(node, grads, asked)
        if not node.runs_on(grads):
            return node.pass_nothing()
        return node.apply(grads) if asked is None else node.apply_wanted(grads, asked)

    def pass_on(self, node: Node, found: list) -> None:
        """Send the gradients a node has computed along its edges, each in its target's shape and dtype."""
        numbers, edges = node.numbers, node.edges
        for position, target in enumerate(edges):
            if target is None or found[position] is None or not self.leads_on(target):
                continue
            found[position] = fitted(node, position, target, found[position])
            if isinstance(found[position]._array, Deferred) and not self.create_graph:
                # a gradient has memory of its own, also that of a conjugate
                found[position] = wrap(resolved(found[position]._array))
        order = node.delivery()
        for turn, position in enumerate(order):
            target = edges[position]
            if target is None:
                continue
            leads_on = self.leads_on(target)
            if leads_on:
                self.deliver(target, 0 if numbers is None else numbers[position], found[position])
            found[position] = None
            key = id(target)
            self.ahead[key] -= 1
            if leads_on and not self.ahead[key]:
                # a list is served one by one; what goes out at once is equal
                self.queue(target, len(order) - turn if isinstance(order, list) else 0)

    def ends_in(self, node: Node) -> bool:
        """Whether it runs for its own gradient alone, as a last step that saves nothing in torch."""
        return type(node).__name__ in SAVING_NOTHING and not any(map(self.leads_on, node.edges))

    def leads_on(self, target: Node | Tensor | None) -> bool:
        """Whether a gradient is wanted there, or on its way to one that is."""
        return self.wanted is None or id(target) in self.wanted.leading


# torch's last step of what is several nodes there: this one saves nothing that a backward could free
SAVING_NOTHING = frozenset(
    f"{kind}Backward{form}"
    for form in range(6)
    for kind in (
        "Add",
        "Clone",
        "Mean",
        "Neg",
        "Permute",
        "Rsub",
        "Squeeze",
        "Sub",
        "Sum",
        "Transpose",
        "UnsafeView",
        "View",
    )
)


class Wanted:
    """The gradients that `autograd.grad` and `inputs=` ask for, and the nodes that lead to them."""

    def __init__(self, edges: list[tuple[Node | Tensor, int]], roots: list, accumulating: bool):
        self.accumulating = accumulating
        self.places: dict[int, list[tuple[int, int]]] = {}
        for place, (edge, number) in enumerate(edges):
            self.places.setdefault(id(edge), []).append((place, number))
        self.needed = reaching(roots, set(self.places))
        # those, and what is on the way to them
        self.leading = self.needed | set(self.places)
        if accumulating:
            self.needed = self.leading
        self.found: list[Tensor | None] = [None] * len(edges)

    def take(self, target: Node | Tensor, grads: list) -> bool:
        """Keep the gradients that were asked for; whether the target must run for others."""
        runs = id(target) in self.needed
        if not runs:
            if isinstance(target, Tensor):
                grads = [hook_calls.run_leaf_hooks(target, grads[0])]
            elif target.tensor_hooks is not None:
                hook_calls.run_tensor_hooks(target, grads)
        for place, number in () if self.accumulating else self.places.get(id(target), ()):
            self.found[place] = grads[number]
        return runs


def count_ahead(roots: list[Node]) -> dict[int, int]:
    """For each node and leaf that can be reached, how many edges lead there."""
    ahead: dict[int, int] = {}
    stack, seen = list(roots), {id(root) for root in roots}
    while stack:
        for each in stack.pop().edges:
            if each is None:
                continue
            key = id(each)
            ahead[key] = ahead.get(key, 0) + 1
            if key not in seen and isinstance(each, Node):
                seen.add(key)
                stack.append(each)
    return ahead


def fitted(node: Node, position: int, target: Node | Tensor, grad: Tensor) -> Tensor:
    """A gradient in the shape and dtype of what its edge leads to."""
    if isinstance(target, Node):
        shape, kind = target.outputs[0 if node.numbers is None else node.numbers[position]]
    else:
        shape, kind = target._array.shape, target._array.dtype
    if grad._array.shape == shape and grad._array.dtype is kind:
        return grad
    return fit(grad, shape, kind, node, position)


def fit(grad: Tensor, shape: tuple, kind: np.dtype, node: Node, position: int) -> Tensor:
    """A gradient of its input's shape and dtype: broadcasting and promotion undone, once for all formulas."""
    array = grad._array
    if array.shape != shape:
        grad = sum_to_shape(grad, shape, node, position)
    if array.dtype != kind and noted and node is not None:
        kind = dtype_for(node, position, kind)
    if array.dtype != kind:
        if array.dtype.kind == "c" and kind.kind != "c":
            grad = grad.real
        grad = grad.to(dtypes.from_numpy(kind))
    return grad


def reaching(roots: list[Node | Tensor | None], wanted: set[int]) -> set[int]:
    """Which nodes have a path to one of the wanted edges; those alone need to run."""
    nodes: dict[int, tuple[Node, tuple]] = {}
    stack = [root for root in roots if isinstance(root, Node)]
    while stack:
        node = stack.pop()
        if node.number not in nodes:
            edges = node.edges
            nodes[node.number] = node, edges
            stack.extend([each for each in edges if isinstance(each, Node) and each.number not in nodes])
    needed: set[int] = set()
    for number in sorted(nodes):
        node, edges = nodes[number]
        # None is neither
        if not needed.isdisjoint(map(id, edges)) or not wanted.isdisjoint(map(id, edges)):
            needed.add(id(node))
    return needed


Edge = tuple[Node | Tensor, int]


def backward(
    roots: list[tuple[Node | Tensor, int, Tensor]],
    keep_graph: bool,
    create_graph: bool,
    inputs: list[Edge] | None = None,
    accumulating: bool = False,
) -> list | None:
    """Run backward from edges with their gradients; with `inputs`, only to those edges.

    The gradients of `inputs` are returned, or stored in leaves if it is `accumulating`.
    """
    if not watched:
        return run_backward(roots, keep_graph, create_graph, inputs, accumulating)
    outer, running.task = running.task, (roots, inputs, accumulating)
    try:
        return run_backward(roots, keep_graph, create_graph, inputs, accumulating)
    finally:
        running.task = outer


def as_views(found: list[Tensor | None]) -> list[Tensor | None]:
    """What native code has brought: one tensor for one array, and views where an array is a part of another."""
    if len(found) == 1 and (found[0] is None or found[0]._array.base is None):
        # one gradient on its own memory, the usual answer: 0.4 us less
        return found
    made: dict[int, Tensor] = {}
    for grad in found:
        if grad is not None:
            made.setdefault(id(grad._array), grad)
    bases: dict[int, Tensor] = {}
    for key, grad in list(made.items()):
        below = grad._array.base
        if isinstance(below, np.ndarray) and grad._base is None:
            base = made.get(id(below))
            if base is None:
                base = bases.setdefault(id(below), wrap(below))
            made[key] = view = make_view(base, grad._array)
            view._made = "no_grad"
    return [None if grad is None else made[id(grad._array)] for grad in found]


def needs_python(roots: list) -> bool:
    """Whether gradients are lifted or have no memory; native code knows neither."""
    if state.levels:
        return True
    return any([type(each[-1]._array) in (Meta, Lifted) for each in roots])


def may_end_in(inputs: list[Edge]) -> bool:
    """Whether a backward may end in a node that shows torch's last step only; native code knows no steps."""
    return any([type(target).__name__ in SAVING_NOTHING for target, _ in inputs])


def run_backward(
    roots: list, keep_graph: bool, create_graph: bool, inputs: list[Edge] | None, accumulating: bool
) -> list | None:
    if reentrant.is_deep():
        return reentrant.in_new_thread(run_backward, roots, keep_graph, create_graph, inputs, accumulating)
    in_python = create_graph or needs_python(roots) or (accumulating and inputs is not None and may_end_in(inputs))
    if extension is not None and not in_python:
        found = extension.run_backward(roots, keep_graph, *(() if inputs is None else (inputs, accumulating)))
        return found if found is None else as_views(found)
    wanted = None if inputs is None else Wanted(inputs, [target for target, _, _ in roots], accumulating)
    run = Run(keep_graph, create_graph, wanted)
    run.start(roots)
    outer, running.root = running.root, max([rank for rank, each in run.ready if isinstance(each, Node)], default=0)
    reentrant.depth.count += 1
    try:
        run.run()
    finally:
        running.root = outer
        reentrant.depth.count -= 1
    return None if wanted is None or accumulating else wanted.found


if extension is not None:
    extension.connect(
        run_node_hooks=hook_calls.run_tensor_hooks,
        apply_carefully=hook_calls.apply_carefully,
        fit=fit,
        run_leaf_hooks=hook_calls.run_leaf_hooks,
        run_last_hooks=hook_calls.run_last_hooks,
        # native code wraps its arrays for the call: that they are alone shows in them
        accumulate=partial(accumulation.accumulate, wrapped=True),
        store=partial(hook_calls.store, wrapped=True),
    )
