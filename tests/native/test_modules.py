"""Calls of modules are the same with and without native code."""

from collections import OrderedDict

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.modules import module_hooks, passing
from rushlight.nn.modules.module_calls import PlainCalls


class Echo(nn.Module):
    """Gives back what it was called with."""

    def forward(self, *args, **kwargs):
        return args, kwargs


def test_arguments_reach_forward():
    echo = Echo()
    assert echo() == ((), {})
    assert echo(1) == ((1,), {})
    assert echo(1, a=2) == ((1,), {"a": 2})
    assert echo(*range(20), **{"a": 1, "b": 2}) == (tuple(range(20)), {"a": 1, "b": 2})
    assert nn.Module.__call__(echo, 1, a=2) == ((1,), {"a": 2})
    assert echo.__call__(1) == ((1,), {})


@pytest.mark.parametrize("args", [(), (1, 2), (1, 2, 3)])
def test_wrong_arguments_raise_pythons_words(args):
    with pytest.raises(TypeError, match=r"Identity\.forward\(\)"):
        nn.Identity()(*args)
    with pytest.raises(TypeError, match=r"Sequential\.forward\(\)"):
        nn.Sequential(nn.Identity())(*args)


def test_a_module_without_forward_says_so():
    with pytest.raises(NotImplementedError, match=r'Module \[Module\] is missing the required "forward" function'):
        nn.Module()(1)


