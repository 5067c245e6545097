"""Calls: functions and methods, the pointwise ones by hand, all others from the samples of their declarations."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from conformance.programs.scope import Scope

UNARY = "sin cos tanh exp sigmoid relu abs neg square sqrt log1p erf floor sign clone contiguous softplus gelu".split()
BINARY = "add sub mul div maximum minimum atan2 pow hypot where logaddexp".split()
REDUCED = """
    sum mean amax logsumexp cumsum softmax std norm var prod max median argmax cumprod log_softmax min sort flip roll
""".split()
# what depends on memory never written, on time, on ties, or has state outside the program
LEFT_OUT = (
    "empty",
    "resize",
    "_",
    "set_",
    "seed",
    "rng",
    "lobpcg",
    "lowrank",
    "eig",
    "svd",
    "qr",
    "lu",
    "is_",
    "get_",
    "sparse",
    "quant",
    "from_",
    "frombuffer",
    "unravel",
    "geqrf",
    "ormqr",
    "householder",
    "ldl",
    "lstsq",
    "tensorinv",
    "cond",
)


def pointwise(scope: Scope) -> str | None:
    """A function of one or two tensors that are there."""
    name = scope.tensor()
    if name is None:
        return None
    tensor = scope.value(name)
    form = scope.integer(0, 9)
    if form < 3:
        chosen = scope.choose(*UNARY)
        owner = "F." if chosen in ("softplus", "gelu") else "torch."
        return f"{scope.fresh()} = " + (
            f"{name}.contiguous()" if chosen == "contiguous" else f"{owner}{chosen}({name})"
        )
    if form < 6:
        operand = scope.operand(tensor)
        if scope.chance(0.5):
            return f"{scope.fresh()} = {name} {scope.choose('+', '-', '*', '/', '>', '==')} {operand}"
        chosen = scope.choose(*BINARY)
        if chosen == "where":
            return f"{scope.fresh()} = torch.where({name} > 0, {name}, {operand})"
        return f"{scope.fresh()} = torch.{chosen}({name}, {operand})"
    if form < 8:
        return reduced(scope, name)
    return joined(scope, name)


def reduced(scope: Scope, name: str) -> str | None:
    chosen = scope.choose(*REDUCED)
    dim = scope.dim(scope.value(name))
    if chosen == "median" and 0 in scope.value(name).stride():
        return None  # torch reads beyond what was expanded
    if chosen in ("roll",):
        return f"{scope.fresh()} = torch.roll({name}, 1, {dim})"
    if chosen in ("median", "sort") or (chosen in ("max", "min") and scope.chance(0.5)):
        return f"{scope.fresh()}, {scope.fresh()} = torch.{chosen}({name}, {dim})"
    if chosen in ("sum", "mean", "norm", "std", "prod", "argmax", "var", "max", "min") and scope.chance(0.5):
        return f"{scope.fresh()} = {name}.{chosen}()"
    keep = ", keepdim=True" if chosen in ("sum", "mean", "amax", "std", "var", "prod") and scope.chance(0.3) else ""
    if chosen == "flip":
        return f"{scope.fresh()} = torch.flip({name}, [{dim}])"
    if chosen == "norm":
        return f"{scope.fresh()} = torch.norm({name}, dim={dim})"
    return f"{scope.fresh()} = torch.{chosen}({name}, {dim}{keep})"


def joined(scope: Scope, name: str) -> str:
    tensor = scope.value(name)
    shape = tuple(tensor.shape)
    other = scope.tensor(lambda one: tuple(one.shape) == shape) or name
    dim = scope.dim(tensor)
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.cat([{name}, {other}], {dim})",
        f"torch.stack([{name}, {other}], {dim})",
        f"{name} @ {other}.mT",
        f"torch.matmul({name}, {other})",
        f"torch.einsum('...i,...i->...', {name}, {other})",
        f"torch.addcmul({name}, {name}, {other})",
        f"torch.outer({name}.flatten(), {other}.flatten())",
        f"torch.lerp({name}, {other}, 0.5)",
        f"F.linear({name}, {other})",
        f"torch.vstack([{name}, {other}])",
        f"F.mse_loss({name}, {other})",
        f"{name}.repeat(2, *[1] * {name}.dim())",
        f"torch.nn.functional.pad({name}, (1, 0))",
        f"torch.index_select({name}, {dim}, torch.tensor([0, 0]))",
        f"torch.gather({name}, {dim}, torch.zeros_like({name}, dtype=torch.int64))",
    )


@functools.cache
def samples() -> list[tuple[str, str, Any]]:
    """Every sample of every declared op: (public name, how it is called, the sample)."""
    from rushlight.ops.machine.late import registry

    found = []
    for name, op in registry().items():
        last = name.rpartition(".")[2]
        if not callable(op.samples) or any(word in last if word != "_" else last.startswith("_") for word in LEFT_OUT):
            continue
        found.extend((name, "function", each) for each in op.samples() if writable(each))
    by_name: dict[str, list] = {}
    for each in found:
        by_name.setdefault(each[0], []).append(each)
    return list(by_name.values())


def writable(sample: Any) -> bool:
    """Whether the call can be written out in a line."""
    values = [*sample.args, *sample.kwargs.values()]
    return all(simple(each) for each in values)


def simple(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= 64 and str(value.dtype) in NAMES
    if isinstance(value, (list, tuple)):
        return all(simple(each) for each in value)
    return value is None or isinstance(value, (bool, int, float, complex, str)) or type(value).__name__ == "dtype"


NAMES = ("float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128")


def registered(scope: Scope) -> str | None:
    """A call of a declared op: a sample's, with tensors of the program in place of its own where they fit."""
    name, _, sample = scope.choose(*scope.choose(*samples()))
    owner = "torch" if getattr(scope.torch, name.partition(".")[0], None) is not None else None
    arguments = [text_of(scope, each) for each in sample.args]
    arguments += [f"{key}={text_of(scope, each)}" for key, each in sample.kwargs.items()]
    if owner is None:
        if not sample.args or not isinstance(sample.args[0], np.ndarray):
            return None
        return f"{scope.fresh()} = {arguments[0]}.{name}({', '.join(arguments[1:])})"
    return f"{scope.fresh()} = torch.{name}({', '.join(arguments)})"


