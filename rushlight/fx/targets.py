"""What a node calls, in words: `operator.add`, `torch.nn.functional.relu`, `mymodule_myfunction`."""

from __future__ import annotations

import builtins
import operator
import types
import typing
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.surface.overridable_names import names
from rushlight.core.surface.passing import WRITTEN_IN_PYTHON

# where torch keeps the functions of these modules that it does not write in Python
INSIDE = {"linalg": "torch._C._linalg.linalg_", "fft": "torch._C._fft.fft_", "special": "torch._C._special.special_"}
INSIDE_NN = {
    f"torch.nn.functional.{each}": f"torch._C._nn.{each}"
    for each in """avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention
    softplus softshrink""".split()
} | {
    "torch.nn.functional.logsigmoid": "torch._C._nn.log_sigmoid",
    "torch.nn.functional.threshold": "torch.nn.functional._threshold",
}
IN_FUNCTIONAL = {line.strip().partition(":")[0] for line in WRITTEN_IN_PYTHON[""].splitlines()}
PLAIN_NAMES = (
    "adaptive_avg_pool1d avg_pool1d conv_tbc cosine_similarity hardshrink pairwise_distance pdist prelu".split()
)


def qualified_name(function: Callable) -> str:
    """What torch calls a function of its own; module and name of any other."""
    name = getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return name
    if isinstance(function, types.BuiltinFunctionType) and getattr(operator, name, None) is function:
        return f"_operator.{name}"
    known = names().get(function)
    if known is not None:
        return torch_name(known)
    shown = getattr(function, "_qualified_op_name", None)
    if shown is not None:
        return f"torch.ops.{shown.replace('::', '.')}"
    module = (getattr(function, "__module__", None) or "").replace("rushlight", "torch", 1)
    if name == "<lambda>":
        name = "_lambda"
    return f"{module.removeprefix('_') if module == '_operator' else module}.{name}"


def torch_name(known: str) -> str:
    """The name under which torch keeps one of its functions."""
    space, _, name = known.removeprefix("torch.").rpartition(".")
    if space in INSIDE:
        return INSIDE[space] + name
    if not space and name in IN_FUNCTIONAL:
        return f"torch.functional.{name}"
    if space == "functional":
        return known if name in IN_FUNCTIONAL else f"torch.{name}"
    if space == "nn.functional" and name in PLAIN_NAMES:
        return f"torch.{name}"
    return INSIDE_NN.get(known, known)


def is_from_torch(thing: Any) -> bool:
    """Whether generated code finds it under `torch`."""
    if thing is rushlight.device:
        return False
    if callable(thing) and not isinstance(thing, type) and is_hashable(thing) and thing in names():
        return True
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in ("rushlight", "torch")


def is_hashable(thing: Any) -> bool:
    try:
        hash(thing)
    except TypeError:
        return False
    return True


class TorchNames:
    """`torch` in generated code: Rushlight, and its functions under torch's inner names."""

    def __getattr__(self, name: str) -> Any:
        if name == "_C":
            return InnerNames()
        return getattr(rushlight, name)


class InnerNames:
    """`torch._C` in generated code: `_nn.linear`, `_linalg.linalg_norm` and their kind."""

    def __getattr__(self, name: str) -> Any:
        return InnerSpace(name)


class InnerSpace:
    """One room of it, such as `_nn`."""

    def __init__(self, name: str):
        self.name = name

    def __getattr__(self, name: str) -> Any:
        space = self.name.removeprefix("_")
        if space == "nn":
            return getattr(rushlight.nn.functional, {"log_sigmoid": "logsigmoid"}.get(name, name))
        return getattr(getattr(rushlight, space), name.removeprefix(f"{space}_"))


def type_repr(kind: Any) -> str:
    """An annotation in words: `int`, `torch.Tensor`, `typing_List[int]`."""
    if isinstance(kind, type) and not isinstance(kind, types.GenericAlias):
        if kind.__module__ == "builtins":
            return kind.__qualname__
        module = kind.__module__
        module = "torch" if module.startswith("rushlight") else module
        return f"{module}.{kind.__qualname__}"
    if kind is ...:
        return "..."
    if isinstance(kind, types.FunctionType):
        return kind.__name__
    return (
        repr(kind).replace("rushlight.core.object.tensor.Tensor", "torch.Tensor")
        if typing.get_origin(kind)
        else repr(kind)
    )
