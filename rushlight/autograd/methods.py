"""Methods of Tensor that are about its history."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import entry, modes
from rushlight.core.memory.storage import Storage
from rushlight.core.object.tensor import Tensor, has_history, method, new, require_differentiable, storage_of
from rushlight.core.object.views import keep_inference
from rushlight.core.surface import overriding
from rushlight.errors.location import user_line


@method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Switch recording for a leaf, in place."""
    if type(requires_grad) is not bool:
        raise TypeError(
            f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type(requires_grad).__name__}"
        )
    # what is computed requires grad already
    if not (requires_grad and has_history(self)):
        if requires_grad:
            require_differentiable(self._array.dtype, "floating point dtype")
        self.requires_grad = requires_grad
    return self


@method
def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves it was computed from."""
    if overriding.modes.stack:
        options = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        if overriding.divert(Tensor.backward, (self,), options) is not NotImplemented:
            return
    entry.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


@method
def detach(self: Tensor) -> Tensor:
    """The same memory outside the graph; writes through it are still counted.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> (x * 2).detach()
    tensor([2.])
    """
    made = new(Tensor)
    made._array = self._array
    made._storage = Storage(storage_of(self).array) if self._inference else storage_of(self)
    if self.requires_grad:
        made._cut = ("detach", user_line())
    elif self._cut is not None:
        made._cut = self._cut
    if self._inference:
        keep_inference(made)
    return made


@method
def detach_(self: Tensor) -> Tensor:
    """Forget the history of this tensor, in place.

    >>> y = torch.tensor([1.0], requires_grad=True) * 2
    >>> y.detach_()
    tensor([2.])
    """
    if modes.state.inference:
        # nothing is recorded there, nor forgotten
        return self
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. "
            "If you are using DistributedDataParallel (DDP) for training, set gradient_as_bucket_view=False."
        )
    if self._requires_grad:
        self._cut = ("detach", user_line())
    self._node, self._output, self._requires_grad = None, 0, False
    return self


@method
def is_inference(self: Tensor) -> bool:
    """Whether it was made in inference mode."""
    return self._inference
