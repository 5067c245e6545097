"""Watching a block or a function: findings, the same numbers, and nothing left behind."""

import importlib
import math
import sys
import warnings

import pytest

import rushlight as torch
from rushlight import doctor, nn
from rushlight.core.surface.overriding import modes
from rushlight.doctor import lost
from rushlight.doctor.catalogue import all_checks


def train(steps=5, cut=False):
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=0.01)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    losses = []
    for _ in range(steps):
        hidden = torch.tanh(first(x))
        loss = nn.functional.mse_loss(second(hidden.detach() if cut else hidden), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_a_block_is_watched():
    with doctor.watch() as watch:
        train(cut=True)
    assert [each.id for each in watch.findings] == ["history-detach"]
    with doctor.watch() as watch:
        train()
    assert watch.findings == []


def test_a_decorated_function_prints_what_was_found(capsys):
    assert len(doctor.watched(train)(cut=True)) == 5
    assert "history-detach" in capsys.readouterr().err


@pytest.mark.parametrize("steps", [5, 150])
def test_numbers_are_the_same_bit_for_bit(steps):
    plain = train(steps)
    with doctor.watch():
        assert train(steps) == plain


def test_everything_is_put_back():
    from rushlight.nn.modules.module import Module
    from rushlight.optim.optimizer import Optimizer

    classes = (torch.Tensor, Module, Optimizer, torch.no_grad, torch.autograd.Function, nn.Parameter)
    before = [dict(vars(each)) for each in classes]
    with doctor.watch():
        train()
    assert [dict(vars(each)) for each in classes] == before
    assert modes.observer is None


def test_everything_is_put_back_after_an_error():
    before = dict(vars(torch.Tensor))
    with pytest.raises(ZeroDivisionError), doctor.watch() as watch:
        1 / 0  # noqa: B018
    assert dict(vars(torch.Tensor)) == before
    assert isinstance(watch.error, ZeroDivisionError) and watch.findings == []


def test_modules_and_optimizers_from_before_are_known():
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
    x = torch.randn(8, 3)
    with doctor.watch() as watch:
        for _ in range(4):
            optimizer.zero_grad()
            second(first(x).detach()).sum().backward()
            optimizer.step()
    (found,) = watch.findings
    assert found.parameters == ["first.weight", "first.bias"]


def test_long_runs_are_looked_at_now_and_then():
    with doctor.watch() as watch:
        train(200)
        awake_at_the_end = watch.observer.awake
    assert not awake_at_the_end
    assert len(watch.health.losses) == 200


def test_slow_programs_rest_among_their_first_steps_too(monkeypatch):
    module = sys.modules["rushlight.doctor.watch"]
    monkeypatch.setattr(module, "LONG", 0.0)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with doctor.watch() as watch:
        train(module.SEEN_LATER - 1)
        seen_first = watch.observer.awake
        train(2)
        seen_then = watch.observer.awake
        # what comes next costs less than the program would wait for
        monkeypatch.setattr(module, "PATIENCE", math.inf)
        train(1)
        seen_again = watch.observer.awake
    assert (seen_first, seen_then, seen_again) == (True, False, True)


def test_a_round_of_very_many_calls_is_not_seen_to_its_end(monkeypatch):
    monkeypatch.setattr(sys.modules["rushlight.doctor.observer.observer"], "BLOCK", 4)
    monkeypatch.setattr(sys.modules["rushlight.doctor.watch"], "PATIENCE", math.inf)
    with doctor.watch() as watch:
        x = torch.ones(2)
        awake = []
        for _ in range(50):
            x = x + 1
            awake.append(watch.observer.awake)
        train(4)
        seen_again = watch.observer.awake
    assert awake == [True] * 38 + [False] * 12
    assert seen_again


def test_a_fault_that_begins_late_is_found(monkeypatch):
    # however slow this machine is at the moment
    monkeypatch.setattr(sys.modules["rushlight.doctor.watch"], "PATIENCE", math.inf)
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    x = torch.randn(8, 3)
    with doctor.watch() as watch:
        for step in range(200):
            if step < 100:
                optimizer.zero_grad()
            net(x).pow(2).mean().backward()
            optimizer.step()
    assert [each.id for each in watch.findings] == ["zero-grad-missing"]


def test_health_tells_of_losses_and_parameters():
    from rushlight.doctor.health import summary

    with doctor.watch() as watch:
        losses = train(10)
        found = summary(watch)
    assert found["losses"] == losses and found["steps"] == 10
    assert {each["verdict"] for each in found["parameters"]} == {"learns"}
    assert all(len(each["gradient"]) == 10 for each in found["parameters"])
    assert found["phases"]["backward"] > 0 and found["seconds"] > 0
    assert found["lines"][0]["line"].startswith(("tests", "/", sys.path[0]))


def test_unknown_ids_cannot_be_ignored():
    with pytest.raises(ValueError, match="there is no finding with the id 'nonsense'"):
        doctor.Watch(ignore=["nonsense"])


def test_the_doctor_itself_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with doctor.watch():
            train(3)


def test_a_check_that_fails_does_not_end_the_program(monkeypatch):
    def fail(watch, event):
        raise ZeroDivisionError

    monkeypatch.setattr(all_checks()["zero-grad-missing"], "body", fail)
    with doctor.watch() as watch:
        watched = train()
    assert watched == train()
    assert {(id, type(error)) for id, error in watch.broken} == {("zero-grad-missing", ZeroDivisionError)}


def test_modes_of_the_program_and_the_observer_do_not_meet():
    names = []

    class Names(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with doctor.watch() as watch, Names(), torch.device("cpu"):
        layer = nn.Embedding(3, 2)
        loss = layer(torch.tensor([0, 2])).sum()
        assert loss.requires_grad and loss.item() == loss.item()
        loss.backward()
    assert "embedding" in names and "item" in names
    assert watch.findings == [] and watch.broken == [] and watch.error is None


class Spare(nn.Module):
    """A network with a layer that it never calls."""

    def __init__(self):
        super().__init__()
        self.used, self.spare = nn.Linear(3, 1), nn.Linear(3, 1)

    def forward(self, x):
        return self.used(x)


@pytest.mark.parametrize("ready_made", [False, True])
def test_an_unused_layer_is_told_unless_a_package_defines_the_network(ready_made, monkeypatch):
    monkeypatch.setattr(lost, "installed", {__file__: ready_made})
    net = Spare()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with doctor.watch() as watch:
        for _ in range(5):
            optimizer.zero_grad()
            net(torch.ones(4, 3)).pow(2).mean().backward()
            optimizer.step()
    assert [each.id for each in watch.findings] == ([] if ready_made else ["param-unused"])


GATED = """
import rushlight as torch


class Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.first(x) * (self.second(x) > 5)
"""


@pytest.mark.parametrize(("installed", "told"), [(True, False), (False, True)])
def test_a_branch_that_a_package_switches_off_is_its_own(installed, told, tmp_path, monkeypatch):
    file = tmp_path / "package_of_gates.py"
    file.write_text(GATED)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules["rushlight.doctor.places"].installed, str(file), installed)
    net = importlib.import_module("package_of_gates").Gated()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with doctor.watch() as watch:
        for _ in range(5):
            optimizer.zero_grad()
            (net(torch.randn(4, 3)) - torch.randn(4, 1)).pow(2).mean().backward()
            optimizer.step()
    sys.modules.pop("package_of_gates")
    assert ("history-nondiff" in {each.id for each in watch.findings}) == told


def test_an_op_without_gradient_in_the_program_is_told_also_of_a_network_of_a_package(monkeypatch):
    monkeypatch.setattr(lost, "installed", {__file__: True})
    net, head = Spare(), nn.Linear(1, 1)
    optimizer = torch.optim.SGD([*net.used.parameters(), *head.parameters()], lr=0.01)
    with doctor.watch() as watch:
        for _ in range(5):
            optimizer.zero_grad()
            head((net(torch.randn(4, 3)) > 0).float()).pow(2).mean().backward()
            optimizer.step()
    assert [each.id for each in watch.findings] == ["history-nondiff"]


@pytest.mark.parametrize(("code", "told"), [("torch.manual_seed(0)", True), ("deeper()", False)])
def test_seeds_that_a_package_sets_inside_are_its_own(code, told, tmp_path, monkeypatch):
    (tmp_path / "package_of_seeds.py").write_text(
        f"import rushlight as torch\n\n\ndef deeper():\n    torch.manual_seed(0)\n\n\ndef work():\n    {code}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules["rushlight.doctor.places"].installed, str(tmp_path / "package_of_seeds.py"), True)
    work = importlib.import_module("package_of_seeds").work
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with doctor.watch() as watch:
        for _ in range(5):
            work()
            optimizer.zero_grad()
            net(torch.randn(4, 3)).pow(2).mean().backward()
            optimizer.step()
    sys.modules.pop("package_of_seeds")
    assert [each.id for each in watch.findings] == ["rng-reseeded"] * told


def test_modules_with_methods_of_their_own_are_named_all_the_same():
    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)

        def named_parameters(self, prefix="", recurse=True):
            return super().named_parameters(prefix, recurse)

    loss = Loss()
    optimizer = torch.optim.SGD(loss.parameters(), lr=0.01)
    with doctor.watch() as watch:
        for _ in range(4):
            optimizer.zero_grad()
            loss.second(loss.first(torch.ones(2, 3)).detach()).sum().backward()
            optimizer.step()
    assert watch.findings[0].parameters == ["loss.first.weight", "loss.first.bias"]
