"""Living tensors: they hold their memory and not the other way round, so the garbage collector is asked."""

from __future__ import annotations

import gc

from rushlight.core.object.tensor import Tensor


def living_tensors() -> list[Tensor]:
    """All tensors there are: some milliseconds, for what is rarely done (another size, memory that is to be shared)."""
    # what `gc.freeze` has set aside is not listed, and a tensor that stayed behind would not see what others write
    gc.unfreeze()
    return [each for each in gc.get_objects() if issubclass(type(each), Tensor)]
