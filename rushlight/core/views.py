"""Views: tensors that share another one's memory, and the history they take from it."""

from __future__ import annotations

import numpy as np

from rushlight.autograd import modes
from rushlight.core.tensor import Tensor, new, storage_of

MULTIPLE = "multiple"


def make_view(base: Tensor, array: np.ndarray) -> Tensor:
    """A tensor on `array`, a view of `base`'s memory, that shares its count of writes."""
    view = new(Tensor)
    view._array = array
    view._storage = storage = storage_of(base)
    view._base = base if base._base is None else base._base
    view._view_version = storage.version
    if not modes.state.grad:
        view._made = "inference" if modes.state.inference else "no_grad"
    return view


def refresh(view: Tensor) -> None:
    """Give a view whose memory was written to since it was made the history of that write."""
    base, storage = view._base, view._storage
    assert base is not None and storage is not None
    if storage.version == view._view_version or not base._requires_grad:
        return
    if view._made is not None:
        raise_made(view, "its base or another view of its base has been modified inplace")
    view._view_version = storage.version
    regenerate(view, base)


def regenerate(view: Tensor, base: Tensor) -> None:
    """The view's history, anew: a strided view of its base as that is now."""
    from rushlight.ops.strided import as_strided

    before, modes.state.grad = modes.state.grad, True
    try:
        fresh = as_strided(base, view.shape, view.stride(), view.storage_offset())
    finally:
        modes.state.grad = before
    view._node, view._output, view._requires_grad = fresh._node, 0, True


def check_writable(view: Tensor) -> None:
    """Refuse a recorded write through a view whose history could not follow."""
    if view._made is not None:
        raise_made(view, "is being modified inplace")


def raise_made(view: Tensor, happened: str) -> None:
    if view._made == MULTIPLE:
        name = view._node.name().removesuffix("Backward0") if view._node is not None else "a function"
        raise RuntimeError(
            f"Output {view._output} of {name} is a view and {happened}. This view is the output of a function that "
            "returns multiple views. Such functions do not allow the output views to be modified inplace. You "
            "should replace the inplace operation by an out-of-place one."
        )
    raise RuntimeError(
        f"A view was created in {view._made} mode and {happened} with grad mode enabled. Given that this use case is "
        "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the "
        f"inplace either both inside the {view._made} block (if you don't want the inplace to be tracked) or both "
        "outside (if you want the inplace to be tracked)."
    )
