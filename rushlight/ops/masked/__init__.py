"""Masked operations: only the elements where a mask is True count."""

from rushlight.ops.masked import along, reductions, statistics
