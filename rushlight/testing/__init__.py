"""Testing: comparing tensors, and tensors to test with."""

from rushlight.core.surface.lazy import names_of
from rushlight.testing.comparison import assert_allclose, assert_close
from rushlight.testing.creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__ = names_of("rushlight.testing")
