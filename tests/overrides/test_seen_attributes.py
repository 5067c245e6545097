"""What a mode sees of a tensor's methods and attributes that are no ops; the answers are torch's."""

import math
import operator
import typing

import numpy as np
import pytest

import rushlight as torch
from rushlight.overrides import TorchFunctionMode, resolve_name


class Seen(TorchFunctionMode):
    """Keeps the names of what is called."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append((resolve_name(func) or func.__name__).removeprefix("torch.Tensor."))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("use", "names"),
    [
        (lambda x: x[0].item(), ["__getitem__", "item"]),
        (lambda x: float(x[0]), ["__getitem__", "__float__"]),
        (lambda x: int(x[0]), ["__getitem__", "__int__"]),
        (lambda x: bool(x[0] > 0), ["__getitem__", "gt", "__bool__"]),
        (lambda x: x.tolist(), ["tolist"]),
        (lambda x: x.detach().numpy(), ["detach", "numpy"]),
        (lambda x: np.asarray(x.detach()), ["detach", "__array__"]),
        (lambda x: x.data, ["data.__get__"]),
        (lambda x: x.grad, ["grad.__get__"]),
        (lambda x: setattr(x, "grad", None), ["grad.__set__"]),
        (lambda x: setattr(x, "requires_grad", True), ["requires_grad.__set__"]),
        (lambda x: x.detach().__setitem__(0, 1.0), ["detach", "__setitem__"]),
        (lambda x: x.shape, ["shape.__get__"]),
        (lambda x: len(x), ["__len__"]),
        (lambda x: repr(x), ["__repr__"]),
        (lambda x: f"{x[0]:.1f}", ["__getitem__", "__format__"]),
        (lambda x: x.long(), ["long"]),
        (lambda x: math.sqrt(x.detach()[0]), ["detach", "__getitem__", "__float__"]),
        (lambda x: [1, 2, 3][x.detach().long()[0]], ["detach", "long", "__getitem__", "__index__"]),
        (lambda x: x.detach().copy_(x.detach()), ["detach", "detach", "copy_"]),
        (lambda x: x.new_tensor([1.0]), ["new_tensor"]),
        (lambda x: x.register_hook(print), ["register_hook"]),
        (lambda x: torch.autograd.grad(x.sum(), x), ["sum", "grad"]),
    ],
)
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
def test_a_mode_sees_what_it_sees_in_torch(use, names):
    x = torch.tensor([1.0, 2.0, 0.0], requires_grad=True)
    with Seen() as seen:
        use(x)
    assert seen.names == names


@pytest.mark.parametrize(
    ("use", "names"),
    [
        (lambda x: x == x, ["__eq__"]),
        (lambda x: 1 == x, ["__eq__"]),  # noqa: SIM300
        (lambda x: x != 1, ["ne"]),
        (lambda x: x - 3, ["sub"]),
        (lambda x: 3 - x, ["__rsub__"]),
        (lambda x: x // 2, ["__floordiv__"]),
        (lambda x: 7 // x, ["__rfloordiv__"]),
        (lambda x: x % 2, ["remainder"]),
        (lambda x: 7 % x, ["__rmod__"]),
        (lambda x: 2**x, ["__rpow__"]),
        (lambda x: 1 / x, ["__rtruediv__"]),
        (lambda x: x & 1, ["__and__"]),
        (lambda x: 1 & x, ["bitwise_and"]),
        (lambda x: x | x, ["__or__"]),
        (lambda x: x ^ 1, ["__xor__"]),
        (lambda x: x << 1, ["__lshift__"]),
        (lambda x: 1 << x, ["__rlshift__"]),
        (lambda x: x >> 1, ["__rshift__"]),
        (lambda x: 8 >> x, ["__rrshift__"]),
        (lambda x: operator.iand(x.clone(), 1), ["clone", "__iand__"]),
        (lambda x: operator.ilshift(x.clone(), 1), ["clone", "__ilshift__"]),
        (lambda x: x.__rmatmul__(x), ["__rmatmul__"]),
        (lambda x: x.__rdiv__(2), ["__rtruediv__"]),
        (lambda x: list(x), ["dim", "unbind", "__len__"]),
        (lambda x: x == "word", ["__eq__"]),
        (lambda x: x.sum() in [x.sum()], ["sum", "sum", "__eq__", "__bool__"]),
    ],
)
def test_a_mode_sees_operators_by_the_names_that_torch_shows(use, names):
    x = torch.tensor([1, 2, 3])
    plainly = use(x)
    with Seen() as seen:
        found = use(x)
    assert seen.names == names
    assert str(found) == str(plainly)


def test_modes_that_are_nested_all_see_what_is_no_op():
    x = torch.tensor([1.0, 2.0])
    with Seen() as outer, Seen() as inner:
        assert x[1].item() == 2
        assert x.shape == (2,)
        assert (x == 2).any()
    assert outer.names == inner.names == ["__getitem__", "item", "shape.__get__", "__eq__", "any", "__bool__"]


def test_a_subclass_is_asked_after_the_mode():
    class Own(torch.Tensor):
        seen: typing.ClassVar[list] = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(1).as_subclass(Own)
    Own.seen.clear()
    with Seen() as seen:
        x.item()
    assert (seen.names, Own.seen) == (["item"], ["item"])


def test_a_mode_is_shown_the_operator_itself():
    shown = []

    class Keeping(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            shown.append(func)
            return func(*args, **(kwargs or {}))

    x = torch.tensor([1, 2, 3])
    with Keeping():
        equal, inverse = x == 2, 1 / x
        assert shown[0] is torch.Tensor.__eq__ and shown[1] is torch.Tensor.__rtruediv__
        with pytest.raises(TypeError, match="unsupported operand type"):
            "word" - x
    assert (equal.tolist(), inverse[1]) == ([False, True, False], 0.5)
    assert torch.Tensor.__rtruediv__ is torch.Tensor.__rdiv__ and torch.Tensor.__rdiv__.__name__ == "__rdiv__"


def test_contents_can_stand_where_the_values_do():
    x = torch.tensor([1.0], requires_grad=True)
    assert x.__repr__(tensor_contents="...") == "tensor(..., requires_grad=True)"
    assert repr(x) == "tensor([1.], requires_grad=True)"


def test_inside_a_mode_the_class_shows_the_same_methods_as_outside():
    item, shape = torch.Tensor.item, torch.Tensor.shape
    with Seen():
        assert torch.Tensor.item is item and torch.Tensor.shape is shape


def test_after_the_last_mode_tensors_are_plain_again():
    before = dict(vars(torch.Tensor))
    with Seen(), Seen():
        assert "item" in vars(torch.Tensor)
    assert dict(vars(torch.Tensor)) == before


def test_grad_is_shown_with_all_its_options():
    shown = {}

    class Options(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is torch.autograd.grad:
                shown.update(kwargs)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    with Options():
        torch.autograd.grad(y, x)
    assert shown == {
        "allow_unused": False,
        "create_graph": False,
        "grad_outputs": None,
        "is_grads_batched": False,
        "materialize_grads": False,
        "only_inputs": True,
        "retain_graph": None,
    }
