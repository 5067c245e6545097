"""Programs around optimizers (own methods, hooks, closures, copies, wrong calls) do what they do in torch."""

import copy
import importlib
import pickle
import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

METHODS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"]
PROGRAMS = []


def program(function):
    """A program that takes the library and returns what it saw."""
    PROGRAMS.append(function)
    return function


def assert_same(ours, theirs):
    """What a program saw in both libraries: tensors to rounding, everything else exactly."""
    if isinstance(ours, rushlight.Tensor):
        one, two = [each.detach().numpy().astype(float) for each in (ours, theirs)]
        np.testing.assert_allclose(one, two, 2e-6, 1e-5)
    elif isinstance(ours, dict):
        assert list(ours) == list(theirs)
        assert_same(list(ours.values()), list(theirs.values()))
    elif isinstance(ours, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, two in zip(ours, theirs, strict=True):
            assert_same(one, two)
    else:
        assert ours == theirs


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_program_sees_the_same(function):
    assert_same(function(rushlight), function(torch))


def optimizer_module(library):
    return importlib.import_module(f"{library.__name__}.optim.optimizer")


def leaf(library, *values):
    return library.tensor(values, requires_grad=True)


def descend(library, param, optimizer, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        (param**2).sum().backward()
        optimizer.step()
    return param


def own_methods(library):
    """Classes as programs write them."""

    class Descent(library.optim.Optimizer):
        def __init__(self, params, lr=0.1, momentum=0.5):
            super().__init__(params, {"lr": lr, "momentum": momentum})

        @library.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is None:
                        continue
                    state = self.state[param]
                    if not state:
                        state["step"], state["mean"] = 0, library.zeros_like(param)
                    state["step"] += 1
                    state["mean"].mul_(group["momentum"]).add_(param.grad)
                    param.add_(state["mean"], alpha=-group["lr"])
            return "stepped"

    class Clipped(library.optim.Adam):
        def step(self, closure=None):
            loss = super().step(closure)
            for group in self.param_groups:
                for param in group["params"]:
                    param.data.clamp_(-1, 1)
                    self.state[param]["mark"] = library.ones(2)
            return loss

    return Descent, Clipped


@program
def a_method_of_ones_own(library):
    param, other = leaf(library, 1.0, -2.0), leaf(library, 3.0)
    optimizer = own_methods(library)[0]([{"params": [param], "lr": 0.2}, {"params": [other]}])
    seen = []
    optimizer.register_step_pre_hook(lambda *args: seen.append("before"))
    optimizer.register_step_post_hook(lambda *args: seen.append("after"))
    descend(library, param, optimizer)
    saved = optimizer.state_dict()
    again = own_methods(library)[0]([{"params": [param]}, {"params": [other]}])
    again.load_state_dict(saved)
    descend(library, param, again)
    return param, seen, again.state_dict(), repr(again), optimizer.step()


@program
def a_method_derived_from_adam(library):
    param, other = leaf(library, 1.0, -2.0), leaf(library, 3.0)
    optimizer = own_methods(library)[1]([param, other], lr=0.5)
    descend(library, param, optimizer)
    return param, optimizer.state_dict()["state"], repr(optimizer)


@program
def hooks_around_a_step(library):
    param = leaf(library, 1.0, -2.0)
    optimizer = library.optim.SGD([param], lr=0.1)
    seen = []

    def before(which, args, kwargs):
        seen.append((which is optimizer, len(args), sorted(kwargs), param.detach().clone()))

    handles = [
        optimizer.register_step_pre_hook(before),
        optimizer.register_step_post_hook(before),
        optimizer_module(library).register_optimizer_step_pre_hook(lambda *args: seen.append("all before")),
        optimizer_module(library).register_optimizer_step_post_hook(lambda *args: seen.append("all after")),
    ]
    descend(library, param, optimizer, 1)
    optimizer.step(closure=lambda: seen.append("closure"))
    for handle in handles:
        handle.remove()
    optimizer.step()
    optimizer.register_step_pre_hook(lambda which, args, kwargs: ((which, lambda: 5.0), {}))
    return seen, optimizer.step()


@program
def a_hook_that_returns_nonsense(library):
    optimizer = library.optim.SGD([leaf(library, 1.0)])
    optimizer.register_step_pre_hook(lambda *args: 3)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got 3"):
        optimizer.step()


@program
def hooks_around_checkpoints(library):
    param = leaf(library, 1.0, -2.0)
    optimizer = library.optim.SGD([param], lr=0.1, momentum=0.9)
    seen = []
    optimizer.register_state_dict_pre_hook(lambda which: seen.append("second"))
    optimizer.register_state_dict_pre_hook(lambda which: seen.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda which, saved: {**saved, "more": 1})
    optimizer.register_state_dict_post_hook(lambda which, saved: seen.append(sorted(saved)), prepend=True)
    optimizer.register_load_state_dict_pre_hook(lambda which, saved: seen.append(sorted(saved)))
    optimizer.register_load_state_dict_pre_hook(lambda which, saved: saved | {"x": 0}, prepend=True)
    optimizer.register_load_state_dict_post_hook(lambda which: seen.append(which is optimizer))
    saved = optimizer.state_dict()
    optimizer.load_state_dict(saved)
    return seen, sorted(saved)


@program
def closures(library):
    param = leaf(library, 1.0, -2.0)
    optimizer = library.optim.SGD([param], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with library.no_grad():
        first = optimizer.step(closure)
    return first, optimizer.step(closure), optimizer.step(), param


@program
def gradients_are_forgotten_or_zeroed(library):
    param, other, scaled = leaf(library, 1.0), leaf(library, 2.0), leaf(library, 3.0)
    optimizer = library.optim.SGD([param, other, scaled])
    (param**2).sum().backward()
    (gradient,) = library.autograd.grad((scaled**3).sum(), scaled, create_graph=True)
    scaled.grad = gradient
    kept = param.grad
    optimizer.zero_grad(set_to_none=False)
    seen = [kept.clone(), param.grad is kept, other.grad, scaled.grad, scaled.grad.requires_grad]
    optimizer.zero_grad()
    return seen, param.grad, kept, scaled.grad


@program
def named_parameters(library):
    model = library.nn.Linear(2, 1)
    optimizer = library.optim.Adam(model.named_parameters(), lr=0.1)
    plain = library.optim.Adam(model.parameters(), lr=0.1).state_dict()
    before = optimizer.state_dict()
    optimizer.load_state_dict(plain)
    with pytest.raises(ValueError, match="cannot add param group without names"):
        optimizer.add_param_group({"params": leaf(library, 1.0)})
    return before, optimizer.state_dict(), repr(optimizer), optimizer.param_groups[0]["param_names"]


@program
def options_of_groups_are_those_of_the_dict_given(library):
    group = {"params": (each for each in [leaf(library, 1.0)]), "note": "mine"}
    optimizer = library.optim.SGD([group], lr=0.5)
    group["lr"] = 0.25
    return optimizer.param_groups[0] is group, list(group), optimizer.param_groups[0]["lr"]


@program
def a_required_option(library):
    defaults = {"lr": optimizer_module(library).required}
    with pytest.raises(ValueError, match="parameter group didn't specify a value of required optimization"):
        library.optim.Optimizer([leaf(library, 1.0)], defaults)
    made = library.optim.Optimizer([{"params": [leaf(library, 1.0)], "lr": 2}], defaults)
    return repr(optimizer_module(library).required), made.param_groups[0]["lr"]


@program
def copies_and_pickles(library):
    seen = []
    for method in METHODS:
        param = library.nn.Parameter(library.tensor([1.0, -2.0]))
        optimizer = getattr(library.optim, method)([param], lr=0.1)
        optimizer.register_step_pre_hook(lambda *args: None)
        descend(library, param, optimizer)
        for made in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            (copied,) = made.param_groups[0]["params"]
            seen.append([copied is param, len(made._optimizer_step_pre_hooks), repr(made)])
            seen.append([descend(library, copied, made), made.state_dict(), param.detach().clone()])
    return seen


@program
def checkpoints_of_another_dtype(library):
    param = leaf(library, 1.0, -2.0)
    optimizer = library.optim.Adam([param])
    descend(library, param, optimizer)
    other = library.tensor([1.0, 2.0], dtype=library.float64, requires_grad=True)
    loaded = library.optim.Adam([other])
    loaded.load_state_dict(optimizer.state_dict())
    state = loaded.state_dict()["state"][0]
    saved = optimizer.state_dict()
    saved["state"][0]["extra"] = [1, (library.ones(1),)]
    saved["state"]["whole"] = {"b": 2}
    loaded.load_state_dict(saved)
    return {name: str(each.dtype) for name, each in state.items()}, loaded.state_dict()


@program
def gradients_that_carry_a_history(library):
    param = leaf(library, 1.0, -2.0)
    optimizer = library.optim.Adam([param], lr=0.1)
    (param.grad,) = library.autograd.grad((param**3).sum(), param, create_graph=True)
    optimizer.step()
    return param, param.requires_grad, param.is_leaf, optimizer.state_dict()


def wrong_calls(library):
    sgd, adam = library.optim.SGD, library.optim.Adam
    param, other = leaf(library, 1.0), leaf(library, 2.0)
    optimizer = sgd([param])
    larger = sgd([param, other]).state_dict()
    more = sgd([{"params": [param]}, {"params": [other]}]).state_dict()
    yield "parameter alone", lambda: sgd(param)
    yield "nothing", lambda: sgd([])
    yield "a number", lambda: sgd([1])
    yield "a string", lambda: sgd(["weight"])
    yield "a module", lambda: sgd([library.nn.Tanh()])
    yield "not iterable", lambda: sgd(5)
    yield "a set", lambda: sgd([{"params": {param}}])
    yield "a non-leaf", lambda: sgd([param * 2])
    yield "no params", lambda: sgd([{"lr": 1.0}])
    yield "a list as group", lambda: optimizer.add_param_group([other])
    yield "known", lambda: optimizer.add_param_group({"params": [param]})
    yield "twice", lambda: sgd([param, param])
    yield "groups", lambda: optimizer.load_state_dict(more)
    yield "sizes", lambda: optimizer.load_state_dict(larger)
    yield "no state", lambda: optimizer.load_state_dict({"param_groups": larger["param_groups"][:0]})
    yield "base", lambda: library.optim.Optimizer([param], {}).step()
    yield "rate", lambda: sgd([param], lr=-1)
    yield "momentum", lambda: sgd([param], momentum=-1)
    yield "decay", lambda: sgd([param], weight_decay=-1)
    yield "nesterov", lambda: sgd([param], nesterov=True)
    yield "nesterov dampened", lambda: sgd([param], nesterov=True, momentum=1, dampening=0.1)
    yield "unknown option", lambda: sgd([param], speed=1)
    yield (
        "capturable",
        lambda: (setattr(param, "grad", other.detach()), adam([param], capturable=True).step()),
    )
    for method in METHODS:
        make = getattr(library.optim, method)
        if method != "RMSprop":
            yield "two forms", lambda make=make: make([param], fused=True, foreach=True)
            yield "fused", lambda make=make: make([param], fused=True, differentiable=True)
        if method != "SGD":
            yield "eps", lambda make=make: make([param], eps=-1.0)
        yield "two rates", lambda make=make: make([param], lr=library.ones(2))
    for betas in [(-0.1, 0.9), (0.9, 1.0), (0, 0.9), (0.5, library.tensor(0.5))]:
        yield "betas", lambda betas=betas: adam([param], betas=betas)
    yield "tensor betas", lambda: adam([param], betas=(library.ones(1) / 2, library.ones(2) / 2))
    yield "rmsprop", lambda: library.optim.RMSprop([param], alpha=-1)
    yield "rmsprop", lambda: library.optim.RMSprop([param], momentum=-1)
    yield "adagrad", lambda: library.optim.Adagrad([param], lr_decay=-1)
    yield "adagrad", lambda: library.optim.Adagrad([param], initial_accumulator_value=-1)
    yield "no hook", lambda: sgd([param, 3])


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call()
        except Exception as error:
            return type(error), str(error)
    return None, ""


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [pytest.param(a, b, id=name) for (name, a), (_, b) in zip(wrong_calls(rushlight), wrong_calls(torch), strict=True)],
)
def test_wrong_calls_are_refused_in_torchs_words(ours, theirs):
    kind, words = outcome(theirs)
    assert kind is not None
    our_kind, our_words = outcome(ours)
    assert our_kind is kind
    # up to where torch lists the devices it has, or names its own classes
    expected = words.replace("torch.nn.modules.activation", "rushlight.nn.modules.activation").partition("['cuda'")[0]
    assert our_words.startswith(expected)