def test_exceptions_pass_through():
    class Failing(nn.Module):
        def forward(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Failing()()


HOOKS = ["register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"]
HOOKS += ["register_full_backward_pre_hook", "register_backward_hook"]
EVERY = [name.replace("register_", "register_module_") for name in HOOKS[:4]]


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook:FutureWarning")
@pytest.mark.parametrize("name", HOOKS)
def test_hooks_are_seen_from_the_next_call_on(name):
    module, calls = nn.Linear(2, 2), []
    x = torch.ones(1, 2, requires_grad=True)
    module(x).sum().backward()
    handle = getattr(module, name)(lambda *_: calls.append(name))
    module(x).sum().backward()
    assert calls == [name]
    handle.remove()
    module(x).sum().backward()
    assert calls == [name]


@pytest.mark.parametrize("name", EVERY)
def test_hooks_of_every_module_are_seen_from_the_next_call_on(name):
    module, calls = nn.Sequential(nn.Linear(2, 2), nn.Identity()), []
    x = torch.ones(1, 2, requires_grad=True)
    handle = getattr(module_hooks, name)(lambda *_: calls.append(name))
    module(x).sum().backward()
    handle.remove()
    module(x).sum().backward()
    assert calls == [name] * 3


def test_a_forward_of_the_object_is_called():
    module = Echo()
    module.forward = lambda x: x + 1
    assert module(1) == 2
    del module.forward
    assert module(1) == ((1,), {})


def test_a_forward_of_any_kind_is_called():
    class Static(nn.Module):
        @staticmethod
        def forward(x):
            return x + 1

    class OfClass(nn.Module):
        @classmethod
        def forward(cls, x):
            return cls, x

    class Property(nn.Module):
        @property
        def forward(self):
            return lambda x: x + 2

    class Inner(nn.Module):
        forward = Echo()

    assert Static()(1) == 2
    assert OfClass()(1) == (OfClass, 1)
    assert Property()(1) == 3
    assert Inner()(1) == ((1,), {})


def test_a_forward_given_to_the_class_later_is_called():
    class Late(nn.Module):
        pass

    module = Late()
    Late.forward = lambda self, x: x + 1
    assert module(1) == 2
    Late.forward = lambda self, x: x + 2
    assert module(1) == 3


def test_a_call_of_ones_own_is_used():
    class Loud(Echo):
        def __call__(self, *args, **kwargs):
            return "loud", super().__call__(*args, **kwargs)

    assert Loud()(1, a=2) == ("loud", ((1,), {"a": 2}))
    assert nn.Sequential(Loud())(1) == ("loud", ((1,), {}))


def test_a_call_given_to_the_class_later_is_used(monkeypatch):
    before = nn.Module.__call__
    echo = Echo()
    monkeypatch.setattr(nn.Module, "__call__", lambda self, *args: ("patched", before(self, *args)))
    assert echo(1) == ("patched", ((1,), {}))
    assert nn.Sequential(echo).forward(1) == ("patched", ((1,), {}))
    monkeypatch.undo()
    assert echo(1) == ((1,), {})


def test_an_object_whose_init_was_not_called_says_what_python_says():
    class Hasty(nn.Module):
        def __init__(self):
            pass

        def forward(self):
            pass

    for use in (lambda module: module(), lambda module: PlainCalls.__call__(module), lambda module: module.weight):
        with pytest.raises(AttributeError, match="'Hasty' object has no attribute"):
            use(Hasty())


def test_calls_may_nest_as_deep_as_python_allows():
    class Itself(nn.Module):
        def forward(self, x):
            return self(x)

    with pytest.raises(RecursionError):
        Itself()(1)
    ring = nn.Sequential()
    ring.append(nn.Sequential(ring))
    with pytest.raises(RecursionError):
        ring(1)
    deep = nn.Identity()
    for _ in range(50):
        deep = nn.Sequential(deep)
    assert deep(1) == 1


def test_sequential_calls_one_after_the_other():
    assert nn.Sequential()(1) == 1
    assert nn.Sequential(Echo(), Echo())(1) == (((((1,), {}),), {}))
    assert nn.Sequential(nn.Identity())(input=3) == 3
    assert nn.Sequential(nn.Identity()).forward(3) == 3
    named = nn.Sequential(OrderedDict(a=nn.Identity()))
    assert named(2) == 2


def test_sequential_with_something_else_than_a_module():
    model = nn.Sequential(nn.Identity())
    model._modules["1"] = lambda x: x + 1
    assert model(1) == 2
    model._modules["1"] = None
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        model(1)
    model._modules = OrderedDict(b=nn.Identity())
    assert model(5) == 5


def test_sequential_that_changes_while_it_runs_is_refused():
    model = nn.Sequential(nn.Identity())

    class Grow(nn.Module):
        def forward(self, x):
            model.append(nn.Identity())
            return x

    model.append(Grow())
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        model(1)


def test_sequential_with_a_forward_of_ones_own():
    class Twice(nn.Sequential):
        def forward(self, x):
            return super().forward(super().forward(x))

    class Add(nn.Module):
        def forward(self, x):
            return x + 1

    assert Twice(Add(), Add())(0) == 4


MADE = {
    "Linear": lambda: nn.Linear(4, 3),
    "LayerNorm": lambda: nn.LayerNorm(4),
    "Dropout": lambda: nn.Dropout(0.5),
    "Flatten": lambda: nn.Flatten(0),
}


@pytest.mark.parametrize("row", passing.FUNCTIONS + passing.METHODS, ids=lambda row: row[0].__name__)
def test_layers_that_pass_their_input_on_do_what_their_forward_says(row):
    layer = MADE.get(row[0].__name__, row[0])()
    x = torch.linspace(-2, 2, 8, requires_grad=True)
    for training in (True, False):
        layer.train(training)
        results = []
        for call in (layer, layer.forward, nn.Sequential(layer)):
            torch.manual_seed(0)
            results.append(call(x.reshape(2, 4)))
        assert results[0].tolist() == results[1].tolist() == results[2].tolist()
        assert len({type(result.grad_fn) for result in results}) == 1
    # what begins with ! must be off
    assert {name.removeprefix("!") for name in row[2:]} <= {*dir(layer)}


def test_a_layer_calls_the_function_that_stands_under_the_name_now(monkeypatch):
    monkeypatch.setattr(nn.functional, "linear", lambda *given: given)
    layer = nn.Linear(2, 2)
    given = layer("input")
    assert given[0] == "input" and given[1] is layer.weight and given[2] is layer.bias
    monkeypatch.undo()
    assert layer(torch.ones(2)).shape == (2,)


def test_a_layer_whose_attributes_are_unusual_goes_pythons_way():
    class Halved(nn.Linear):
        @property
        def bias(self):
            return self._parameters["bias"] * 0.5

        @bias.setter
        def bias(self, value):
            self._parameters["bias"] = value

        def __init__(self):
            nn.Module.__init__(self)
            self._parameters["weight"] = nn.Parameter(torch.zeros(2, 2))
            self._parameters["bias"] = nn.Parameter(torch.ones(2))

    assert Halved()(torch.ones(2)).tolist() == [0.5, 0.5]
    layer = nn.Linear(2, 2)
    del layer.weight
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'weight'"):
        layer(torch.ones(2))
    with pytest.raises(TypeError, match=r"tanh\(\): argument 'input' \(position 1\) must be Tensor, not str"):
        nn.Tanh()("text")
