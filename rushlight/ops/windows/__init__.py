"""Windows: weights that fade a piece of a signal in and out."""

from rushlight.ops.windows import periodic, symmetric
