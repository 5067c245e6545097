"""Attributes: `data` and `grad`, and what every tensor on a CPU answers alike."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.options import refuse_pinned
from rushlight.core.memory.layout import layout, strided
from rushlight.core.memory.meta import Meta
from rushlight.core.memory.storage import Storage, continued
from rushlight.core.numbers import dtypes
from rushlight.core.object.fields import NAMES
from rushlight.core.object.tensor import (
    COUNTED,
    INFERENCE_LEAF,
    Tensor,
    attribute,
    method,
    new,
    require_differentiable,
    require_inference_mode,
    storage_of,
)
from rushlight.core.object.views import keep_inference
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import DisableTorchFunctionSubclass
from rushlight.errors.location import user_line
from rushlight.errors.warning import warn


def get_data(self: Tensor) -> Tensor:
    """The same memory without history, and without the count of writes that guards a backward."""
    found = new(Tensor)
    found._array = self._array
    found._born = (self if self._base is None else self._base)._born
    found._storage = Storage(storage_of(self).array)
    if self.requires_grad:
        found._cut = ("data", user_line())
    if self._inference:
        keep_inference(found)
    return found


def set_data(self: Tensor, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if state.levels:
        from rushlight.ops.machine.transforms.captured import refuse_new_data

        refuse_new_data(self)
    if self._requires_grad and value._array.dtype not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(
            f"data set to a tensor that requires gradients must be floating point or complex dtype, not {value.dtype}"
        )
    if self._requires_grad and self._node is None and value._array.dtype != self._array.dtype:
        from rushlight.autograd import converted

        converted.note(self)
    memory = storage_of(value).array
    self._storage = Storage(memory) if self._storage is None else continued(self._storage, memory)
    self._array = value._array
    follows_base = self._base is not None and self.requires_grad
    if (not self._inference or self._made == COUNTED) and not follows_base:
        self._inference = value._inference
        self._made = COUNTED if value._inference else None if self._made == COUNTED else self._made


def get_grad(self: Tensor) -> Tensor | None:
    """The gradient that backward has left here; None before."""
    if self._grad is None and self._node is not None and not self._retains:
        warn(
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
            "attribute won't be populated during autograd.backward(): call .retain_grad() on it before the "
            "backward, or look at the leaf it was computed from."
        )
    return self._grad


def set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None:
        check_grad(self, value)
    self._grad = value


def check_grad(self: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if value._array.dtype != self._array.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.scalar}' to a tensor with grad_dtype "
            f"'{self.dtype.scalar}'. Convert it first, with .to({self.dtype!r})"
        )
    if value._array.shape != self._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
            f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def delete_grad(self: Tensor) -> None:
    self._grad = None


def delete_data(self: Tensor) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


attribute("data", property(get_data, set_data, delete_data))
attribute("grad", property(get_grad, set_grad, delete_grad))


def get_layout(self: Tensor) -> layout:
    """How its elements are kept: `strided`, always.

    >>> torch.zeros(2).layout
    torch.strided
    """
    return strided


attribute("layout", property(get_layout))
for _name in (
    "cuda",
    "sparse",
    "sparse_csr",
    "mkldnn",
    "quantized",
    "xpu",
    "mps",
    "nested",
    "vulkan",
    "ipu",
):
    attribute(f"is_{_name}", False)


def is_cpu(self: Tensor) -> bool:
    """Whether it has memory, which is the CPU's."""
    return type(self._array) is not Meta


def is_meta(self: Tensor) -> bool:
    """Whether it has a shape but no memory."""
    return type(self._array) is Meta


attribute("is_cpu", property(is_cpu))
attribute("is_meta", property(is_meta))


@method
def get_device(self: Tensor) -> int:
    """The number of its device: -1, as for every tensor on the CPU.

    >>> torch.zeros(2).get_device()
    -1
    """
    return -1


@method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether its memory is pinned for copies to an accelerator: never.

    >>> torch.zeros(2).is_pinned()
    False
    """
    return False


@method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Refused: there is no accelerator to pin memory for."""
    refuse_pinned()
    return self


@method
def is_shared(self: Tensor) -> bool:
    """Whether its memory is shared between processes.

    >>> torch.zeros(2).is_shared()
    False
    """
    from rushlight.core.memory import shared

    return shared.is_shared(self)


@method
def share_memory_(self: Tensor) -> Tensor:
    """Move its memory, in place, to where other processes see it: what one writes, all read.

    >>> torch.zeros(2).share_memory_().is_shared()
    True
    """
    from rushlight.core.memory import shared

    shared.share(self)
    return self


@method
def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same tensor, its history included, as an object of a subclass.

    >>> class Image(torch.Tensor):
    ...     pass
    >>> type(torch.zeros(2).as_subclass(Image)).__name__
    'Image'
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of Tensor, not {cls!r}")
    found: Tensor = new(cls)
    if self._requires_grad and self._node is None and state.grad:
        # a leaf stays the one that gets the gradient
        with DisableTorchFunctionSubclass():
            self = self[...]
    for name in NAMES:
        setattr(found, name, getattr(self, name))
    return found


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of a subclass on the memory of `data`; what `Parameter` is made with."""
    found: Tensor = new(cls)
    found._array = data._array
    found._storage = storage_of(data)
    found._created = user_line()
    if data._inference:
        found._inference = True
        if require_grad:
            require_inference_mode(INFERENCE_LEAF)
    if require_grad:
        require_differentiable(found._array.dtype)
        found._requires_grad = True
    return found


attribute("_make_subclass", staticmethod(make_subclass))


@method
def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether the other tensor has the same shape.

    >>> torch.zeros(2, 3).is_same_size(torch.ones(2, 3))
    True
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return self._array.shape == other._array.shape


@method
def is_inference(self: Tensor) -> bool:
    """Whether it was made in inference mode.

    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference()
    True
    """
    return self._inference
