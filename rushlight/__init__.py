"""Rushlight: PyTorch's programming model on NumPy."""

from rushlight import ops
from rushlight.core.conversion import is_complex, is_floating_point, is_nonzero, is_signed, is_tensor, numel, typename
from rushlight.core.creation import as_tensor, asarray, from_dlpack, from_numpy, frombuffer, tensor
from rushlight.core.filled import (
    empty,
    empty_like,
    empty_permuted,
    empty_strided,
    eye,
    full,
    full_like,
    ones,
    ones_like,
    scalar_tensor,
    zeros,
    zeros_like,
)
from rushlight.core.tensor import Tensor
from rushlight.ops.bind import namespace

globals().update(namespace(""))
