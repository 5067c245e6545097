"""Errors inside a network name the layer by its path."""

import gc
import pickle

import pytest

import rushlight as torch
from rushlight import nn


class Block(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(features, 2))
        self.weight = nn.Parameter(torch.ones(2, 2))

    def forward(self, x):
        return self.layers(x) @ self.weight


class Network(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.encoder = nn.ModuleList([Block(8), Block(features)])

    def forward(self, x):
        for each in self.encoder:
            x = torch.cat([each(x), each(x)], 1)
        return x


def words(function, kind=RuntimeError):
    with pytest.raises(kind) as caught:
        function()
    return str(caught.value)


def test_a_wrong_size_names_the_path_after_torchs_words():
    lines = words(lambda: Network(64)(torch.ones(2, 4))).splitlines()
    assert lines[0].startswith("mat1 and mat2 shapes cannot be multiplied (2x8 and 64x2)")
    assert lines[1] == "  in encoder.1.layers.2 (Linear): expected last dimension 64, got 8"


def test_a_wrong_dtype_names_both():
    text = words(lambda: nn.Sequential(nn.Linear(4, 3))(torch.ones(2, 4, dtype=torch.float64)))
    assert "\n  in 0 (Linear): expected torch.float32, got torch.float64\n" in text


def test_a_layer_by_itself_has_no_path():
    assert "\n  in Linear: expected last dimension 4, got 3\n" in words(lambda: nn.Linear(4, 2)(torch.ones(1, 3)))


def test_a_module_of_the_users_own_is_named_by_its_place_only():
    network = Network(8)
    with torch.no_grad():
        network.encoder[1].weight = nn.Parameter(torch.ones(3, 3))
    assert "\n  in encoder.1 (Block): got shape [2, 4]\n" in words(lambda: network(torch.ones(2, 4)))
    assert "Block" not in words(lambda: network.encoder[1](torch.ones(2, 4)))


def test_errors_with_hooks_are_named_too():
    network = nn.Sequential(nn.Linear(4, 2))
    network[0].register_forward_hook(lambda *_: None)
    assert "in 0 (Linear)" in words(lambda: network(torch.ones(1, 3)))


@pytest.mark.parametrize("raised", [ValueError("mine"), KeyError("mine"), RuntimeError("a", "b"), StopIteration("x")])
def test_errors_of_the_users_own_stay_as_they_are(raised):
    class Raises(nn.Module):
        def forward(self, x):
            raise raised

    with pytest.raises(type(raised)) as caught:
        nn.Sequential(Raises())(torch.ones(1))
    assert caught.value is raised and caught.value.args == raised.args


def test_wrong_arguments_of_forward_are_left_to_python():
    assert "in Linear" not in words(lambda: nn.Linear(2, 2)(), TypeError)


def test_a_named_error_can_be_pickled_and_keeps_no_tensor():
    model = nn.Linear(4, 2)
    with pytest.raises(RuntimeError) as caught:
        model(torch.ones(1, 3))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    found = [each for each in gc.get_objects() if each is model]
    assert len(found) == 1


def test_the_same_error_twice_is_named_once():
    network = nn.Sequential(nn.Linear(4, 2))
    for _ in range(2):
        assert words(lambda: network(torch.ones(1, 3))).count("\n  in ") == 1


def test_layers_of_another_dtype_are_refused_in_the_words_of_their_product():
    double = torch.ones(2, 4, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype, but got Double and Float"):
        nn.Linear(4, 4)(double)
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype, but got: double != float"):
        nn.Linear(4, 4, bias=False)(double)
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype, but got Double and Float"):
        nn.GRUCell(4, 4)(double)


def test_shapes_of_a_product_without_bias_are_looked_at_first():
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(3x5 and 4x2\)"):
        nn.Linear(4, 2, bias=False)(torch.ones(3, 5, dtype=torch.float64))
