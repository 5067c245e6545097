"""__torch_function__ on subclasses of Tensor and on objects of other kinds: who is asked, with what, in which order."""

import pytest

import rushlight as torch
from rushlight.core.surface.overriding import DISABLED, DisableTorchFunction, DisableTorchFunctionSubclass
from rushlight.nn import functional


class Logged(torch.Tensor):
    calls: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Logged.calls.append((torch.overrides.resolve_name(func), args, kwargs))
        return super().__torch_function__(func, types, args, kwargs)


class Foreign:
    def __init__(self, name="foreign"):
        self.name = name

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return self.name, func, types, args, kwargs


def logged(call):
    Logged.calls.clear()
    call()
    return [name for name, _, _ in Logged.calls]


@pytest.fixture
def made():
    return torch.ones(2, 2).as_subclass(Logged)


def test_results_are_of_the_subclass(made):
    class Mine(torch.Tensor):
        pass

    mine = torch.arange(4.0).as_subclass(Mine)
    found = [mine + 1, 1 - mine, torch.add(mine, 1), mine.sum(), mine[1:], mine.data, torch.zeros_like(mine)]
    assert {type(each) for each in found} == {Mine}
    assert {type(each) for each in mine.split(2)} == {Mine}
    assert type(torch.sort(mine).values) is Mine
    assert type(mine.shape) is torch.Size
    assert type(torch.ones(1) * mine) is Mine


def test_history_goes_through_a_subclass():
    class Mine(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x.as_subclass(Mine) * 3).sum()
    assert type(y) is Mine
    y.backward()
    assert x.grad.tolist() == [3, 3]


def test_the_function_shown_is_the_public_one(made):
    assert logged(lambda: made + 1) == ["torch.Tensor.add"]
    assert logged(lambda: 1 + made) == ["torch.Tensor.add"]
    assert logged(lambda: 1 - made) == ["torch.Tensor.__rsub__"]
    assert logged(lambda: 1 / made) == ["torch.Tensor.__rtruediv__"]
    assert logged(lambda: made / 2) == ["torch.Tensor.div"]
    assert logged(lambda: made**2) == ["torch.Tensor.__pow__"]
    assert logged(lambda: made == 1) == ["torch.Tensor.__eq__"]
    assert logged(lambda: torch.ones(2, 2) < made) == ["torch.Tensor.gt"]
    assert logged(lambda: torch.add(made, 1)) == ["torch.add"]
    assert logged(lambda: made.add(1)) == ["torch.Tensor.add"]
    assert logged(lambda: made.add_(1)) == ["torch.Tensor.add_"]
    assert logged(lambda: functional.relu(made)) == ["torch.nn.functional.relu"]
    assert logged(lambda: torch.relu(made)) == ["torch.relu"]
    assert logged(lambda: torch.nn.Linear(2, 2)(made)) == ["torch.nn.functional.linear"]
    assert logged(lambda: made[0]) == ["torch.Tensor.__getitem__"]
    assert logged(lambda: torch.ones(9)[made.long()[0]])[-1] == "torch.Tensor.__getitem__"
    assert logged(lambda: made.shape) == ["torch.Tensor.shape.__get__"]
    assert logged(lambda: made.grad) == ["torch.Tensor.grad.__get__"]
    assert logged(lambda: len(made)) == ["torch.Tensor.__len__"]
    assert logged(lambda: made.size(0)) == ["torch.Tensor.size"]
    assert logged(lambda: setattr(made, "requires_grad", True)) == ["torch.Tensor.requires_grad.__set__"]


def test_options_of_what_torch_writes_in_python_are_handed_on_by_name(made):
    logged(lambda: functional.dropout(made, 0.25))
    _, args, kwargs = Logged.calls[0]
    assert args == (made,)
    assert kwargs == {"p": 0.25, "training": True, "inplace": False}
    logged(lambda: made.sum(dim=0))
    assert Logged.calls[0][2] == {"dim": 0}
    logged(lambda: made.sum(0))
    assert Logged.calls[0][2] is None


def test_a_foreign_object_is_asked_wherever_it_stands():
    one = Foreign()
    assert torch.add(one, 1)[:2] == ("foreign", torch.add)
    assert torch.add(torch.ones(1), other=one)[4] == {"other": one}
    assert torch.stack([torch.ones(1), one])[1] is torch.stack
    assert torch.cat((one,))[2] == (Foreign,)
    assert (torch.ones(1) + one)[1] is torch.Tensor.add
    assert torch.einsum("i->", one)[3] == ("i->", one)
    assert torch.zeros_like(one)[1] is torch.zeros_like
    assert torch.nn.Linear(2, 2)(one)[1] is functional.linear
    assert functional.max_pool2d(one, 2)[4]["return_indices"] is False


def test_subclasses_are_asked_first_then_left_to_right():
    class Later(Foreign):
        pass

    class Other:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    assert torch.add(Foreign("left"), Foreign("right"))[0] == "left"
    assert torch.add(Foreign("base"), Later("sub"))[0] == "sub"
    assert torch.where(Other(), Foreign("second"), 1)[2] == (Other, Foreign)


def test_nobody_knows():
    class Silent:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers"):
        torch.add(Silent(), 1)
    with pytest.raises(TypeError, match=r"no implementation found for 'torch.nn.functional.relu' on types that"):
        functional.relu(Silent())
    with pytest.raises(TypeError, match="unsupported operand type"):
        torch.ones(1) + Silent()


def test_asking_can_be_switched_off(made):
    class Quiet(torch.Tensor):
        __torch_function__ = DISABLED

    assert type(torch.ones(1).as_subclass(Quiet) + 1) is torch.Tensor
    with DisableTorchFunctionSubclass():
        assert logged(lambda: made + 1) == []
        assert type(made + 1) is torch.Tensor
    with DisableTorchFunction():
        assert logged(lambda: made.shape) == []
    assert logged(lambda: made + 1) == ["torch.Tensor.add"]
    assert type(torch.nn.Parameter(torch.ones(1)) * 2) is torch.Tensor


def test_an_attribute_of_the_subclass_itself_is_not_replaced():
    class Sized(torch.Tensor):
        @property
        def shape(self):
            return "mine"

    class Mixin:
        def size(self):
            return "mixed"

    class Both(Mixin, torch.Tensor):
        pass

    assert torch.ones(1).as_subclass(Sized).shape == "mine"
    assert torch.ones(1).as_subclass(Both).size() == "mixed"
