"""Rushlight: PyTorch's programming model on NumPy."""

from rushlight import ops
from rushlight.core.creation import from_numpy, ones, tensor, zeros
from rushlight.core.tensor import Tensor
from rushlight.ops.bind import namespace

globals().update(namespace(""))
