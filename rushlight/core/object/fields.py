"""Fields: what a tensor holds, under the names that all layers use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rushlight
from rushlight.core.memory.storage import Storage
from rushlight.core.settings.state import state
from rushlight.errors import location
from rushlight.errors.explained import MISUSE, explained
from rushlight.native import extension


class PlainFields:
    """The fields are slots: a tensor's `__dict__` has what its user put there."""

    # what it holds
    _array: np.ndarray
    _storage: Storage | None
    # the history: the node that made it and which of its outputs this is; None for a leaf
    _node: rushlight.autograd.graph.Node | None
    _output: int
    _requires_grad: bool
    _grad: rushlight.Tensor | None
    # for a view: what it is a view of, its storage's version when `_node` was set, and how it was made;
    # for an inference tensor: whether it counts its writes
    _base: rushlight.Tensor | None
    _view_version: int
    _made: str | None
    # where the history was cut, for messages: (what cut it, where)
    _cut: tuple | None
    # where it was created, for messages
    _created: location.Location | None
    _hooks: dict | None
    _post_hooks: dict | None
    _accumulate: Any
    _retains: bool
    _inference: bool
    # `state.birth` when it was made: a function transform that began later has captured it
    _born: int

    __slots__ = tuple(__annotations__)

    def __new__(cls) -> Any:
        """A tensor whose fields have nothing in them."""
        made: Any = object.__new__(cls)
        made._born = state.birth
        made._storage = made._node = made._grad = made._base = made._made = made._cut = made._created = None
        made._hooks = made._post_hooks = made._accumulate = None
        made._requires_grad = made._retains = made._inference = False
        made._output = made._view_version = 0
        return made

    def __len__(self) -> int:
        if not self._array.ndim:
            raise explained(TypeError, "len() of a 0-d tensor", stage=MISUSE)
        return self._array.shape[0]


# what one tensor can take over from another
NAMES = tuple(each for each in PlainFields.__slots__ if each != "_born")

if TYPE_CHECKING:
    from rushlight.core.object.methods import Methods

    class Fields(PlainFields, Methods):
        """With what is bound later, which tools/stubs writes down for type checkers."""
else:
    Fields = PlainFields if extension is None else extension.Fields
