"""torch.utils._python_dispatch: questions about other kinds of tensors; modes below autograd are left out."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.refusals import refusing, refusing_class

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "is_traceable_wrapper_subclass_type"]

WHY = "operations are intercepted by torch.overrides.TorchFunctionMode, not below autograd"
TorchDispatchMode = refusing_class("utils._python_dispatch.TorchDispatchMode", WHY)
return_and_correct_aliasing = refusing("utils._python_dispatch.return_and_correct_aliasing", WHY)
transform_subclass = refusing("utils._python_dispatch.transform_subclass", WHY)


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class of tensors can be taken apart and put together again by its own methods."""
    parts = ("__tensor_flatten__", "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and all(hasattr(t, each) for each in parts)


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor can be taken apart and put together again by its own methods."""
    return isinstance(t, Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether operations are intercepted below autograd: no."""
    return False


def _get_current_dispatch_mode() -> None:
    """The mode that intercepts operations below autograd: none."""


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes that intercept operations below autograd: none."""
    return []


__getattr__ = names_of("rushlight.utils._python_dispatch")
