"""What the samples of ops show: the kinds of their arguments and of their results."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.ops.machine.declare import Op


class Seen:
    """The kinds of values that were given for each parameter of an op, and of what came back."""

    def __init__(self, op: Op):
        self.arguments: dict[str, set[str]] = defaultdict(set)
        self.results: set[str] = set()
        signature = inspect.signature(op.body)
        for sample in op.samples() if op.samples is not None else ():
            args, kwargs = tensors(sample.args), tensors(sample.kwargs)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    result = op.function(*args, **kwargs)
                    given = signature.bind(*args, **kwargs).arguments
            except Exception:
                continue
            self.results.add(result_kind(result))
            for name, value in given.items():
                many = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
                for each in value if many else (value,):
                    self.arguments[name] |= kinds(each)


def tensors(value: Any) -> Any:
    """The arguments of a sample with tensors for arrays."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy("K"))
    if isinstance(value, dict):
        return {name: tensors(each) for name, each in value.items()}
    return type(value)(tensors(each) for each in value) if isinstance(value, (list, tuple)) else value


def kinds(value: Any) -> set[str]:
    """The kind of an argument; a sequence by its elements: `[int]`."""
    if isinstance(value, (list, tuple)):
        inner = {each for element in value for each in kinds(element)} - {"None"}
        return {f"[{each}]" for each in inner}
    if isinstance(value, torch.Tensor):
        return {"Tensor"}
    if isinstance(value, np.generic):
        return set()
    return {"None" if value is None else type(value).__name__}


def result_kind(value: Any) -> str:
    """The kind of a result: a named tuple by its fields."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return "named " + " ".join(value._fields)
    if isinstance(value, (list, tuple)):
        return "sequence"
    return "Tensor" if isinstance(value, torch.Tensor) else type(value).__name__
