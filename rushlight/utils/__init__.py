"""Utilities around tensors: data, checkpointing, hooks."""

from rushlight.core.lazy import names_of

__getattr__ = names_of("rushlight.utils", ("_pytree", "checkpoint", "deterministic", "dlpack", "hooks"))
