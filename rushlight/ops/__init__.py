"""Operations: what can be done to tensors, one file a family."""

from rushlight.ops import arithmetic, reductions, shape, strided
