"""Living tensors: they hold their memory and not the other way round, so the garbage collector is asked."""

from __future__ import annotations

import gc
from typing import Any

from rushlight.core.object.tensor import Tensor


def living_tensors() -> list[Tensor]:
    """All tensors there are: some milliseconds, for what is rarely done (another size, memory that is to be shared)."""
    # what `gc.freeze` has set aside is not listed, and a tensor that stayed behind would not see what others write
    gc.unfreeze()
    # to look a type up is much faster than to ask for its bases
    kinds = {Tensor, *every_kind_of(Tensor)}
    return [each for each in gc.get_objects() if type(each) in kinds]


def every_kind_of(kind: type) -> list[Any]:
    """The classes that are made from a class, also those made from these."""
    found: list[Any] = []
    subclasses: list[Any] = kind.__subclasses__()
    for each in subclasses:
        found += [each, *every_kind_of(each)]
    return found
