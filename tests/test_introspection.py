"""Questions that tools ask of the public names: type hints, signatures, namespaces."""

import inspect
import typing

import pytest

import rushlight as torch
from rushlight import nn

PLACES = (torch, nn, nn.functional, torch.optim, torch.optim.lr_scheduler, torch.distributions, torch.autograd)


def annotated(place):
    """Classes and functions of a module, with the methods of the classes."""
    for name in dir(place):
        value = getattr(place, name)
        if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        yield value
        if inspect.isclass(value):
            yield from (each for each in vars(value).values() if inspect.isfunction(each))


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_type_hints_can_be_read(place):
    for each in annotated(place):
        typing.get_type_hints(each)


def test_the_hints_of_a_module_name_its_tables():
    assert {"training", "_parameters", "_buffers", "_modules"} <= set(typing.get_type_hints(nn.Module))


def test_a_layer_has_a_signature():
    assert list(inspect.signature(nn.Linear(1, 1)).parameters) == ["args", "kwargs"]
    assert list(inspect.signature(nn.Linear).parameters) == ["in_features", "out_features", "bias", "device", "dtype"]


def test_a_dtype_is_not_taken_for_numpys():
    assert not hasattr(torch.float32, "type")
    with pytest.raises(AttributeError, match=r"^'torch.dtype' object has no attribute 'type'"):
        _ = torch.float32.type
