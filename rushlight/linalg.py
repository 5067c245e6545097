"""Linear algebra: `torch.linalg`, whose functions are declared in `rushlight/ops/linalg`."""

import rushlight.ops.linalg as _declared  # noqa: F401
from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.errors.kinds import LinAlgError
from rushlight.ops.machine.bind import namespace

globals().update(namespace("linalg"))
__all__ = ["LinAlgError", *namespace("linalg")]

__getattr__ = _names_of("rushlight.linalg", elsewhere={"_powsum": "ops.machine.inner"})
