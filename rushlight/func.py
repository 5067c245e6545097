"""`torch.func`: a module called with other parameters than its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import call_with, joined

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the given tensors in place of its own parameters and buffers.

    >>> layer = torch.nn.Linear(2, 1)
    >>> state = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, state, torch.ones(1, 2))
    tensor([[2.]])
    """
    state = joined(parameter_and_buffer_dicts)
    return call_with(module, state, args, kwargs, tie_weights=tie_weights, strict=strict)


__getattr__ = names_of("rushlight.func")
