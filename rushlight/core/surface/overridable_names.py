"""Overridable names: the functions in which `__torch_function__` has a word, and what torch calls them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from types import GetSetDescriptorType
from typing import Any

SPACES = ("", "functional", "nn.functional", "nn.init", "linalg", "fft", "special")
# what makes tensors of nothing, or asks about settings
SILENT = """
arange as_tensor asarray bartlett_window blackman_window can_cast compiled_with_cxx11_abi empty empty_permuted
empty_strided eye finfo fork_rng frombuffer from_dlpack from_file from_numpy full get_default_device get_default_dtype
get_num_threads hamming_window hann_window iinfo initial_seed is_grad_enabled is_inference_mode_enabled is_storage
is_tensor kaiser_window linspace logspace manual_seed normal obj ones promote_types rand randint randn randperm range
scalar_tensor seed set_default_device set_default_dtype set_default_tensor_type set_num_threads set_printoptions
tensor tril_indices triu_indices typename zeros broadcast_shapes fftfreq rfftfreq
""".split()


def modules() -> dict[str, Any]:
    """The modules of functions, by what follows "torch." in their names."""
    return {place: import_module(f"rushlight.{place}".rstrip(".")) for place in SPACES}


@functools.cache
def functions() -> dict[Any, list[Callable]]:
    """The overridable functions by module or class."""
    from rushlight.core.object.tensor import Tensor

    found: dict[Any, list[Callable]] = {}
    for place, module in modules().items():
        if place != "nn.init":
            found[module] = [value for name, value in public(module) if name not in SILENT]
    found[Tensor] = [getattr(Tensor, name) for name in dir(Tensor) if is_method(name, getattr(Tensor, name, None))]
    for name, field in fields().items():
        found[getattr(Tensor, name)] = [field]
    return found


@functools.cache
def names() -> dict[Any, str]:
    """What torch calls each function."""
    from rushlight.core.object.tensor import Tensor

    found: dict[Any, str] = {}
    named = [
        (name, value, ".".join(["torch", *filter(None, [place]), name]))
        for place, module in modules().items()
        for name, value in public(module)
    ]
    named += [
        (name, value, f"torch.Tensor.{name}")
        for name, value in ((name, getattr(Tensor, name, None)) for name in dir(Tensor))
        if callable(value) and not isinstance(value, type)
    ]
    # an alias has the name that the function itself shows
    for _, value, full in sorted(named, key=lambda each: getattr(each[1], "__name__", each[0]) != each[0]):
        found.setdefault(value, full)
    # one function here, two in torch, of which this is the one that programs call
    functional = import_module("rushlight.nn.functional")
    for count in (1, 2, 3):
        found[getattr(functional, f"max_pool{count}d")] = f"torch.nn.functional.max_pool{count}d"
    # and one that shows the name it had in Python 2
    found[Tensor.__rtruediv__] = "torch.Tensor.__rtruediv__"
    for name, field in fields().items():
        found[field] = f"torch.Tensor.{name}.__get__"
        found[field.__self__.__set__] = f"torch.Tensor.{name}.__set__"  # type: ignore[attr-defined]
    return found


def public(module: Any) -> list[tuple[str, Callable]]:
    """The public functions of a module, its late ones included."""
    from rushlight.ops.machine import late

    late.load()
    shown = [name for name in dir(module) if not name.startswith("_")]
    found = [(name, getattr(module, name, None)) for name in shown]
    return [(name, value) for name, value in found if callable(value) and not isinstance(value, type)]


def is_method(name: str, value: Any) -> bool:
    return callable(value) and not isinstance(value, type) and (not name.startswith("_") or name.startswith("__"))


def fields() -> dict[str, Callable]:
    """What reads each property of Tensor."""
    from rushlight.core.object.tensor import Tensor

    found = {}
    for name in dir(Tensor):
        value = getattr(Tensor, name, None)
        if isinstance(value, (property, GetSetDescriptorType)) and (not name.startswith("_") or name == "_version"):
            found[name] = value.__get__
    return found


def ignored() -> set[Callable]:
    """Public functions in which nobody has a word."""
    rushlight = import_module("rushlight")
    return {getattr(rushlight, name) for name in SILENT if callable(getattr(rushlight, name, None))}
