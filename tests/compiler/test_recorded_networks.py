"""Networks of layers in a compiled function that are recorded: the graph is that of the layers' own calls."""

from __future__ import annotations

import random

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.native import extension
from tests.compiler.test_networks import Drawn, assert_equal, linear_calls, small, told

native = pytest.mark.skipif(extension is None, reason="only native code runs layers together")


def described(node):
    """The graph behind a node: names, what was saved and where it leads."""
    if node is None:
        return None
    saved = {}
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            saved[name] = value.detach().numpy().tobytes() if isinstance(value, torch.Tensor) else value
    return node.name(), saved, [(described(each), number) for each, number in node.next_functions]


def grads_of(model):
    return [None if each.grad is None else each.grad.numpy().tobytes() for each in model.parameters()]


def differentiated(run, model, inputs, **options):
    model.zero_grad()
    inputs.grad = None
    result = run(inputs)
    if result.requires_grad:
        result.sum().backward(**options)
    return grads_of(model), None if inputs.grad is None else inputs.grad.numpy().tobytes()


@pytest.mark.parametrize("part", range(4))
def test_random_networks_have_the_graphs_and_gradients_of_eager_code(part):
    for seed in range(part * 50, part * 50 + 50):
        drawn = Drawn(seed)
        compiled = torch.compile(drawn.model)
        for _ in range(8):
            inputs = drawn.inputs().detach().requires_grad_(drawn.draw.random() < 0.5)
            one, two = told(drawn.model, inputs), told(compiled, inputs)
            if isinstance(one, str) or isinstance(two, str):
                assert one == two, f"seed {seed}"
            else:
                assert_equal(one, two)
                assert described(one.grad_fn) == described(two.grad_fn), f"seed {seed}"
                wanted = differentiated(drawn.model, drawn.model, inputs)
                assert differentiated(compiled, drawn.model, inputs) == wanted, f"seed {seed}"
            if drawn.draw.random() < 0.5:
                drawn.happen()


@native
def test_layers_are_recorded_without_calls_of_their_own():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    compiled(inputs)
    before = linear_calls()
    compiled(inputs).sum().backward()
    assert linear_calls() == before
    assert all(each.grad is not None for each in model.parameters())


def test_second_derivatives_and_graphs_that_are_kept():
    model = small()
    compiled = torch.compile(model)
    inputs = torch.randn(2, 5, requires_grad=True)
    found = []
    for run in (model, compiled):
        result = run(inputs).sum()
        result.backward(retain_graph=True)
        result.backward()
        (slope,) = torch.autograd.grad(run(inputs).sum(), inputs, create_graph=True)
        second = torch.autograd.grad((slope * slope).sum(), [inputs, *model.parameters()], allow_unused=True)
        found.append((grads_of(model), [each if each is None else each.numpy().tobytes() for each in second]))
        model.zero_grad()
        with pytest.raises(RuntimeError, match="second time"):
            result.backward()
    assert found[0] == found[1]


def test_hooks_see_what_eager_code_shows():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    seen = []
    model[0].weight.register_hook(lambda grad: seen.append(grad.numpy().tobytes()))
    model[3].bias.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.numpy().tobytes()))
    for run in (model, compiled):
        model.zero_grad()
        result = run(inputs)
        result.register_hook(lambda grad: seen.append(grad.numpy().tobytes()))
        node = result.grad_fn.next_functions[1][0]
        node.register_hook(lambda *given: seen.append(len(given)))
        result.sum().backward()
    half = len(seen) // 2
    assert half >= 3 and seen[:half] == seen[half:]


def test_hooks_on_saved_tensors_are_asked():
    model, inputs = small(), torch.randn(2, 5)
    compiled = torch.compile(model)
    counts = []
    for run in (model, compiled, model, compiled):
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(
            lambda each, to=packed: to.append(each) or each, lambda each: each
        ):
            run(inputs)
        counts.append(len(packed))
    assert len(set(counts)) == 1 and counts[0] > 0


def test_anomaly_mode_names_the_layer():
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    compiled = torch.compile(model)
    compiled(torch.ones(1, 3))
    with torch.no_grad():
        model[0].weight.fill_(float("nan"))
    with (
        torch.autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match="Tanh"),
        pytest.raises(RuntimeError, match="nan"),
    ):
        compiled(torch.ones(1, 3)).sum().backward()


