"""Networks of layers in a compiled function, without tensors between the layers: nobody can tell but by the clock."""

from __future__ import annotations

import gc
import random
import weakref

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.native import extension, report

native = pytest.mark.skipif(extension is None, reason="only native code leaves tensors out")


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Sequential(nn.Linear(16, 8), nn.ReLU()), nn.Linear(8, 3))


def linear_calls():
    """How often the kernel of linear layers was called as such."""
    return next(each.forward.accepted for each in report() if each.name == "nn.functional.linear")


def assert_equal(one, two):
    assert one.dtype is two.dtype and one.shape == two.shape and one.stride() == two.stride()
    assert (one.requires_grad, one.is_leaf, one._version) == (two.requires_grad, two.is_leaf, two._version)
    assert one.detach().numpy().tobytes() == two.detach().numpy().tobytes()


def assert_same(model, compiled, inputs):
    """Several calls, of which the first reads the modules and later ones remember."""
    with torch.no_grad():
        for _ in range(3):
            assert_equal(model(inputs), compiled(inputs))


class Drawn:
    """A network drawn at random, with inputs of several kinds for it, and things that happen to it."""

    ACTIVATIONS = (nn.Tanh, nn.ReLU, nn.Sigmoid, nn.Identity, nn.GELU, nn.LeakyReLU, nn.Softplus)

    def __init__(self, seed):
        self.draw = random.Random(seed)
        torch.manual_seed(seed)
        self.width = self.first = self.draw.choice([1, 3, 8, 17])
        self.dtype = self.draw.choice([torch.float32, torch.float32, torch.float64])
        self.model = self.network(self.draw.randrange(1, 6)).to(self.dtype)

    def network(self, count):
        return nn.Sequential(*[self.layer() for _ in range(count)])

    def layer(self):
        kind = self.draw.random()
        if kind < 0.5:
            before, self.width = self.width, self.draw.choice([1, 2, 5, 16, 33, 64])
            return nn.Linear(before, self.width, bias=self.draw.random() < 0.8)
        if kind < 0.6:
            return self.network(self.draw.randrange(3))
        # the activations that are no loop of one input stay as they are
        return self.draw.choice(self.ACTIVATIONS)()

    def inputs(self):
        shape = self.draw.choice([(1,), (), (7,), (2, 3), (40,), (0,)])
        made = torch.randn(*shape, self.first).to(self.dtype)
        way = self.draw.random()
        if way < 0.1:
            return torch.randn(*shape, 2 * self.first).to(self.dtype)[..., ::2]
        if way < 0.2:
            return made.requires_grad_()
        if way < 0.25:
            return made.to(torch.float64)
        if way < 0.3:
            return made[..., :-1]
        return made

    def happen(self):
        """Something that the next call must see."""
        modules = [each for each in self.model.modules() if isinstance(each, nn.Linear)]
        module = self.draw.choice(modules or [self.model])
        kinds = [self.step, self.freeze, self.append, self.hook, self.forward, self.exchange]
        self.draw.choice(kinds)(module)

    def step(self, module):
        for each in module.parameters():
            each.data = each.data * 1.5 if self.draw.random() < 0.5 else each.data.add_(0.25)

    def freeze(self, module):
        module.requires_grad_(self.draw.random() < 0.5)

    def append(self, module):
        if self.draw.random() < 0.5 or len(self.model) < 2:
            self.model.append(nn.Tanh())
        else:
            del self.model[len(self.model) - 1]

    def hook(self, module):
        if self.draw.random() < 0.5:
            module.register_forward_hook(lambda module, args, output: output * 2)
        else:
            module._forward_hooks.clear()

    def forward(self, module):
        if "forward" in vars(module):
            del module.forward
        else:
            module.forward = lambda input: type(module).forward(module, input) + 1

    def exchange(self, module):
        if isinstance(module, nn.Linear):
            module.weight = nn.Parameter(torch.randn_like(module.weight))
            if module.bias is not None and self.draw.random() < 0.3:
                module.bias = None


def told(model, inputs):
    try:
        return model(inputs)
    except (RuntimeError, TypeError) as error:
        # the layer is called by another path
        return str(error).splitlines()[0]


