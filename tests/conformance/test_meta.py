"""The meta device beside torch's: shape, dtype and strides of what every op gives for tensors without memory."""

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def registry() -> dict[str, Any]:
    return importlib.import_module("rushlight.ops.machine.late").registry()


def function_of(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part, None)
    return library


def on_meta(library: Any, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.isbuiltin == 2:
            raise NotImplementedError
        return library.from_numpy(value.copy()).to("meta")
    if isinstance(value, rushlight.dtype):
        return getattr(library, str(value).removeprefix("torch."))
    if type(value) in (list, tuple):
        return type(value)([on_meta(library, each) for each in value])
    return value


def shown(found: Any) -> Any:
    """What can be known of a result."""
    if isinstance(found, (torch.Tensor, rushlight.Tensor)):
        steps = [step for size, step in zip(found.shape, found.stride(), strict=True) if size > 1]
        return tuple(found.shape), str(found.dtype), steps if found.numel() else [], str(found.device)
    return [shown(each) for each in found] if isinstance(found, (tuple, list)) else None


def outcome(library: Any, name: str, sample: Any) -> Any:
    """What a call on meta tensors shows, or the error it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = on_meta(library, tuple(sample.args))
        kwargs = {key: on_meta(library, value) for key, value in sample.kwargs.items()}
        try:
            return shown(function_of(library, name)(*args, **kwargs))
        except Exception as error:
            return error


NAMES = [name for name, op in registry().items() if callable(op.samples)]


@pytest.mark.parametrize("name", NAMES)
def test_results_on_meta_are_those_of_torch(name: str) -> None:
    if function_of(torch, name) is None or function_of(rushlight, name) is None:
        pytest.skip("no such name")
    compared = 0
    for sample in registry()[name].samples():
        try:
            wanted = outcome(torch, name, sample)
            got = outcome(rushlight, name, sample)
        except NotImplementedError:
            continue
        if isinstance(wanted, Exception):
            # torch has no kernel for it: ours may have an answer, but the process lives
            continue
        compared += 1
        assert not isinstance(got, Exception), (sample, got)
        assert got == wanted, sample
    if not compared:
        pytest.skip("torch has no answer")
