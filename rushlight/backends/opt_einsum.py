"""torch.backends.opt_einsum: the package that orders products in `einsum`; NumPy's own search does that here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.core.surface.lazy import names_of

__all__ = ["flags", "get_opt_einsum", "is_available", "set_flags"]

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """Whether the package orders the products: never."""
    return False


def get_opt_einsum() -> None:
    """The package: None, it is not used."""


def set_flags(_enabled: bool | None = None, _strategy: str | None = None) -> tuple[bool, str | None]:
    """The switches as they are; without the package, as in PyTorch, none of them can be set."""
    if _enabled:
        raise ValueError(
            f"opt_einsum is not available, so setting `enabled` to {_enabled} will not reap the benefits of "
            "calculating an optimal path for einsum: torch.einsum orders the products by itself; leave the switch as "
            "it is"
        )
    if _strategy is not None:
        raise ValueError(
            f"opt_einsum is not available, so setting `strategy` to {_strategy} will not be meaningful: torch.einsum "
            "orders the products by itself; leave the switch as it is"
        )
    return enabled, strategy


@contextmanager
def flags(enabled: bool | None = None, strategy: str | None = None) -> Iterator[None]:
    """Switches for a block: see `set_flags`."""
    set_flags(enabled, strategy)
    yield


__getattr__ = names_of("rushlight.backends.opt_einsum")
