"""Fourier transforms: `torch.fft`, whose functions are declared in `rushlight/ops/fourier`."""

from rushlight.core.lazy import names_of
from rushlight.ops import fourier as _declared  # noqa: F401
from rushlight.ops.machine.bind import namespace

globals().update(namespace("fft"))
__all__ = [*namespace("fft")]

__getattr__ = names_of("rushlight.fft")
