"""Addresses that were given away: who has one may write to memory without a word, so nothing there may be put off."""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np

from rushlight.native import extension

# a weak reference to each array that owns such memory, by its id: `is_private` in native/seam/pending.cpp asks for one
given: dict[int, ref] = {}


def address_of(array: np.ndarray) -> int:
    """The address of an array's first element, for somebody outside."""
    if extension is not None:
        note(owner_of(array))
    return array.__array_interface__["data"][0]


def owner_of(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def note(owner: np.ndarray) -> None:
    key = id(owner)
    if key in given:
        return

    def forget(_: Any) -> None:
        given.pop(key, None)

    given[key] = ref(owner, forget)
