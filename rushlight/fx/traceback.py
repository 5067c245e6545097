"""torch.fx.traceback: where the nodes of a graph come from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["annotate", "format_stack", "get_current_meta", "preserve_node_meta", "set_current_meta"]
current: dict[str, Any] = {}


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """A context for passes that keep what is known of nodes; copies keep it always."""
    yield


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Notes for the nodes that are made inside."""
    before = dict(current)
    current["custom"] = {**current.get("custom", {}), **annotation_dict}
    try:
        yield
    finally:
        current.clear()
        current.update(before)


@contextlib.contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Let `get_current_meta` answer with a node's."""
    before = dict(current)
    current.update(node.meta)
    try:
        yield
    finally:
        current.clear()
        current.update(before)


def get_current_meta() -> dict[str, Any]:
    """What was set for nodes made now."""
    return current


def has_preserved_node_meta() -> bool:
    """Whether nodes keep what is known of them: always."""
    return True


def format_stack() -> list[str]:
    """The lines of the program that are under way."""
    import traceback

    return traceback.format_list(traceback.extract_stack()[:-1])
