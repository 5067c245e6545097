"""Views: tensors that share another one's memory, and the history they take from it."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.deferred import alike
from rushlight.core.object.tensor import COUNTED, Tensor, geometry_of, new, storage_of
from rushlight.core.settings.state import state

# how views were made that may not be written to: as one of several, by a user's Function
MULTIPLE = "multiple"
CUSTOM = "custom"


def make_view(base: Tensor, array: np.ndarray) -> Tensor:
    """A tensor on `array`, a view of `base`'s memory, that shares its count of writes."""
    view = new(Tensor)
    kept = base._array
    view._array = array if type(kept) is np.ndarray else alike(kept, array)
    view._storage = storage = storage_of(base)
    if base._inference:
        # its history never matters: it is no view of anything
        view._inference = True
        return view
    view._base = base if base._base is None else base._base
    if storage.version:
        view._view_version = storage.version
    if not state.grad:
        view._made = "inference" if state.inference else "no_grad"
    elif base._made is not None:
        view._made = base._made
    return view


def keep_inference(tensor: Tensor) -> None:
    """Make what shares the memory of an inference tensor one too; made outside of the mode, it counts its writes."""
    tensor._inference = True
    if not state.inference:
        tensor._made = COUNTED


def refresh(view: Tensor) -> None:
    """Give a view whose memory was written to since it was made the history of that write."""
    base, storage = view._base, view._storage
    assert base is not None and storage is not None
    if storage.version == view._view_version or not (base._requires_grad or view._node is not None):
        return
    if view._made is not None:
        raise_made(view, "its base or another view of its base has been modified inplace")
    view._view_version = storage.version
    regenerate(view, base)


def regenerate(view: Tensor, base: Tensor) -> None:
    """The view's history, anew: a strided view of its base as that is now."""
    from rushlight.ops.shape.strided import in_kind_of, strided_view

    alike = in_kind_of(view, base)
    arguments = (alike, alike._array, geometry_of(view))
    before, output = view._node, view._output
    view._node, view._output = strided_view.op.node_for(1, arguments, (view,)), 0
    view._requires_grad = True
    if view._retains:
        from rushlight.autograd import hooks

        hooks.follow(view, before, output)


def check_writable(view: Tensor) -> None:
    """Refuse a recorded write through a view whose history could not follow."""
    if view._made is not None:
        raise_made(view, "is being modified inplace")


def raise_made(view: Tensor, happened: str) -> None:
    """Say how the view was made and what would do instead."""
    output = None
    if view._node is not None:
        output = f"Output {view._output} of {type(view._node).__name__.rpartition('Backward')[0]}"
    if view._made == MULTIPLE and output is not None:
        raise RuntimeError(
            f"{output} is a view and {happened}. This view is the output of a function that returns multiple "
            "views. Such functions do not allow the output views to be modified inplace. You should replace "
            "the inplace operation by an out-of-place one."
        )
    if view._made == CUSTOM:
        begins = f"{output} is a view and {happened}."
        if output is None:
            begins = f"A view was created in no_grad mode and {happened} with grad mode enabled."
        raise RuntimeError(
            f"{begins} This view was created inside a custom Function (or because an input "
            "was returned as-is) and the autograd logic to handle view+inplace would override the custom backward "
            "associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can "
            "fix this by cloning the output of the custom Function."
        )
    mode = "inference" if view._made == "inference" else "no_grad"
    begins = "A view was created in" if output is None else f"{output} is a view of a view which was created in"
    here = "in normal mode" if mode == "inference" else "with grad mode enabled"
    raise RuntimeError(
        f"{begins} {mode} mode and {happened} {here}. Given that this use case is ambiguous "
        "and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
        f"either both inside the {mode} block (if you don't want the inplace to be tracked) or both outside "
        "(if you want the inplace to be tracked)."
    )
