"""Fields: what a tensor holds, under the names that all layers use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rushlight
from rushlight.core.memory.storage import Storage
from rushlight.errors import location
from rushlight.errors.explained import MISUSE, explained
from rushlight.native import extension


class PlainFields:
    """The fields have defaults on the class, so that a plain result sets one attribute only."""

    # what it holds
    _array: np.ndarray
    _storage: Storage | None = None
    # the history: the node that made it and which of its outputs this is; None for a leaf
    _node: rushlight.autograd.graph.Node | None = None
    _output: int = 0
    _requires_grad: bool = False
    _grad: rushlight.Tensor | None = None
    # for a view: what it is a view of, its storage's version when `_node` was set, and how it was made;
    # for an inference tensor: whether it counts its writes
    _base: rushlight.Tensor | None = None
    _view_version: int = 0
    _made: str | None = None
    # where the history was cut, for messages: (what cut it, where)
    _cut: tuple | None = None
    # where it was created, for messages
    _created: location.Location | None = None
    _hooks: dict | None = None
    _post_hooks: dict | None = None
    _accumulate: Any = None
    _retains: bool = False
    _inference: bool = False
    # `state.birth` when it was made, which nobody copies: a function transform that began later has captured it
    _born = 0

    def __len__(self) -> int:
        if not self._array.ndim:
            raise explained(TypeError, "len() of a 0-d tensor", stage=MISUSE)
        return self._array.shape[0]


NAMES = tuple(PlainFields.__annotations__)

if TYPE_CHECKING:
    from rushlight.core.object.methods import Methods

    class Fields(PlainFields, Methods):
        """With what is bound later, which tools/stubs writes down for type checkers."""
else:
    Fields = PlainFields if extension is None else extension.Fields
