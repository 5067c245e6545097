"""`torch._subclasses`: tensors without memory, of which there are none here."""

from __future__ import annotations

from rushlight._subclasses import fake_tensor as fake_tensor
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]
