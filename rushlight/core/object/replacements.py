"""Replaced parameters: modules tell those who hold one, such as optimizers, that another has taken its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from rushlight.core.object.tensor import Tensor

# objects with a method `_hear_replaced(old, new, name)`
followers: WeakSet[Any] = WeakSet()


def tell(pairs: Iterable[tuple[str, Tensor | None]], others: dict[str, Any]) -> None:
    """Of named parameters that were in a module, and those that are there now."""
    if followers:
        for name, old in pairs:
            new = others.get(name)
            if old is not None and new is not old:
                for follower in list(followers):
                    follower._hear_replaced(old, new, name)