def text_of(scope: Scope, value: Any) -> str:
    if isinstance(value, np.ndarray):
        return array_text(scope, value)
    if isinstance(value, (list, tuple)):
        inner = ", ".join(text_of(scope, each) for each in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if type(value).__name__ == "dtype":
        return "torch." + str(value).rpartition(".")[2]
    return repr(value) if not isinstance(value, float) or np.isfinite(value) else f"float('{value}')"


def array_text(scope: Scope, array: np.ndarray) -> str:
    """A tensor of the program with this shape and dtype, or one with the sample's numbers."""
    dtype = "torch." + str(array.dtype)
    fitting = scope.tensors(lambda tensor: tuple(tensor.shape) == array.shape and str(tensor.dtype).endswith(dtype[5:]))
    if fitting and scope.chance(0.4) and dtype[6:].startswith("float"):
        return scope.choose(*fitting)
    if array.size == 0 and array.ndim > 1:
        text = f"torch.zeros({array.shape}, dtype={dtype})"
    elif array.ndim == 2 and scope.chance(0.3):
        text = f"{written(array.T, dtype)}.t()"
    else:
        text = written(array, dtype)
    if array.dtype.kind == "f" and scope.chance(0.4):
        text += ".requires_grad_()"
    return text


def written(array: np.ndarray, dtype: str) -> str:
    """The tensor in full, rounded to what can be read."""
    # as wide floats: thousands of a half overflow
    wide = array.astype(np.result_type(array.dtype, np.float64)) if array.dtype.kind in "fc" else None
    values = array.tolist() if wide is None else np.round(wide, 3).tolist()
    text = re.sub(r"\b(nan|inf)\b", r"float('\1')", str(values))
    return f"torch.tensor({text}, dtype={dtype})"
