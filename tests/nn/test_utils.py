"""Gradient clipping, and parameters as one vector."""

import math

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import utils


def parameters(*grads):
    found = []
    for grad in grads:
        found.append(nn.Parameter(torch.zeros(len(grad))))
        found[-1].grad = torch.tensor(grad)
    return [*found, nn.Parameter(torch.zeros(2))]  # the last one has no gradient


def test_norm_is_clipped_over_all_parameters():
    given = parameters([3.0, 0.0], [4.0])
    assert utils.clip_grad_norm_(given, 1.0).item() == 5
    assert utils.get_total_norm([each.grad for each in given[:2]]).item() == pytest.approx(1, rel=1e-5)
    assert utils.clip_grad_norm_(given, 10.0).item() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize(
    ("norm_type", "expected"), [(1, 7), (2.0, 5), (math.inf, 4), (-math.inf, 3), (0, 2), (3.0, 91 ** (1 / 3))]
)
def test_norms_of_every_order(norm_type, expected):
    total = utils.get_total_norm([torch.tensor([3.0]), torch.tensor([-4.0])], norm_type)
    assert total.item() == pytest.approx(expected) and total.dtype is torch.float32


def test_one_tensor_stands_for_a_list():
    parameter = parameters([6.0, 8.0])[0]
    assert utils.clip_grad_norm_(parameter, 5.0).item() == 10
    assert parameter.grad.tolist() == pytest.approx([3, 4], rel=1e-5)
    utils.clip_grad_value_(parameter, 3.5)
    assert parameter.grad.tolist() == pytest.approx([3, 3.5], rel=1e-5)


def test_nothing_to_clip():
    assert utils.clip_grad_norm_([], 1.0).item() == 0
    assert utils.get_total_norm([]).item() == 0


def test_norm_that_is_not_finite():
    given = parameters([math.inf])
    with pytest.raises(RuntimeError, match="is non-finite, so it cannot be clipped"):
        utils.clip_grad_norm_(given, 1.0, error_if_nonfinite=True)
    assert given[0].grad.item() == math.inf
    assert utils.clip_grad_norm_(given, 1.0).item() == math.inf
    assert math.isnan(given[0].grad.item())


def test_older_name():
    with pytest.warns(FutureWarning, match="in favor of `torch.nn.utils.clip_grad_norm_`"):
        utils.clip_grad_norm(parameters([1.0]), 1.0)


def test_parameters_as_one_vector_and_back():
    layer = nn.Linear(2, 1)
    vector = utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (3,) and vector.requires_grad
    utils.vector_to_parameters(torch.arange(3.0), layer.parameters())
    assert layer.weight.tolist() == [[0, 1]] and layer.bias.tolist() == [2]
    with pytest.raises(TypeError, match=r"expected torch.Tensor, but got: list"):
        utils.vector_to_parameters([1], layer.parameters())


def test_weight_norm_of_a_vector_has_a_length_for_each_number():
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.tensor([3.0, -4.0]))

        def forward(self, x):
            return self.w * x

    module = nn.utils.parametrizations.weight_norm(Scale(), "w")
    assert module.parametrizations.w.original0.tolist() == [3.0, 4.0]
    assert module(torch.ones(2)).tolist() == [3.0, -4.0]
    whole = nn.utils.parametrizations.weight_norm(Scale(), "w", None)
    assert whole.parametrizations.w.original0.item() == 5.0


def test_norms_except_one_dimension_are_laid_out_as_in_torch():
    assert torch.norm_except_dim(torch.ones(2, 3, 4), 2, 1).stride() == (1, 1, 1)
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        torch.norm_except_dim(torch.tensor(2.0), 2, 0)
    assert torch._weight_norm(torch.ones(2, 3), torch.full((2, 1), 3.0)).sum().item() == pytest.approx(10.392305)


def test_state_dicts_of_the_first_spectral_norm_load():
    layer = utils.spectral_norm(nn.Linear(3, 4))
    layer(torch.ones(1, 3))
    layer.eval()
    expected = layer(torch.ones(1, 3))
    old = {name: value.clone() for name, value in layer.state_dict().items() if name != "weight_v"}
    old["weight"] = layer.weight.detach().clone()
    other = utils.spectral_norm(nn.Linear(3, 4))
    other.load_state_dict(old)
    assert (other.eval()(torch.ones(1, 3)) - expected).abs().max() < 1e-5
    del old["weight"]
    assert set(other.load_state_dict(old, strict=False).missing_keys) == {"weight", "weight_v"}
    utils.remove_spectral_norm(other)
    assert not other._load_state_dict_pre_hooks


def test_weight_norm_along_the_first_or_last_dimension_is_one_node():
    layer = utils.parametrizations.weight_norm(nn.Linear(2, 3))
    assert type(layer.weight.grad_fn).__name__ == "WeightNormInterfaceBackward0"
    v, g = torch.rand(2, 3, 4) + 0.5, torch.rand(1, 3, 1)
    v.requires_grad_()
    assert type(torch._weight_norm(v, g, 1).grad_fn).__name__ == "MulBackward0"
    with pytest.raises(RuntimeError, match="fused kernels can only be applied for first or last dim"):
        torch._weight_norm_interface(v, g, 1)


def test_functional_calls_refuse_what_is_no_tensor():
    layer, call = nn.Sequential(nn.Linear(1, 1)), torch.func.functional_call
    with pytest.raises(TypeError, match=r"^3 is not an instance of torch\.Tensor"):
        call(layer, {"0.weight": 3}, torch.ones(1))
    with pytest.raises(TypeError, match=r"attribute `training`: True is not an instance of torch\.Tensor"):
        call(layer, {"training": torch.ones(1)}, torch.ones(1))
    with pytest.raises(KeyError, match="be empty string"):
        call(layer, {"": torch.ones(1)}, torch.ones(1))


def test_clipping_nothing_of_a_generator_warns():
    with pytest.warns(UserWarning, match="`parameters` is an empty generator, no gradient clipping will occur"):
        assert utils.clip_grad_norm_((each for each in ()), 1.0).item() == 0
    assert utils.clip_grad_norm_([], 1.0).item() == 0
