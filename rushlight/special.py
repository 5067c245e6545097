"""Special functions: `torch.special`, whose functions are declared in `rushlight/ops`."""

import rushlight.ops  # noqa: F401  (declares them)
from rushlight.core.lazy import names_of
from rushlight.ops.bind import namespace

globals().update(namespace("special"))
__all__ = list(namespace("special"))

__getattr__ = names_of("rushlight.special")