@pytest.mark.parametrize("part", range(4))
def test_random_networks_to_which_things_happen(part):
    for seed in range(part * 60, part * 60 + 60):
        drawn = Drawn(seed)
        compiled = torch.compile(drawn.model)
        for _ in range(12):
            inputs = drawn.inputs()
            with torch.no_grad() if drawn.draw.random() < 0.8 else torch.enable_grad():
                for _ in range(2):
                    one, two = told(drawn.model, inputs), told(compiled, inputs)
                    if isinstance(one, str) or isinstance(two, str):
                        assert one == two, f"seed {seed}"
                    else:
                        assert_equal(one, two)
            if drawn.draw.random() < 0.5:
                drawn.happen()


@native
def test_no_tensor_is_made_between_layers():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    before = linear_calls()
    with torch.no_grad():
        compiled(inputs)
    assert linear_calls() == before


@native
@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_vectors_and_batches(shape, dtype):
    model = small().to(dtype)
    inputs = torch.randn(*shape, dtype=dtype)
    assert_same(model, torch.compile(model), inputs)
    function = torch.compile(lambda x: model(x) * 2)
    with torch.no_grad():
        for _ in range(3):
            assert_equal(function(inputs), model(inputs) * 2)


def test_a_module_that_is_compiled_in_place():
    model, inputs = small(), torch.randn(2, 5)
    with torch.no_grad():
        expected = model(inputs)
        model.compile()
        for _ in range(3):
            assert_equal(model(inputs), expected)


CHANGES = {
    "numbers": lambda model: model[0].weight.data.mul_(2),
    "a parameter": lambda model: setattr(model[0], "weight", nn.Parameter(torch.ones(16, 5))),
    "its data": lambda model: setattr(model[3].bias, "data", torch.ones(3)),
    "no bias": lambda model: setattr(model[0], "bias", None),
    "a layer": lambda model: model.__setitem__(1, nn.Sigmoid()),
    "a nested layer": lambda model: model[2].__setitem__(1, nn.Tanh()),
    "one more": lambda model: model.append(nn.Tanh()),
    "one less": lambda model: model.__delitem__(1),
    "a hook": lambda model: model[0].register_forward_hook(lambda *given: given[-1] + 1),
    "a hook before": lambda model: model[3].register_forward_pre_hook(lambda module, args: (args[0] + 1,)),
    "a nested hook": lambda model: model[2].register_forward_hook(lambda *given: given[-1] + 1),
    "a hook of the whole": lambda model: model.register_forward_hook(lambda *given: given[-1] + 1),
    "forward of one": lambda model: setattr(model[0], "forward", lambda input: input[..., :1].expand(2, 16)),
    "its class": lambda model: setattr(model[0], "__class__", Doubled),
    "an option": lambda model: setattr(model[2][1], "inplace", True),
    "a parametrization": lambda model: nn.utils.parametrizations.weight_norm(model[0]),
    "the dict": lambda model: vars(model[0]).update(forward=lambda input: torch.ones(2, 16)),
    "a dict of its own": lambda model: setattr(model[0], "__dict__", dict(vars(model[3 - 3]), extra=1)),
    "frozen": lambda model: model.requires_grad_(False),
    "a class of a parameter": lambda model: model[0]._parameters.update(weight=torch.ones(16, 5)),
}


class Doubled(nn.Linear):
    def forward(self, input):
        return super().forward(input) * 2


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_change_is_seen_at_the_next_call(change):
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    change(model)
    assert_same(model, compiled, inputs)


WRAPPER_CHANGES = {
    "a hook": lambda compiled: compiled.register_forward_hook(lambda *given: given[-1] + 1),
    "a hook before": lambda compiled: compiled.register_forward_pre_hook(lambda module, args: (args[0] + 1,)),
    "its forward": lambda compiled: setattr(compiled, "forward", lambda input: input * 2),
    "another network": lambda compiled: setattr(compiled, "_orig_mod", nn.Sequential(nn.Linear(5, 1), nn.Tanh())),
    "a network in its dict": lambda compiled: compiled._modules.update(_orig_mod=nn.Sequential(nn.Linear(5, 1))),
    "its class": lambda compiled: setattr(compiled, "__class__", Summed),
}


class Summed(nn.Module):
    def forward(self, input):
        return input.sum()


