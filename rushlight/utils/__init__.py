"""Utilities around tensors: data, checkpointing, hooks."""

from rushlight.core.surface.lazy import names_of as _names_of

LAZY = (
    "_foreach_utils",
    "_pytree",
    "_traceback",
    "checkpoint",
    "collect_env",
    "data",
    "deterministic",
    "dlpack",
    "hooks",
    "serialization",
)
__getattr__ = _names_of("rushlight.utils", LAZY, {"swap_tensors": "core.object.swapping"})
