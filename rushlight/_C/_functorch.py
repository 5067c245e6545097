"""torch._C._functorch: questions about tensors inside transformed functions, of which there are none."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import names_of

__all__ = [
    "get_unwrapped",
    "is_batchedtensor",
    "is_functionaltensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "is_legacy_batchedtensor",
    "maybe_get_bdim",
    "maybe_get_level",
]


def is_batchedtensor(tensor: Any) -> bool:
    """Whether a tensor stands for a batch inside `vmap`: no."""
    return False


def is_legacy_batchedtensor(tensor: Any) -> bool:
    """Whether a tensor stands for a batch inside the old `vmap`: no."""
    return False


def is_gradtrackingtensor(tensor: Any) -> bool:
    """Whether a tensor is wrapped by `func.grad`: no."""
    return False


def is_functionaltensor(tensor: Any) -> bool:
    """Whether writes to a tensor are recorded as new tensors: no."""
    return False


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Whether a tensor is wrapped by a transformed function: no."""
    return False


def get_unwrapped(tensor: Any) -> Any:
    """What a wrapped tensor wraps: nothing is wrapped."""
    raise RuntimeError("No wrappers present!")


def maybe_get_level(tensor: Any) -> int:
    """How many transformed functions a tensor is inside of: -1, it is in none."""
    return -1


def maybe_get_bdim(tensor: Any) -> int:
    """The dimension of a batch: -1, there is none."""
    return -1


__getattr__ = names_of("rushlight._C._functorch")
