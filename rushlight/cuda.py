"""torch.cuda on a machine that computes on its CPU: there is no device, and the questions say so."""

from __future__ import annotations

from typing import Any

__all__ = [
    "device_count",
    "empty_cache",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "synchronize",
]


def is_available() -> bool:
    """Whether tensors can be made on a GPU: never."""
    return False


def is_initialized() -> bool:
    """Whether a GPU is in use: never."""
    return False


def device_count() -> int:
    """The number of GPUs: none."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def manual_seed_all(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def empty_cache() -> None:
    """Frees nothing: no GPU memory is held. torch does the same without a GPU."""


def synchronize(device: Any = None) -> None:
    """Refused, as in torch without a GPU."""
    raise AssertionError(
        "Torch not compiled with CUDA enabled: Rushlight runs on the CPU; there is nothing to wait for"
    )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"torch.cuda.{name} is not in Rushlight, which runs on the CPU; ask torch.cuda.is_available() before using it"
    )
