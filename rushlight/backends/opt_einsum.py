"""torch.backends.opt_einsum: the package that orders products in `einsum`; NumPy's own search does that here."""

from rushlight.core.lazy import names_of

__all__ = ["get_opt_einsum", "is_available"]

enabled = False
strategy = None


def is_available() -> bool:
    """Whether the package orders the products: never."""
    return False


def get_opt_einsum() -> None:
    """The package: None, it is not used."""


__getattr__ = names_of("rushlight.backends.opt_einsum")