@pytest.mark.parametrize("change", WRAPPER_CHANGES.values(), ids=list(WRAPPER_CHANGES))
def test_a_change_of_the_compiled_module_itself_is_seen(change):
    torch.manual_seed(0)
    inputs = torch.randn(2, 5)
    found = []
    for calls in (0, 3):
        torch.manual_seed(1)
        compiled = torch.compile(small())
        with torch.no_grad():
            for _ in range(calls):
                compiled(inputs)
            torch.manual_seed(2)
            change(compiled)
            found.append([compiled(inputs) for _ in range(3)])
    for one, two in zip(*found, strict=True):
        assert_equal(one, two)


def test_compiled_modules_keep_to_the_stance():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    with torch.compiler.set_stance("force_eager"):
        before = linear_calls() if extension is not None else 0
        assert_same(model, compiled, inputs)
        assert extension is None or linear_calls() == before + 18


def test_a_function_that_is_replaced_is_seen(monkeypatch):
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    plain = F.linear
    monkeypatch.setattr(F, "linear", lambda *given: plain(*given) + 1)
    assert_same(model, compiled, inputs)


def test_a_forward_of_a_class_that_is_replaced_is_seen(monkeypatch):
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    monkeypatch.setattr(nn.Tanh, "forward", lambda self, input: input + 1)
    assert_same(model, compiled, inputs)
    monkeypatch.undo()
    assert_same(model, compiled, inputs)


def test_hooks_of_all_modules_are_called():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    seen = []
    handle = nn.modules.module.register_module_forward_hook(lambda module, *given: seen.append(module))
    with torch.no_grad():
        compiled(inputs)
    handle.remove()
    assert model[2][1] in seen
    assert_same(model, compiled, inputs)


def test_modes_see_every_call():
    class Names(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    seen = []
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    with torch.no_grad(), Names():
        compiled(inputs)
    assert seen.count("linear") == 3


def test_gradients_are_recorded_as_ever():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    compiled(inputs).sum().backward()
    found = [each.grad.clone() for each in model.parameters()]
    model.zero_grad()
    model(inputs).sum().backward()
    for one, two in zip(found, model.parameters(), strict=True):
        assert_equal(one, two.grad)


def test_the_result_knows_where_its_history_was_cut():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    for each in (model, compiled):
        with torch.no_grad():
            found = each(each(inputs)[..., :1].expand(2, 5))
        with pytest.raises(RuntimeError, match="no_grad") as caught:
            found.sum().backward()
        assert "found = each(" in str(caught.value)


def test_inference_mode_and_transforms():
    model, inputs = small(), torch.randn(4, 5)
    compiled = torch.compile(model)
    assert_same(model, compiled, inputs)
    with torch.inference_mode():
        found = compiled(inputs)
    assert found.is_inference() and found.numpy().tobytes() == model(inputs).detach().numpy().tobytes()
    with torch.no_grad():
        found = torch.func.vmap(compiled)(inputs)
        np.testing.assert_allclose(found.numpy(), model(inputs).numpy(), rtol=1e-6)


def test_a_network_that_is_let_go_is_gone():
    model = small()
    compiled = torch.compile(model)
    assert_same(model, compiled, torch.randn(2, 5))
    gone = weakref.ref(model[0])
    del model, compiled
    gc.collect()
    assert gone() is None


def test_networks_that_take_the_place_of_others_are_told_apart():
    inputs = torch.randn(1, 4)
    for seed in range(300):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(4, 4), nn.Tanh() if seed % 2 else nn.ReLU(), nn.Linear(4, 2))
        compiled = torch.compile(model)
        with torch.no_grad():
            for _ in range(2):
                assert_equal(model(inputs), compiled(inputs))


def test_errors_are_those_of_the_layers():
    model = small()
    compiled = torch.compile(model)
    assert_same(model, compiled, torch.randn(2, 5))
    with torch.no_grad():
        for inputs in (torch.randn(2, 4), torch.ones(2, 5, dtype=torch.int64), torch.tensor(1.0)):
            with pytest.raises(RuntimeError) as one:
                model(inputs)
            with pytest.raises(RuntimeError) as two:
                compiled(inputs)
            assert str(one.value).splitlines()[0] == str(two.value).splitlines()[0]
