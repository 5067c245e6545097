"""Small public helpers: grouped products, the choice of an attention algorithm, factory arguments, DataParallel."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_grouped_products_are_those_of_the_groups():
    a, b = torch.randn(5, 4), torch.randn(2, 4, 8)
    found = F.grouped_mm(a, b, offs=torch.tensor([2, 5], dtype=torch.int32))
    assert torch.equal(found, torch.cat([a[:2] @ b[0], a[2:] @ b[1]]))
    for wrong, words in (
        (lambda: F.grouped_mm(a, b), "Have to provide offsets"),
        (lambda: F.grouped_mm(a[0], b), "2 or 3 dimensional"),
        (lambda: F.grouped_mm(b, b.mT, bias=torch.ones(1)), "Bias not supported"),
    ):
        with pytest.raises(RuntimeError, match=words):
            wrong()


def test_any_attention_algorithm_may_be_chosen():
    from rushlight.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.MATH), sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        pass
    with pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend"), sdpa_kernel(["math"]):
        pass


def test_factory_arguments_are_known_and_given_once():
    assert nn.factory_kwargs(None) == {}
    assert nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": 1}}) == {"device": "cpu", "dtype": 1}
    with pytest.raises(TypeError, match="unexpected kwargs"):
        nn.factory_kwargs({"size": 1})
    with pytest.raises(TypeError, match="dtype specified twice"):
        nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}})


def test_data_parallel_calls_its_module():
    model = nn.DataParallel(nn.Linear(2, 3))
    x = torch.ones(1, 2)
    assert torch.equal(model(x), model.module(x))
    assert list(model.state_dict()) == ["module.weight", "module.bias"]


def test_functional_call_leaves_the_module_as_it_was():
    layer = nn.Linear(2, 1)
    weight = layer.weight
    state = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    assert torch.func.functional_call(layer, state, torch.ones(1, 2)).item() == 2
    assert layer.weight is weight
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.func.functional_call(layer, state, torch.ones(1, 3))
    assert layer.weight is weight
