"""Special functions: `torch.special`, whose functions are declared in `rushlight/ops`."""

import rushlight.ops  # noqa: F401  (declares them)
from rushlight.ops.bind import namespace

globals().update(namespace("special"))
__all__ = list(namespace("special"))
