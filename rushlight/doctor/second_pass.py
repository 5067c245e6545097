"""A second pass over a graph: which node made the first gradient that is not finite, after a backward has run."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.engine import Run
from rushlight.autograd.graph import Node, OpNode
from rushlight.autograd.queue import pop
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.doctor.clues import GENERAL, Clue, clue_at_singular_point, clue_of_gradient
from rushlight.doctor.finite import is_finite

# larger graphs are not kept: to hold on to them would be seen
MOST_NODES = 20_000


class Found(Exception):
    """Ends the pass."""

    def __init__(self, node: Node, edge: int, arriving: list, leaving: Tensor | None):
        self.node = node
        self.edge = edge
        self.arriving = arriving
        self.leaving = leaving
        # read off what the node saved, which the pass puts away again
        self.clue = clue_of_gradient(self.name, self)

    @property
    def name(self) -> str:
        return self.node.op.name if isinstance(self.node, OpNode) else type(self.node).__name__


class Probe(Run):
    """A backward that stores nothing, calls no hook of the program and stops at a gradient that is not finite."""

    def run_nodes(self, careful: bool) -> None:
        while self.ready:
            target = pop(self.ready)
            grads = self.arrived.pop(id(target))
            if isinstance(target, Tensor):
                continue
            if not isinstance(target, OpNode):
                # the program's own backward may do more than compute: it is not run again
                raise Found(target, 0, grads, None)
            found = target.apply(grads) if target.runs_on(grads) else [None] * len(target.edges)
            for edge, each in enumerate(found):
                if isinstance(each, Tensor) and type(each._array) is np.ndarray and not is_finite(each._array):
                    raise Found(target, edge, grads, each)
            self.pass_on(target, found)


class Kept:
    """What the nodes behind the roots have saved, held until the backward is over: it may free them meanwhile."""

    def __init__(self, roots: list[Tensor]):
        self.roots = [each for each in roots if isinstance(each.grad_fn, Node)]
        self.saved: list[tuple[OpNode, Any]] = []
        self.versions: list = []
        self.leaves: list[Tensor] = []
        seen: set[int] = set()
        stack: list = [each.grad_fn for each in self.roots]
        while stack and len(seen) < MOST_NODES:
            each = stack.pop()
            if each is None or id(each) in seen:
                continue
            seen.add(id(each))
            if isinstance(each, Tensor):
                self.leaves.append(each)
                continue
            if isinstance(each, OpNode):
                # not `saved`: a node whose lists Python holds would be left to its formula, which rounds differently
                values, versions = each.looked_at or (None, None)
                self.saved.append((each, values))
                self.versions.append(versions)
            stack.extend(each.edges)

    def bad_leaf(self) -> Tensor | None:
        """A leaf whose gradient is not finite now."""
        for each in self.leaves:
            grad = each._grad
            if grad is not None and type(grad._array) is np.ndarray and not is_finite(grad._array):
                return each
        return None

    def find(self) -> Found | None:
        """The first node whose gradients are finite on one side and not on the other; the graph is left as it was."""
        starts: list = [(each.grad_fn, each._output, one_like(each)) for each in self.roots if each._array.size == 1]
        freed = [node for node, saved in self.saved if node.saved is None and saved is not None]
        for (node, saved), versions in zip(self.saved, self.versions, strict=True):
            node.saved, node.versions = saved, versions
        run = Probe(keep_graph=True, create_graph=False)
        try:
            run.start(starts)
            run.run()
        except Found as found:
            return found
        except (RuntimeError, TypeError):
            # values that were overwritten since, or hooks of the program's that have done their work
            return None
        finally:
            for node in freed:
                node.saved = None
        return None

    def first_bad(self) -> tuple[Node, Clue | None] | None:
        """The node from which a loss that is not finite came, as far as saved values tell, and what they say about it.

        Known are the values that some node saved. The oldest that is bad is behind all others; between it and the last
        ones that are known to be good, the first call at a singular point is the origin.
        """
        known = self.known_outputs()
        bad = [node for node, _ in self.saved if known.get(id(node)) is False]
        if not self.roots:
            return None
        start: Any = min(bad, key=lambda node: node.number) if bad else self.roots[0].grad_fn
        found: list[tuple[int, Node, Clue | None]] = []
        saved = {id(node): values for node, values in self.saved}
        stack, seen = [start], set()
        while stack:
            node = stack.pop()
            if not isinstance(node, OpNode) or id(node) in seen or known.get(id(node)) is True:
                continue
            seen.add(id(node))
            clue = singular(node, saved.get(id(node)))
            if clue is not None:
                found.append((node.number, node, clue))
            stack.extend(node.edges)
        return min(found, key=lambda each: each[0])[1:] if found else (start, None)

    def known_outputs(self) -> dict[int, bool]:
        """Of the nodes whose result somebody saved: whether it is finite."""
        known: dict[int, bool] = {}
        for node, saved in self.saved:
            if saved is None or node.plan.has_lists:
                continue
            for (kind, position), value in zip(node.plan.sources, saved, strict=True):
                if not isinstance(value, Tensor) or type(value._array) is not np.ndarray:
                    continue
                if kind == "result":
                    known[id(node)] = is_finite(value._array)
                elif kind in ("argument", "memory") and position in node.plan.inputs:
                    target = node.edges[list(node.plan.inputs).index(position)]
                    known[id(target)] = is_finite(value._array)
        return known

    def bad_data(self) -> Tensor | None:
        """A leaf or another argument of a node that is not finite itself."""
        for leaf in self.leaves:
            if not is_finite(leaf._array):
                return leaf
        return None


def singular(node: OpNode, saved: list | None) -> Clue | None:
    """What the saved arguments of a node say about a call at a point where it has no finite value."""
    if saved is None:
        return None
    args: list = [None] * len(node.op.names)
    for (kind, position), value in zip(node.plan.sources, saved, strict=True):
        if kind in ("argument", "memory"):
            args[position] = value
        elif kind == "result" and isinstance(value, Tensor) and not is_finite(value._array):
            return Clue("gave a result that is not finite", GENERAL)
    if any([isinstance(each, Tensor) and not is_finite(each._array) for each in args]):
        return None
    return clue_at_singular_point(node.op.name, tuple(args))


def one_like(root: Tensor) -> Tensor:
    return wrap(np.ones(root._array.shape, root._array.dtype))
