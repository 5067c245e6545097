"""Containers: rows, lists and dictionaries of modules and parameters."""

from collections import OrderedDict

import pytest

import rushlight as torch
from rushlight import nn


def test_sequential_calls_one_after_the_other():
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    x = torch.ones(1, 2)
    assert torch.equal(model(x), model[0](x).relu())
    named = nn.Sequential(OrderedDict(first=nn.Linear(2, 3), last=nn.ReLU()))
    assert list(named._modules) == ["first", "last"] and named[-1] is named.last


def test_sequential_is_a_sequence():
    one, two, three = nn.ReLU(), nn.Tanh(), nn.ELU()
    model = nn.Sequential(one, two)
    assert list(model) == [one, two] and len(model) == 2
    assert list(model.append(three)) == [one, two, three]
    assert isinstance(model[1:], nn.Sequential) and list(model[1:]) == [two, three]
    assert list(model.insert(0, three)) == [three, one, two, three]
    assert list(model.insert(-1, one)) == [three, one, two, one, three]
    assert model.pop(0) is three and len(model) == 4
    del model[1:3]
    assert list(model._modules) == ["0", "1"] and list(model) == [one, three]
    model[0] = two
    assert list(model.extend([one])) == [two, three, one]
    assert list(nn.Sequential(one) + nn.Sequential(two)) == [one, two]
    assert list(nn.Sequential(one) * 2) == [one, one] == list(2 * nn.Sequential(one))
    model = nn.Sequential(one)
    model += nn.Sequential(two)
    model *= 2
    assert list(model) == [one, two, one, two]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda model: model[5], IndexError, "index 5 is out of range"),
        (lambda model: model + 3, ValueError, "only objects of Sequential"),
        (lambda model: model.__iadd__(3), ValueError, "only objects of Sequential"),
        (lambda model: model * 0, ValueError, "Non-positive multiplication factor 0"),
        (lambda model: model * "a", TypeError, "unsupported operand"),
        (lambda model: model.insert(5, nn.ReLU()), IndexError, "Index out of range: 5"),
        (lambda model: model.insert(0, 3), AssertionError, "module should be of type"),
        (lambda model: model.append(3), TypeError, "int is not a Module subclass"),
        (lambda model: nn.ModuleList(3), TypeError, "ModuleList.extend should be called with an iterable"),
        (lambda model: nn.ModuleDict(3), TypeError, "ModuleDict.update should be called with an iterable"),
        (lambda model: nn.ModuleDict([3]), TypeError, "should be Iterable"),
        (lambda model: nn.ModuleDict([(1, 2, 3)]), ValueError, "has length 3; 2 is required"),
        (
            lambda model: nn.ParameterList(3),
            TypeError,
            "ParameterList.extend should be called with an iterable",
        ),
        (lambda model: nn.ParameterDict({1: 2}), TypeError, "it is not a string"),
        (lambda model: nn.ParameterList()(1), RuntimeError, "ParameterList should not be called"),
        (lambda model: nn.ParameterDict()(1), RuntimeError, "ParameterDict should not be called"),
    ],
)
def test_mistakes_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call(nn.Sequential(nn.ReLU()))


def test_module_list():
    layers = nn.ModuleList([nn.Linear(1, 1)])
    layers.append(nn.ReLU()).extend([nn.ReLU()])
    layers.insert(0, nn.Tanh())
    assert [type(layer).__name__ for layer in layers] == ["Tanh", "Linear", "ReLU", "ReLU"]
    assert isinstance(layers[1:], nn.ModuleList) and len(layers[1:]) == 3
    assert len(layers + nn.ModuleList([nn.ELU()])) == 5 and len(list(layers.parameters())) == 2
    layers.pop(-1)
    layers += [nn.GELU()]
    assert repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])) == (
        "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    )
    assert repr(nn.ModuleList()) == "ModuleList()"


def test_module_dict():
    heads = nn.ModuleDict({"policy": nn.Linear(1, 2)})
    heads.update([("value", nn.Linear(1, 1))])
    heads["aux"] = nn.ReLU()
    assert list(heads) == ["policy", "value", "aux"] == list(heads.keys())
    assert "value" in heads and len(heads) == 3 and dict(heads.items())["value"] is heads["value"]
    assert isinstance(heads.pop("aux"), nn.ReLU) and len(list(heads.values())) == 2
    del heads["policy"]
    heads.clear()
    assert len(heads) == 0


def test_parameter_list():
    values = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1))])
    values.append(torch.ones(3)).extend([torch.ones(4)])
    values[0] = torch.full((2,), 5.0)
    values += [torch.ones(5)]
    assert [len(each) for each in values] == [2, 1, 3, 4, 5] and all(isinstance(each, nn.Parameter) for each in values)
    assert len(list(values.parameters())) == 5 and len(values[1:3]) == 2 and "0" in values.state_dict()
    assert repr(nn.ParameterList([torch.ones(2, 3), "text"])) == (
        "ParameterList(\n    (0): Parameter containing: [torch.float32 of size 2x3]\n    (1): Object of type: str\n)"
    )


def test_parameter_dict():
    values = nn.ParameterDict({"b": torch.ones(2), "a": torch.zeros(1)})
    assert list(values.keys()) == ["a", "b"] and list(values.state_dict()) == ["a", "b"]
    values["c"] = torch.ones(3)
    assert values.get("other") is None and values.setdefault("a") is values["a"] and "c" in values
    assert list(values.copy()) == ["a", "b", "c"] and list(reversed(values)) == ["c", "b", "a"]
    assert values.popitem()[0] == "c" and values.pop("a").shape == (1,)
    assert list(values | nn.ParameterDict({"z": torch.ones(1)})) == ["b", "z"]
    assert list(values.fromkeys(["x"], torch.ones(1))) == ["x"] and len(list(values.values())) == 1
    values |= nn.ParameterDict({"z": torch.ones(1)})
    assert repr(values).splitlines()[1] == "    (b): Parameter containing: [torch.FloatTensor of size 2]"
    values.clear()
    assert len(values) == 0
