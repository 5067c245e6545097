"""Fake tensors: shapes without memory, by which PyTorch's compiler looks ahead; there are none here."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.refusals import refusing_class

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]


class FakeTensor(Tensor):
    """A tensor without memory: no tensor is one."""


FakeTensorMode = refusing_class("_subclasses.fake_tensor.FakeTensorMode", "every tensor has memory; run the program")


def is_fake(x: Any) -> bool:
    """Whether a tensor has no memory: no."""
    return isinstance(x, FakeTensor)
