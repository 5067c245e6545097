"""Special functions: `torch.special`, whose functions are declared in `rushlight/ops`."""

from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.ops.machine import late as _late
from rushlight.ops.machine.bind import public as _public

_late.load()
globals().update(_public("special"))
__all__ = [*_public("special")]

__getattr__ = _names_of("rushlight.special")
