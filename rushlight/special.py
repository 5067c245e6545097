"""Special functions: `torch.special`, whose functions are declared in `rushlight/ops`."""

from rushlight.core.lazy import names_of
from rushlight.ops.machine import late
from rushlight.ops.machine.bind import public

late.load()
globals().update(public("special"))
__all__ = [*public("special")]

__getattr__ = names_of("rushlight.special")
