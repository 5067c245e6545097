"""Padding layers: borders of a value, or read from the input near its edges."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.utils import _ntuple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _ConstantPadNd(Module):
    """A border of a value; `padding` is one number, or pairs (before, after) from the last dimension on."""

    dims: int

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self.dims)(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """A border of a value around the last dimension."""

    dims = 1


class ConstantPad2d(_ConstantPadNd):
    """A border of a value around the last two dimensions."""

    dims = 2


class ConstantPad3d(_ConstantPadNd):
    """A border of a value around the last three dimensions."""

    dims = 3


class ZeroPad1d(ConstantPad1d):
    """A border of zeros around the last dimension."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """A border of zeros around the last two dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """A border of zeros around the last three dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _EdgePadNd(Module):
    """A border that is read from the input."""

    dims: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self.dims)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_EdgePadNd):
    mode = "reflect"


class _ReplicationPadNd(_EdgePadNd):
    mode = "replicate"


class _CircularPadNd(_EdgePadNd):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return super().forward(input)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)")


class ReflectionPad1d(_ReflectionPadNd):
    """The last dimension mirrored at its ends."""

    dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """The last two dimensions mirrored at their ends.

    >>> torch.nn.ReflectionPad2d(1)(torch.arange(9.).reshape(1, 3, 3))[0, 0]
    tensor([4., 3., 4., 5., 4.])
    """

    dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """The last three dimensions mirrored at their ends."""

    dims = 3


class ReplicationPad1d(_ReplicationPadNd):
    """The ends of the last dimension repeated."""

    dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """The edges of the last two dimensions repeated."""

    dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """The edges of the last three dimensions repeated."""

    dims = 3


class CircularPad1d(_CircularPadNd):
    """The last dimension continued with its other end."""

    dims = 1


class CircularPad2d(_CircularPadNd):
    """The last two dimensions continued with their other ends."""

    dims = 2


class CircularPad3d(_CircularPadNd):
    """The last three dimensions continued with their other ends."""

    dims = 3
