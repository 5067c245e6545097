"""Weak dictionaries of tensors: keys count by identity, since `==` of tensors is no yes or no."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another one of the same object."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None):
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        if mine is not None and isinstance(other, WeakIdRef):
            theirs = other()
            if theirs is not None:
                return mine is theirs
        return self is other


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary that forgets a key with its last reference, and compares keys by identity.

    >>> from torch.utils.weak import WeakIdKeyDictionary
    >>> x = torch.ones(2)
    >>> notes = WeakIdKeyDictionary({x: "first"})
    >>> notes[x], torch.ones(2) in notes
    ('first', False)
    """

    def __init__(self, dict: Any = None, ref_type: type[WeakIdRef] = WeakIdRef):
        self.data: dict[Any, Any] = {}
        self.ref_type = ref_type
        mine = weakref.ref(self)

        def remove(key: Any) -> None:
            found = mine()
            if found is not None:
                found.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __iter__(self) -> Iterator[Any]:
        return iter([found for each in list(self.data) if (found := each()) is not None])

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def keyrefs(self) -> list[Any]:
        """The references themselves."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """Another dictionary of the same keys and values."""
        return WeakIdKeyDictionary(dict(self), self.ref_type)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor; calling it gives the tensor or None."""

    def __init__(self, tensor: Any):
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        return self.ref()
