"""Keys: the steps that lead from a tree to one of its leaves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class KeyEntry(Protocol):
    """What a key of one's own needs: to be hashable and comparable, to show itself, and to find the child."""

    def __hash__(self) -> int: ...

    def __eq__(self, other: object) -> bool: ...

    def __str__(self) -> str: ...

    def get(self, parent: Any) -> Any: ...


KeyPath = tuple[KeyEntry, ...]


@dataclass(frozen=True, slots=True)
class SequenceKey(Generic[T]):
    """The step to an element of a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Sequence[T]) -> T:
        return sequence[self.idx]


@dataclass(frozen=True, slots=True)
class MappingKey(Generic[K, T]):
    """The step to a value of a mapping."""

    key: K

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Mapping[K, T]) -> T:
        return mapping[self.key]


@dataclass(frozen=True, slots=True)
class GetAttrKey:
    """The step to an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def keystr(kp: KeyPath) -> str:
    """A path as one would write it.

    >>> torch.utils._pytree.keystr((MappingKey("layers"), SequenceKey(0), GetAttrKey("weight")))
    "['layers'][0].weight"
    """
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """What the path leads to."""
    for key in kp:
        obj = key.get(obj)
    return obj
