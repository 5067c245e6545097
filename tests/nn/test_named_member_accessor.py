"""Members of a module by their path."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.utils._named_member_accessor import NamedMemberAccessor, set_tensor, swap_submodule, swap_tensor


def test_a_tensor_takes_the_place_of_a_parameter():
    layer, other = nn.Linear(2, 1), torch.ones(1, 2)
    before = swap_tensor(layer, "weight", other)
    assert isinstance(before, nn.Parameter) and layer.weight is other and "weight" in layer._parameters
    set_tensor(layer, "extra", other)
    assert layer.extra is other
    with pytest.raises(AttributeError, match="Linear has no attribute `missing`"):
        swap_tensor(layer, "missing", other)
    with pytest.raises(TypeError, match=r"is not an instance of torch\.Tensor"):
        swap_tensor(layer, "weight", 1)
    with pytest.raises(TypeError, match="attribute `in_features`"):
        swap_tensor(layer, "in_features", other)
    with pytest.raises(KeyError, match="t contain"):
        swap_tensor(layer, "a.b", other)
    with pytest.raises(KeyError, match="t be empty"):
        swap_tensor(layer, "", other)
    with pytest.raises(TypeError, match=r"torch\.nn\.Module"):
        swap_tensor(None, "weight", other)


def test_a_module_takes_the_place_of_another():
    model, relu = nn.Sequential(nn.Linear(1, 1)), nn.ReLU()
    before = swap_submodule(model, "0", relu)
    assert isinstance(before, nn.Linear) and model[0] is relu
    with pytest.raises(KeyError, match="submodule 7 does not exist"):
        swap_submodule(model, "7", relu)
    with pytest.raises(TypeError, match=r"torch\.nn\.Module"):
        swap_submodule(model, "0", 1)
    model.register_module("none", None)
    with pytest.raises(TypeError, match="none attribute"):
        swap_submodule(model, "none", relu)


def test_members_deep_inside_are_found_by_their_path():
    model = nn.Sequential(nn.Sequential(nn.Linear(2, 1)), nn.BatchNorm1d(1))
    access = NamedMemberAccessor(model)
    assert access.get_tensor("0.0.weight") is model[0][0].weight
    new = torch.zeros(1)
    before, missing = access.swap_tensors_dict({"0.0.bias": new})
    assert model[0][0].bias is new and isinstance(before["0.0.bias"], nn.Parameter) and missing == []
    with pytest.raises(RuntimeError, match="Missing key"):
        access.swap_tensors_dict({"0.0.bias": torch.ones(1), "1.nothing": new})
    assert model[0][0].bias is new and not hasattr(model[1], "nothing")
    absent, unknown = access.check_keys(["0.0.weight", "x"])
    assert "1.running_mean" in absent and unknown == ["x"]
    access.set_tensors(["1.running_mean"], [torch.ones(1)])
    assert access.get_tensors(["1.running_mean"])[0].item() == 1
    assert len(access.swap_tensors(["1.running_mean"], [new])) == 1
    access.del_tensors(["1.running_mean"])
    with pytest.raises(AttributeError, match="has no attribute"):
        access.get_tensor("1.running_mean")
    with pytest.raises(TypeError, match=r"torch\.Tensor"):
        access.get_tensor("0.0.in_features")
    assert isinstance(access.swap_submodule("0.0", nn.Identity()), nn.Linear)
    assert [name for name, _ in access.named_modules()] == ["", "0", "0.0", "1"]
