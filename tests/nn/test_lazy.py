"""Lazy modules: parameters without a shape, until the first input."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


def test_the_first_input_gives_the_shape_and_the_class():
    layer = nn.LazyLinear(3)
    assert repr(layer) == "LazyLinear(in_features=0, out_features=3, bias=True)"
    assert layer.has_uninitialized_params()
    torch.manual_seed(0)
    layer(torch.ones(2, 5))
    assert type(layer) is nn.Linear and layer.in_features == 5
    assert not layer._forward_pre_hooks and not layer._load_state_dict_pre_hooks
    torch.manual_seed(0)
    assert torch.equal(layer.weight, nn.Linear(5, 3).weight)


def test_what_has_no_shape_refuses_to_be_used():
    parameter = UninitializedParameter()
    assert repr(parameter) == "<UninitializedParameter>" and is_lazy(parameter)
    for use in (lambda: parameter + 1, lambda: torch.exp(parameter), lambda: parameter.sum(), lambda: parameter[0]):
        with pytest.raises(ValueError, match="Attempted to use an uninitialized parameter"):
            use()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        _ = parameter.shape


def test_materialize_makes_a_parameter_or_a_buffer():
    parameter, buffer = UninitializedParameter(dtype=torch.float64), UninitializedBuffer()
    parameter.materialize((2, 3))
    buffer.materialize((4,))
    assert type(parameter) is nn.Parameter and parameter.shape == (2, 3) and parameter.dtype is torch.float64
    assert type(buffer) is torch.Tensor and buffer.shape == (4,)
    parameter.sum().backward()
    assert parameter.grad.shape == (2, 3)


def test_lazy_layers_are_copied_pickled_and_converted():
    layer = nn.LazyLinear(3).double()
    for each in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert each.has_uninitialized_params()
        assert each(torch.ones(1, 2, dtype=torch.float64)).dtype is torch.float64
    assert layer.has_uninitialized_params()


def test_state_passes_to_a_lazy_layer_but_not_from_one():
    layer, plain = nn.LazyLinear(3), nn.Linear(5, 3)
    layer.load_state_dict(plain.state_dict())
    assert torch.equal(layer.weight, plain.weight)
    layer(torch.ones(1, 5))
    assert type(layer) is nn.Linear
    with pytest.raises(RuntimeError, match="Can't access the shape"):
        plain.load_state_dict(nn.LazyLinear(3).state_dict())


def test_a_subclass_must_say_how_to_initialize():
    class Forgetful(nn.modules.lazy.LazyModuleMixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = UninitializedParameter()

    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Forgetful"):
        Forgetful()(torch.ones(1))
    Forgetful.initialize_parameters = lambda self, x: None
    with pytest.raises(RuntimeError, match="has not been fully initialized"):
        Forgetful()(torch.ones(1))


@pytest.mark.parametrize("dims", (1, 2, 3))
@pytest.mark.parametrize("name", ["Conv", "ConvTranspose"])
def test_convolutions_count_the_channels_of_their_first_input(name, dims):
    torch.manual_seed(0)
    layer = getattr(nn, f"Lazy{name}{dims}d")(4, 3, groups=2)
    assert repr(layer).startswith(f"Lazy{name}{dims}d(0, 4, ")
    x = torch.ones(2, 6, *[5] * dims)
    torch.manual_seed(0)
    output = layer(x)
    torch.manual_seed(0)
    plain = getattr(nn, f"{name}{dims}d")(6, 4, 3, groups=2)
    assert type(layer) is type(plain) and repr(layer) == repr(plain)
    assert torch.equal(output, plain(x)) and torch.equal(layer(x[0]), output[0])


@pytest.mark.parametrize("dims", (1, 2, 3))
@pytest.mark.parametrize("name", ["BatchNorm", "InstanceNorm"])
def test_norms_count_the_channels_of_their_first_input(name, dims):
    layer = getattr(nn, f"Lazy{name}{dims}d")(momentum=0.3)
    plain = getattr(nn, f"{name}{dims}d")(3, momentum=0.3, affine=True, track_running_stats=True)
    assert list(layer.state_dict()) == list(plain.state_dict())
    x = torch.arange(3.0 * 2 * 4**dims).reshape(2, 3, *[4] * dims)
    assert torch.equal(layer(x), plain(x)) and repr(layer) == repr(plain)
    assert torch.equal(layer.running_mean, plain.running_mean) and layer.running_mean[0] != 0


def test_norms_without_weights_and_statistics_are_lazy_too():
    layer = nn.LazyBatchNorm1d(affine=False, track_running_stats=False)
    assert not layer.state_dict() and not layer.has_uninitialized_params()
    assert layer(torch.arange(6.0).reshape(2, 3)).shape == (2, 3)
    assert nn.LazyBatchNorm1d(bias=False).bias is None


def test_lazy_layers_refuse_inputs_whose_channels_cannot_be_counted():
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"):
        nn.LazyConv2d(4, 3)(torch.ones(2, 4))
    with pytest.raises(ValueError, match="in_channels must be divisible by groups: 3 channels, 2 groups"):
        nn.LazyConv2d(4, 3, groups=2)(torch.ones(3, 5, 5))
    with pytest.raises(IndexError, match="tuple index out of range: LazyBatchNorm1d counts the channels"):
        nn.LazyBatchNorm1d()(torch.ones(4))
