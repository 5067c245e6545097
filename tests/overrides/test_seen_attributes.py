"""What a mode sees of a tensor's methods and attributes that are no ops; the answers are torch's."""

import math

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
