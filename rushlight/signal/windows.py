"""Windows: `torch.signal.windows`, whose functions are declared in `rushlight/ops/windows`."""

import rushlight.ops.windows as _declared  # noqa: F401
from rushlight.core.surface.lazy import names_of
from rushlight.ops.machine.bind import namespace

globals().update(namespace("signal.windows"))
__all__ = [*namespace("signal.windows")]

__getattr__ = names_of("rushlight.signal.windows")
