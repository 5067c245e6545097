"""`torch.nn.functional`: the functions behind the modules, declared as ops in `rushlight/ops`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight.core.creation.likeness import empty_like, zeros_like
from rushlight.core.memory.layout import contiguous_format
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of, promise
from rushlight.errors.warning import warn
from rushlight.ops.machine import late
from rushlight.ops.machine.bind import namespace, public

late.load()
globals().update(public("nn.functional"))


# in torch these two stand here as well, and mean the same
sigmoid, tanh = namespace("")["sigmoid"], namespace("")["tanh"]


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random sample from the classes that the logits describe, with a gradient (Gumbel-softmax).

    `tau` is the temperature; `hard=True` gives one-hot vectors, with the gradient of the soft ones.

    >>> _ = torch.manual_seed(0)
    >>> F.gumbel_softmax(torch.zeros(3, 2), hard=True)
    tensor([[0., 1.],
            [1., 0.],
            [1., 0.]])
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -empty_like(logits, memory_format=contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.max(dim, keepdim=True)[1]
    return zeros_like(logits).scatter_(dim, chosen, 1.0) - soft.detach() + soft


__all__ = [*public("nn.functional"), "gumbel_softmax", "sigmoid", "tanh"]


# torch's functions use these, and programs import them from here
HELPERS = ("_single", "_pair", "_triple", "_list_with_default")
COPIED = """
_canonical_mask _check_key_padding_mask _in_projection _in_projection_packed _mha_shape_check _none_or_dtype
_verify_batch_size
""".split()
OVERRIDES = ("handle_torch_function", "has_torch_function", "has_torch_function_unary")
PLACES = {
    "grad": "nn",
    **dict.fromkeys(HELPERS, "nn.modules.utils"),
    **dict.fromkeys(COPIED, "nn.for_packages"),
    **dict.fromkeys(OVERRIDES, "overrides"),
}
find = names_of("rushlight.nn.functional", elsewhere=PLACES)
promise("rushlight.nn.functional", ["_Reduction"])


def __getattr__(name: str) -> Any:
    return import_module("rushlight.nn._reduction") if name == "_Reduction" else find(name)
