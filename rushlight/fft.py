"""Fourier transforms: `torch.fft`, whose functions are declared in `rushlight/ops/fourier`."""

import rushlight.ops.fourier as _declared  # noqa: F401
from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.ops.machine.bind import namespace as _namespace

globals().update(_namespace("fft"))
__all__ = [*_namespace("fft")]

__getattr__ = _names_of("rushlight.fft")
