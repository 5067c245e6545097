"""Patches: attributes of classes and modules that stand in for others while a program is watched."""

from __future__ import annotations

from typing import Any

ABSENT = object()


class Patches:
    """What was replaced, to be put back in the opposite order."""

    def __init__(self) -> None:
        self.replaced: list[tuple[Any, str, Any]] = []
        self.inserted: list[tuple[list, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Let `owner.name` be another value until the end."""
        self.replaced.append((owner, name, vars(owner).get(name, ABSENT)))
        setattr(owner, name, value)

    def insert(self, entries: list, value: Any) -> None:
        """Let a list begin with another entry until the end."""
        entries.insert(0, value)
        self.inserted.append((entries, value))

    def restore(self) -> None:
        for entries, value in self.inserted:
            if value in entries:
                entries.remove(value)
        self.inserted.clear()
        while self.replaced:
            owner, name, before = self.replaced.pop()
            if before is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
