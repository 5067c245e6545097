"""What `inspect` and `typing` say of modules."""

import inspect
import typing

import rushlight as torch
from rushlight import nn


def test_a_module_is_called_with_anything_as_in_torch():
    for module in (nn.ReLU(), nn.Linear(1, 1), nn.Sequential(nn.ReLU())):
        found = inspect.signature(module)
        assert [(each.name, each.kind.name) for each in found.parameters.values()] == [
            ("args", "VAR_POSITIONAL"),
            ("kwargs", "VAR_KEYWORD"),
        ]


def test_a_class_of_modules_shows_what_makes_one():
    assert list(inspect.signature(nn.Linear).parameters) == ["in_features", "out_features", "bias", "device", "dtype"]
    assert list(inspect.signature(nn.Linear(1, 1).forward).parameters) == ["input"]


def test_a_call_of_ones_own_shows_its_own_signature():
    class Own(nn.Linear):
        def __call__(self, input, *, scale=1):
            return self.forward(input) * scale

    assert str(inspect.signature(Own(1, 1))) == "(input, *, scale=1)"
    assert "in_features" in inspect.signature(Own).parameters


def test_type_hints_of_modules_optimizers_and_distributions_can_be_read():
    hints = typing.get_type_hints(nn.Module)
    assert hints["training"] is bool
    assert hints["_modules"] == dict[str, nn.Module | None]
    for package in (nn, torch.optim, torch.distributions):
        for kind in vars(package).values():
            if isinstance(kind, type) and not issubclass(kind, torch.Tensor):
                typing.get_type_hints(kind)
