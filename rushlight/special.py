"""Special functions: `torch.special`, whose functions are declared in `rushlight/ops`."""

from rushlight.core.lazy import names_of
from rushlight.ops import late
from rushlight.ops.bind import namespace

late.load()
globals().update(namespace("special"))
__all__ = [name for name in namespace("special") if not name.endswith("_")]

__getattr__ = names_of("rushlight.special")
