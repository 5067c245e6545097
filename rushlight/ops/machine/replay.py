"""Replay: gradients of a gradient that is one loop, through the plain ops that the loop stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rushlight.autograd.modes import enable_grad
from rushlight.core.memory import deferred
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor


def replayed(run: Callable[..., Sequence[Tensor]], tensors: Sequence[Tensor], grads: Sequence) -> list[Tensor | None]:
    """The gradients of the tensors, recorded, where `run(*tensors)` gives the outputs whose gradients are `grads`."""
    from rushlight.autograd.entry import grad

    if not any([each.requires_grad for each in tensors]):
        # all were told to require none since the call
        return [None] * len(tensors)
    with enable_grad():
        # one and the same tensor may be given twice, and has a gradient in each place
        aliases = [each.view_as(each) if each.requires_grad else each for each in tensors]
        outputs = run(*aliases)
    used = [(output, given) for output, given in zip(outputs, grads, strict=False) if given is not None]
    wanted = [each for each in aliases if each.requires_grad]
    found = iter(
        grad([output for output, _ in used], wanted, [given for _, given in used], create_graph=True, allow_unused=True)
    )
    return [next(found) if each.requires_grad else None for each in aliases]


def arrays_of(tensors: Sequence[Tensor | None]) -> list[np.ndarray | None]:
    """The arrays to compute with, half precision as float32."""
    return [None if each is None else array_of(each) for each in tensors]


def array_of(tensor: Tensor) -> np.ndarray:
    array = deferred.resolved(tensor._array)
    return array.astype(compute_dtype(array.dtype), copy=False)
