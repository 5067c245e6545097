"""Rewriting: every place in a graph that looks like a pattern is replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node, map_arg

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """Where a pattern was found: the node that gives its result, and what stands for each of its nodes."""

    anchor: Node
    nodes_map: dict[Node, Any]


class ReplacedPatterns(NamedTuple):
    """The same, with the nodes that were put there."""

    anchor: Node
    nodes_map: dict[Node, Any]
    replacements: list[Node]


def graph_of(given: Any) -> Graph:
    if isinstance(given, Graph):
        return given
    return given.graph if hasattr(given, "graph") else symbolic_trace(given).graph


def results_of(graph: Graph) -> list[Node]:
    """The nodes that a graph returns."""
    return graph.output_node().all_input_nodes


class Matcher:
    """One attempt to find a pattern at a node."""

    def __init__(self, pattern: Graph, inside: Any, used: set[Node]):
        self.inside, self.used = inside, used
        self.returned = set(results_of(pattern))
        self.found: dict[Node, Any] = {}

    def matches(self, pattern: Any, value: Any) -> bool:
        """Whether a value looks like a part of the pattern."""
        if not isinstance(pattern, Node):
            return self.same(pattern, value)
        if pattern in self.found:
            return self.found[pattern] is value or (not isinstance(value, Node) and self.found[pattern] == value)
        if pattern.op == "placeholder":
            self.found[pattern] = value
            return True
        if not isinstance(value, Node) or value in self.used or pattern.op != value.op:
            return False
        if pattern.op != "get_attr" and pattern.target != value.target:
            return False
        if pattern not in self.returned and len(pattern.users) != len(value.users):
            return False
        self.found[pattern] = value
        if self.same(pattern.args, value.args) and self.same(dict(pattern.kwargs), dict(value.kwargs)):
            return True
        del self.found[pattern]
        return False

    def same(self, pattern: Any, value: Any) -> bool:
        """Whether arguments look alike."""
        if isinstance(pattern, Node):
            return self.matches(pattern, value)
        if isinstance(pattern, (list, tuple)):
            alike = isinstance(value, (list, tuple)) and len(pattern) == len(value)
            return alike and all(self.same(one, other) for one, other in zip(pattern, value, strict=True))
        if isinstance(pattern, dict):
            alike = isinstance(value, dict) and pattern.keys() == value.keys()
            return alike and all(self.same(pattern[key], value[key]) for key in pattern)
        return type(pattern) is type(value) and pattern == value


def find(module: Any, pattern: Graph) -> list[dict[Node, Any]]:
    """The places where a pattern stands, none of which overlaps another."""
    anchors = results_of(pattern)
    used: set[Node] = set()
    found = []
    for node in module.graph.nodes:
        matcher = Matcher(pattern, module, used)
        if anchors and matcher.matches(anchors[0], node) and all(each in matcher.found for each in anchors):
            inner = [each for key, each in matcher.found.items() if key.op != "placeholder"]
            if hidden(matcher, inner):
                used.update(inner)
                found.append(matcher.found)
    return found


def hidden(matcher: Matcher, inner: list[Node]) -> bool:
    """Whether nobody outside uses what the pattern does not return."""
    shown = {matcher.found[each] for each in matcher.returned if each in matcher.found}
    return all(user in inner for node in inner if node not in shown for user in node.users)


def replace_pattern(gm: Any, pattern: Callable | Any, replacement: Callable | Any) -> list[Match]:
    """Replace every place that looks like `pattern` by `replacement`, functions of the same arguments."""
    done = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(each.anchor, each.nodes_map) for each in done]


def replace_pattern_with_filters(
    gm: Any,
    pattern: Callable | Any,
    replacement: Callable | Any = None,
    match_filters: list[Callable] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """The same where all filters say yes; they get the match and both graphs."""
    wanted = graph_of(pattern)
    given = None if replacement is None else graph_of(replacement)
    done: list[ReplacedPatterns] = []
    changed: dict[Node, Node] = {}
    for nodes_map in find(gm, wanted):
        match = Match(results_of(wanted)[0], nodes_map)
        if not all(accepts(match, gm.graph, wanted) for accepts in match_filters or ()):
            continue
        new = given if given is not None else graph_of(replacement_callback(match, gm.graph, wanted))  # type: ignore[misc]
        done.append(replace(gm, wanted, new, nodes_map, changed))
    gm.recompile()
    return done


def first_user(results: list[Node]) -> Node | None:
    """Where torch puts a replacement: before the first node that uses a result of the pattern."""
    return min((user for each in results for user in each.users), default=None)


def replace(
    gm: Any, wanted: Graph, new: Graph, nodes_map: dict[Node, Any], changed: dict[Node, Node]
) -> ReplacedPatterns:
    """Put the replacement where the pattern was found."""
    pattern_inputs = [node for node in wanted.nodes if node.op == "placeholder"]
    new_inputs = [node for node in new.nodes if node.op == "placeholder"]
    if len(pattern_inputs) != len(new_inputs):
        raise AssertionError("pattern and replacement have another number of arguments")
    val_map: dict[Node, Any] = {}
    for one, other in zip(pattern_inputs, new_inputs, strict=True):
        value = nodes_map.get(one)
        val_map[other] = changed.get(value, value) if isinstance(value, Node) else value
    old = [nodes_map[each] for each in results_of(wanted)]
    put = []
    with gm.graph.inserting_before(first_user(old) or max(old)):
        for node in new.nodes:
            if node.op not in ("placeholder", "output"):
                val_map[node] = gm.graph.node_copy(node, lambda each: val_map[each])
                put.append(val_map[node])
    results = [map_arg(each, lambda node: val_map[node]) for each in results_of(new)]
    for before, after in zip(old, results, strict=True):
        before.replace_all_uses_with(after)
        changed[before] = after
    inner = [value for key, value in nodes_map.items() if key.op != "placeholder"]
    for node in sorted(inner, reverse=True):
        gm.graph.erase_node(node)
    return ReplacedPatterns(results_of(wanted)[0], nodes_map, put)
