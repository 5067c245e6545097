"""`torch.nn.functional`: the functions behind the modules, declared as ops in `rushlight/ops`."""

from __future__ import annotations

from typing import Any

import rushlight.ops  # declares them
from rushlight.core.tensor import Tensor
from rushlight.ops.bind import namespace

globals().update(namespace("nn.functional"))


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)) for each element x; the same as `torch.sigmoid`."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent of each element; the same as `torch.tanh`."""
    return input.tanh()


__all__ = [*namespace("nn.functional"), "sigmoid", "tanh"]


def __getattr__(name: str) -> Any:
    # what later layers declare, and for mypy, which cannot see what is declared
    found = namespace("nn.functional").get(name)
    if found is None:
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}' in Rushlight")
    return found
