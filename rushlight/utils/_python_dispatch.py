"""__torch_dispatch__, which is not here: there is no layer below autograd where calls could be caught."""

from __future__ import annotations

from typing import Any

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing", "transform_subclass"]
WORDS = (
    "__torch_dispatch__ is not in Rushlight, whose ops have no dispatcher below autograd: "
    "torch.overrides.TorchFunctionMode sees every call of a function"
)


class TorchDispatchMode:
    """A mode below autograd: programs may derive from it, entering one is refused."""

    def __init__(self, _dispatch_key: Any = None):
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError(WORDS)

    def __enter__(self) -> Any:
        raise NotImplementedError(WORDS)

    def __exit__(self, *exception: object) -> None:
        pass

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """Old: a new one, to be entered."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing."""


def _get_current_dispatch_mode() -> None:
    return None


def _get_current_dispatch_mode_stack() -> list[Any]:
    return []


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """False: no such mode can be entered."""
    return False


def _disable_current_modes() -> Any:
    import contextlib

    return contextlib.nullcontext([])


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor is made of others, in torch's protocol."""
    return hasattr(type(t), "__tensor_flatten__") and hasattr(type(t), "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """The same of a class."""
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result itself."""
    return out


def transform_subclass(t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None) -> Any:
    """A tensor made of others, with each of them changed."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(inner, context, outer_size or t.size(), outer_stride or t.stride())
