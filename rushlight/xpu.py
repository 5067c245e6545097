"""torch.xpu: Intel's GPUs, which Rushlight does not use."""

from rushlight.core.surface.lazy import names_of

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all", "seed"]


def is_available() -> bool:
    """Whether tensors can be made there: never."""
    return False


def device_count() -> int:
    """The number of such GPUs: none."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def manual_seed_all(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def seed() -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


__getattr__ = names_of("rushlight.xpu")
