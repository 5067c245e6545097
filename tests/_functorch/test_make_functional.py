"""Modules as functions of their parameters, as functorch had them."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight._functorch import functorch


def test_a_model_is_called_with_its_parameters():
    model = nn.Linear(2, 3)
    function, params = functorch.make_functional(model)
    x = torch.ones(4, 2)
    assert torch.equal(function(params, x), model(x))
    assert all(each.requires_grad and each is not own for each, own in zip(params, model.parameters(), strict=True))
    gradient = functorch.grad(lambda given: function(given, x).sum())(params)
    assert gradient[1].tolist() == [4.0, 4.0, 4.0]
    _, quiet = functorch.make_functional(model, disable_autograd_tracking=True)
    assert not any(each.requires_grad for each in quiet)


def test_buffers_want_the_other_form():
    model = nn.BatchNorm1d(2).eval()
    with pytest.raises(RuntimeError, match="use make_functional_with_buffers"):
        functorch.make_functional(model)
    function, params, buffers = functorch.make_functional_with_buffers(model)
    x = torch.randn(3, 2)
    assert torch.allclose(function(params, buffers, x), model(x)) and len(buffers) == 3


def test_an_ensemble_is_mapped_over():
    models = [nn.Linear(2, 1) for _ in range(3)]
    function, params, buffers = functorch.combine_state_for_ensemble(models)
    x = torch.ones(5, 2)
    found = functorch.vmap(function, (0, 0, None))(params, buffers, x)
    assert torch.allclose(found, torch.stack([each(x) for each in models]), atol=1e-6)
    assert params[0].requires_grad and params[0].is_leaf
    with pytest.raises(RuntimeError, match="at least one model"):
        functorch.combine_state_for_ensemble([])
    with pytest.raises(RuntimeError, match="same class"):
        functorch.combine_state_for_ensemble([nn.Linear(1, 1), nn.Identity()])
    with pytest.raises(RuntimeError, match="same training/eval mode"):
        functorch.combine_state_for_ensemble([nn.Linear(1, 1), nn.Linear(1, 1).eval()])


def test_parameters_stay_parameters():
    model = nn.Linear(2, 1)
    model(torch.ones(2)).backward()
    _, params = functorch.make_functional(model)
    assert all(type(each) is nn.Parameter and each.requires_grad and each.grad is None for each in params)
    assert params[0] is not model.weight and torch.equal(params[0], model.weight)
    _, params = functorch.make_functional(model, disable_autograd_tracking=True)
    assert not any(each.requires_grad for each in params)
