"""Layers in a plain list or dictionary: a warning says how to make them part of the module."""

import warnings

import pytest

import rushlight as torch
from rushlight import nn


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        (lambda: [nn.Linear(2, 2)], "nn.ModuleList"),
        (lambda: {"a": nn.Linear(2, 2)}, "nn.ModuleDict"),
        (lambda: [nn.Parameter(torch.ones(1))], "nn.ParameterList"),
        (lambda: {"a": nn.Parameter(torch.ones(1))}, "nn.ParameterDict"),
    ],
)
def test_hidden_layers_are_named_with_the_fix(value, fix):
    module = nn.Module()
    with pytest.warns(UserWarning, match=rf"'layers' of Module are not found .* self.layers = {fix}\(") as caught:
        module.layers = value()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "value",
    [
        lambda module: [],
        lambda module: [1, "a", torch.ones(1)],
        lambda module: [nn.ReLU()],
        lambda module: (nn.Linear(2, 2),),
        lambda module: nn.ModuleList([nn.Linear(2, 2)]),
        lambda module: [module.known],
    ],
)
def test_nothing_hidden_nothing_said(value):
    module = nn.Module()
    module.known = nn.Linear(1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.layers = value(module)


def test_layers_put_into_a_container_are_not_hidden():
    model, layers = nn.Sequential(nn.ReLU()), nn.ModuleList([nn.ReLU()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.insert(0, nn.Linear(2, 2))
        layers.insert(0, nn.Linear(2, 2))
        del model[1]
    assert len(list(model.parameters())) == len(list(layers.parameters())) == 2
