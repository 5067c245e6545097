"""Conversions: leaves that were given numbers of another dtype, to which older nodes bring gradients of the old one."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rushlight.autograd.graph import Node
    from rushlight.core.object.tensor import Tensor

# by the identity of a leaf: itself, and (the newest node then, the dtype before) for each conversion
noted: dict[int, tuple[weakref.ref, list[tuple[int, np.dtype]]]] = {}


def note(leaf: Tensor) -> None:
    """Remember the dtype of a leaf that is about to get another one."""
    from rushlight.autograd.graph import sequence

    key = id(leaf)
    known = noted.get(key)
    if known is None or known[0]() is not leaf:
        known = noted[key] = weakref.ref(leaf, lambda _: noted.pop(key, None)), []
    known[1].append((next(sequence), leaf._array.dtype))


def dtype_for(node: Node, position: int, kind: np.dtype) -> np.dtype:
    """The dtype that a node brings a gradient in: that of a leaf when the node was made, else `kind`."""
    target = node.edges[position]
    known = noted.get(id(target))
    if known is not None and known[0]() is target:
        for newest, before in known[1]:
            if node.number < newest:
                return before
    return kind
