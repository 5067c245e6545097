"""Pickles: functions by the places where users find them, tensors with their memory beside the pickle."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from rushlight.ops.machine.late import registry

# results that are attributes, methods that Tensor's base has, and forms that several ops share
BY_OTHER_MEANS = {"fill", "real", "imag", "abs", "polygamma", "dropout", "feature_dropout", "alpha_dropout"}
BY_OTHER_MEANS |= {"feature_alpha_dropout", "linalg.solve", "linalg.eig", "linalg.lstsq"}


def test_the_function_and_the_method_of_every_op_are_pickled_by_name():
    for name in list(registry()):
        place, _, last = name.rpartition(".")
        if name in BY_OTHER_MEANS or place.startswith(("_", "ops")):
            continue
        public = import_module(f"rushlight.{place}" if place else "rushlight")
        for home in (public, torch.Tensor):
            for each in (getattr(home, last, None), getattr(home, f"{last}_", None)):
                assert each is None or pickle.loads(pickle.dumps(each)) is each, (name, each)


@pytest.mark.parametrize("function", [F.softsign, F.softmax, F.gelu, torch.max, torch.linalg.norm, torch.Tensor.add_])
def test_a_function_says_where_it_is_found(function):
    assert pickle.loads(pickle.dumps(function, 2)) is function
    assert function.__module__.startswith("rushlight") and ".ops." not in function.__module__


def test_a_module_with_functions_is_copied():
    layer = nn.TransformerEncoderLayer(4, 2, activation=F.softsign)
    found = copy.deepcopy(layer)
    assert found.activation is F.softsign is pickle.loads(pickle.dumps(layer)).activation


def test_numbers_may_stay_outside_of_a_pickle():
    x = torch.arange(1000.0)
    for made in (x, nn.Parameter(x), x.to(torch.bfloat16)):
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps([made, made[10:]], protocol=5, buffer_callback=buffers.append)
        assert len(data) < 3000 and len(buffers) == 1
        whole, part = pickle.loads(data, buffers=buffers)
        assert torch.equal(whole, made) and part.untyped_storage() is whole.untyped_storage()
        assert type(whole) is type(made)


def test_named_results_are_pickled():
    found = pickle.loads(pickle.dumps(torch.max(torch.tensor([[1.0, 2.0]]), 1)))
    assert found.values.tolist() == [2] and type(found) is torch.return_types.max


def test_recurrent_layers_keep_their_weights():
    net = nn.GRU(2, 3)
    found = pickle.loads(pickle.dumps(net))
    assert "_flat_weights" not in vars(found)
    found.weight_ih_l0.data.zero_()
    x = torch.ones(1, 1, 2)
    assert not torch.equal(found(x)[0], net(x)[0]) and found._flat_weights[0] is found.weight_ih_l0
