"""Methods of Tensor that are about its history."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import entry, modes
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.storage import Storage
from rushlight.core.object.tensor import Tensor, has_history, method, new, require_differentiable, storage_of
from rushlight.core.object.views import keep_inference
from rushlight.core.settings.state import state
from rushlight.core.surface import overriding
from rushlight.errors.location import user_line


@method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Switch recording for a leaf, in place."""
    if state.levels:
        refuse_in_transform()
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
    if state.levels and type(self._array) is Lifted and self._array.level.transforms:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    if overriding.modes.stack:
        options = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        if overriding.divert(Tensor.backward, (self,), options) is not NotImplemented:
            return
    entry.backward(self, gradient, retain_graph, create_graph, inputs=inputs)


@method
def why_no_grad(self: Tensor) -> str:
    """Why `.grad` is None, or where gradients stop, in words and with the line; see also `torch.explain`.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> print((x * 2).why_no_grad().splitlines()[-1])
    Only leaves keep theirs: call retain_grad() on it before backward().
    """
    from rushlight.doctor.explaining import why_no_grad

    return why_no_grad(self)


@method
def detach(self: Tensor) -> Tensor:
    """The same memory outside the graph; writes through it are still counted.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> (x * 2).detach()
    tensor([2.])
    """
    if type(self._array) is Lifted:
        return self._array.level.detached(self)
    made = new(Tensor)
    made._array = self._array
    made._born = (self if self._base is None else self._base)._born
    made._storage = Storage(storage_of(self).array) if self._inference else storage_of(self)
    if self.requires_grad:
        made._cut = ("detach", user_line())
    elif self._cut is not None:
        made._cut = self._cut
    if self._inference:
        keep_inference(made)
    return made


def refuse_in_transform() -> None:
    """Refuse to switch recording inside of a function that is transformed; `forward_ad` alone does not mind."""
    if any([each.transforms for each in state.levels]):
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
            "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to "
            "use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside "
            "of a function being transformed instead."
        )


@method
def detach_(self: Tensor) -> Tensor:
    """Forget the history of this tensor, in place.

    >>> y = torch.tensor([1.0], requires_grad=True) * 2
    >>> y.detach_()
    tensor([2.])
    """
    if state.levels:
        from rushlight.ops.machine.transforms.captured import refuse_captured

        refuse_captured(self, "detach")
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
