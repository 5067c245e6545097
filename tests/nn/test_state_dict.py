"""State dicts: what is saved, loaded, missing and unexpected."""

import weakref

import pytest

import rushlight as torch
from rushlight import nn


def network():
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1, bias=False))
    model.register_buffer("steps", torch.tensor(4))
    model.register_buffer("scratch", torch.zeros(1), persistent=False)
    return model


def test_keys_and_versions():
    state = network().state_dict()
    assert list(state) == ["steps", "0.weight", "0.bias", "2.weight"]
    assert state._metadata == {
        "": {"version": 1},
        "0": {"version": 1},
        "1": {"version": 1},
        "2": {"version": 1},
    }


def test_values_share_memory_without_history():
    model = network()
    state = model.state_dict()
    assert not state["0.weight"].requires_grad and type(state["0.weight"]) is torch.Tensor
    with torch.no_grad():
        model[0].weight.fill_(3)
    assert (state["0.weight"] == 3).all()
    assert model.state_dict(keep_vars=True)["0.weight"] is model[0].weight


def test_prefix_and_destination():
    found = {}
    assert nn.Linear(1, 1).state_dict(destination=found, prefix="net.") is found
    assert list(found) == ["net.weight", "net.bias"]
    with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
        nn.Linear(1, 1).state_dict({}, "net.")


def test_round_trip():
    one, two = network(), network()
    two.steps.fill_(9)
    assert repr(one.load_state_dict(two.state_dict())) == "<All keys matched successfully>"
    assert torch.equal(one[0].weight, two[0].weight) and one.steps.item() == 9
    assert one[0].weight is not two[0].weight


def test_missing_and_unexpected_keys_are_listed():
    state = network().state_dict()
    state["2.extra"] = state.pop("0.bias")
    with pytest.raises(RuntimeError) as caught:
        network().load_state_dict(state)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "0.bias". \n'
        '\tUnexpected key(s) in state_dict: "2.extra". '
    )
    keys = network().load_state_dict(state, strict=False)
    assert keys.missing_keys == ["0.bias"] and keys.unexpected_keys == ["2.extra"]
    assert repr(keys) == "_IncompatibleKeys(missing_keys=['0.bias'], unexpected_keys=['2.extra'])"


def test_wrong_sizes_and_values_are_refused_even_when_not_strict():
    state = network().state_dict() | {"0.bias": torch.ones(5), "2.weight": "text"}
    with pytest.raises(RuntimeError, match=r"size mismatch for 0.bias: .*torch.Size\(\[5\]\)") as caught:
        network().load_state_dict(state, strict=False)
    assert "expected torch.Tensor or Tensor-like object from checkpoint but received <class 'str'>" in str(caught.value)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like"):
        network().load_state_dict([("a", 1)])


def test_failure_of_one_copy_is_reported():
    model = network()
    with pytest.raises(RuntimeError, match="While copying the parameter named"):
        model[0].weight.data = torch.ones(1, 1).expand(2, 3)
        model.load_state_dict(network().state_dict())


def test_assign_takes_the_tensors_themselves():
    model, state = network(), {key: value.double() for key, value in network().state_dict().items()}
    model[2].weight.requires_grad_(False)
    model.load_state_dict(state, assign=True)
    assert model[0].weight.dtype is torch.float64 and model[0].weight.requires_grad
    assert not model[2].weight.requires_grad and isinstance(model[2].weight, nn.Parameter)
    given = nn.Parameter(torch.ones(2, 3))
    model.load_state_dict(state | {"0.weight": given}, assign=True)
    assert model[0].weight is given


def test_one_element_is_loaded_into_a_number():
    module = nn.Module()
    module.scale = nn.Parameter(torch.tensor(1.0))
    module.load_state_dict({"scale": torch.tensor([5.0])})
    assert module.scale.item() == 5


def test_extra_state():
    class Counting(nn.Module):
        count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    module = Counting()
    module.count = 3
    state = module.state_dict()
    assert state == {"_extra_state": {"count": 3}}
    other = Counting()
    other.load_state_dict(state)
    assert other.count == 3
    with pytest.raises(RuntimeError, match="Missing key"):
        other.load_state_dict({})
    with pytest.raises(RuntimeError, match="Unexpected key"):
        nn.ReLU().load_state_dict(state)
    with pytest.raises(RuntimeError, match="does not define get_extra_state"):
        nn.ReLU().get_extra_state()
    with pytest.raises(RuntimeError, match="does not define set_extra_state"):
        nn.ReLU().set_extra_state(1)


def test_hooks_around_saving_and_loading():
    seen = []
    layer = nn.Linear(1, 1)
    layer.register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append("before saving"))
    layer.register_state_dict_post_hook(lambda module, state, prefix, metadata: seen.append("after saving"))
    layer.register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: state.update({"bias": torch.ones(1)}))
    layer.register_load_state_dict_post_hook(lambda module, keys: seen.append(keys.missing_keys[:]))
    state = layer.state_dict()
    del state["bias"]
    layer.load_state_dict(state)
    assert seen == ["before saving", "after saving", []] and layer.bias.item() == 1


def test_hooks_that_return_something_are_refused():
    layer = nn.Linear(1, 1)
    with (
        layer.register_state_dict_post_hook(lambda *given: 1),
        pytest.raises(RuntimeError, match="must return None"),
    ):
        layer.state_dict()
    layer.register_load_state_dict_post_hook(lambda module, keys: 1)
    with pytest.raises(AssertionError, match="not expected to return new values"):
        layer.load_state_dict(layer.state_dict())


def test_older_state_dict_hook_replaces_the_result():
    layer = nn.Linear(1, 1)
    layer._register_state_dict_hook(lambda module, state, prefix, metadata: {"all": 1})
    assert layer.state_dict() == {"all": 1}


def test_hooks_of_state_dicts_keep_no_module_alive():
    layer = nn.Linear(2, 2)
    layer.register_state_dict_pre_hook(lambda *args: None)
    layer._register_state_dict_hook(lambda *args: None)
    layer._register_load_state_dict_pre_hook(lambda *args: None, with_module=True)
    layer.register_load_state_dict_post_hook(lambda *args: None)
    seen = weakref.ref(layer)
    del layer
    assert seen() is None