@pytest.mark.parametrize("which", ["weight", "a result"])
def test_a_write_to_what_was_saved_is_refused(which):
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Sigmoid())
    for run in (model, torch.compile(model)):
        result = run(torch.ones(1, 3, requires_grad=True))
        with torch.no_grad():
            (model[2].weight if which == "weight" else result).mul_(2)
        with pytest.raises(RuntimeError, match="inplace"):
            result.sum().backward()


def test_a_frozen_part_is_not_recorded():
    model, inputs = small(), torch.randn(2, 5)
    model[0].requires_grad_(False)
    with torch.no_grad():
        inputs = inputs * model[0].weight.sum()
    one, two = model(inputs), torch.compile(model)(inputs)
    assert_equal(one, two)
    assert described(one.grad_fn) == described(two.grad_fn)
    model.requires_grad_(False)
    one, two = model(inputs), torch.compile(model)(inputs)
    assert_equal(one, two)
    assert not two.requires_grad


def trained(compiles, optimizer, draw):
    """Steps with a group, an optimizer and a state to which things happen; compiled as a whole or not."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = optimizer(model.parameters())
    losses = []

    def step(inputs, targets):
        optimizer.zero_grad()
        loss = F.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss

    run = torch.compile(step) if compiles else step
    for _ in range(25):
        losses.append(run(torch.randn(1, 3), torch.randn(1, 2)).item())
        happen(draw, model, optimizer)
    return (
        losses,
        [each.detach().numpy().tobytes() for each in model.parameters()],
        [each._version for each in model.parameters()],
    )


def happen(draw, model, optimizer):
    """Something that the next step must see, or nothing."""
    group, parameter = optimizer.param_groups[0], draw.choice(list(model.parameters()))
    state = optimizer.state.get(parameter, {})
    many = len(group["params"]) > 3
    things = {
        "lr": lambda: group.update(lr=draw.choice([0.1, 0.01])),
        "frozen": lambda: parameter.requires_grad_(draw.random() < 0.5),
        "decay": lambda: group.update(weight_decay=0.1),
        "betas": lambda: "betas" in group and group.update(betas=[0.5, 0.9]),
        "one beta": lambda: isinstance(group.get("betas"), list) and group["betas"].__setitem__(0, 0.8),
        "state": lambda: state and state.update({name: each * 0.5 for name, each in state.items() if each is not None}),
        "forgotten": lambda: optimizer.state.pop(parameter, None),
        "loaded": lambda: optimizer.load_state_dict(optimizer.state_dict()),
        "data": lambda: setattr(parameter, "data", parameter.data * 0.5),
        "moments": lambda: state and next(iter(state.values())) is not None and next(iter(state.values())).add_(1),
        "less": lambda: many and optimizer.state.pop(group["params"].pop(), None),
        "another group": lambda: many and optimizer.add_param_group({"params": [group["params"].pop()]}),
        "hook": lambda: optimizer.register_step_pre_hook(lambda given, *rest: group.update(lr=0.05)),
    }
    if draw.random() < 0.4:
        things[draw.choice(list(things))]()


OPTIMIZERS = {
    "Adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01),
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, lr=0.01, amsgrad=True),
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.01),
    "momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.01, momentum=0.9),
    "RMSprop": lambda parameters: torch.optim.RMSprop(parameters, lr=0.01),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS.values(), ids=list(OPTIMIZERS))
def test_whole_training_steps_to_which_things_happen(optimizer):
    for seed in range(20):
        assert trained(True, optimizer, random.Random(seed)) == trained(False, optimizer, random.Random(seed)), seed


def test_another_optimizer_in_the_place_of_one_is_told_apart():
    for _ in range(50):
        leaf = torch.ones(3, requires_grad=True)
        leaf.grad = torch.ones(3)
        optimizer = torch.optim.Adam([leaf], lr=0.5)
        step = torch.compile(optimizer.step)
        for count in range(3):
            step()
            assert optimizer.state[leaf]["step"].item() == count + 1
        assert abs(leaf[0].item() + 0.5) < 1e-5
        del optimizer, step
