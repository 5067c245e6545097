"""torch._library: what custom functions are made of."""

from rushlight._library import custom_ops, schemas
from rushlight._library.infer_schema import infer_schema
from rushlight.core.surface.lazy import names_of

__all__ = ["custom_ops", "infer_schema", "schemas"]
__getattr__ = names_of("rushlight._library")
