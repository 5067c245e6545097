"""What a tensor's user put on it, and nothing else, stands in its `__dict__`."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import nn


class Marked(torch.Tensor):
    pass


def a_result():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad)
    y.sum().backward()
    return y


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(2),
        lambda: torch.ones(2)[1:],
        lambda: torch.ones(2, device="meta"),
        lambda: torch.ones(2).as_subclass(Marked),
        lambda: torch.ones(2).as_subclass(Marked) + 1,
        lambda: nn.Parameter(torch.ones(2)),
        lambda: nn.Linear(2, 2).weight.detach(),
        lambda: a_result(),
        lambda: a_result().grad,
    ],
)
def test_nothing_of_the_inside_is_seen(make):
    assert make().__dict__ == {}
    assert vars(make()) == {}


@pytest.mark.parametrize("make", [lambda: torch.ones(2), lambda: nn.Parameter(torch.ones(2))])
def test_the_dict_is_where_attributes_live(make):
    tensor = make()
    tensor.one = 1
    tensor.__dict__["two"] = 2
    assert tensor.__dict__ == {"one": 1, "two": 2}
    assert tensor.two == 2
    assert copy.copy(tensor).__dict__ == {"one": 1, "two": 2}
    assert pickle.loads(pickle.dumps(tensor)).__dict__ == {"one": 1, "two": 2}
    # torch's parameters leave theirs behind
    kept = {} if isinstance(tensor, nn.Parameter) else {"one": 1, "two": 2}
    assert copy.deepcopy(tensor).__dict__ == kept


def test_a_tensor_outlives_its_dict():
    tensor = nn.Parameter(torch.ones(2))
    tensor.__dict__ = {"mark": 1}
    assert tensor.mark == 1
    del tensor.__dict__
    assert tensor.__dict__ == {}
    assert tensor.sum().item() == 2
    assert tensor.requires_grad


def test_a_parameter_is_made_of_what_another_had():
    given = nn.Parameter(torch.ones(2), requires_grad=False)
    assert nn.Parameter(given.data, **given.__dict__).tolist() == [1, 1]
