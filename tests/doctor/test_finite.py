"""Values that are not finite: found at their origin, also while the observer rests, and without a trace in the run."""

import gc
import sys
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch
from rushlight import doctor, nn
from rushlight.autograd.graph import OpNode
from rushlight.doctor.finite import is_finite, size_of
from rushlight.doctor.watch import SEEN_FIRST, SEEN_LATER
from rushlight.native import extension


def test_finite_arrays_are_finite_also_where_their_squares_overflow():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_finite(np.full(100, 1e30, np.float32))
        assert is_finite(np.zeros(0, np.float32))
        assert is_finite(np.arange(5))
        assert not is_finite(np.array([1.0, np.nan]))
        assert not is_finite(np.array([[1.0], [-np.inf]], np.float32))
        assert not is_finite(np.array([np.inf], np.float16))
        assert size_of(np.array([3e30, 4e30], np.float32)) == pytest.approx(5e30)


def trained(steps, bad_at):
    """Weights and losses of a small run whose loss divides by zero at one step."""
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    losses = []
    for step in range(steps):
        x = torch.randn(8, 3)
        scale = torch.tensor(float(step != bad_at))
        loss = (net(x).pow(2) / scale).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return np.array(losses), net.weight.detach().numpy().copy()


@pytest.mark.parametrize("bad_at", [2, SEEN_FIRST + SEEN_LATER + 5])
def test_the_origin_of_a_loss_that_is_no_number_is_found_awake_and_at_rest(bad_at):
    with doctor.watch() as watch:
        trained(bad_at + 3, bad_at)
    (finding,) = watch.findings
    assert finding.id == "nan-forward"
    assert "divided by 1 zero" in finding.message
    assert finding.file == __file__
    assert "net(x).pow(2) / scale" in Path(__file__).read_text().splitlines()[finding.line - 1]


@pytest.mark.parametrize("bad_at", [2, -1])
def test_the_numbers_of_a_watched_run_are_those_of_a_plain_one(bad_at):
    plain = trained(5, bad_at)
    with doctor.watch():
        watched = trained(5, bad_at)
    for one, other in zip(plain, watched, strict=True):
        assert one.tobytes() == other.tobytes()


def root_of_zero():
    w = torch.zeros(3, requires_grad=True)
    root = torch.sqrt(w)
    return w, root, root.sum()


def test_a_weight_that_a_step_at_rest_has_spoilt_is_named(monkeypatch):
    monkeypatch.setattr(sys.modules["rushlight.doctor.watch"], "PATIENCE", 0.0)
    with doctor.watch() as watch:
        watch.observer.rest()
        w = torch.nn.Parameter(torch.zeros(3))
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            torch.sqrt(w).sum().backward()
            optimizer.step()
    (finding,) = watch.findings
    assert finding.id == "nan-forward"
    assert finding.message.startswith("w is not finite since one of the steps before")


def test_the_call_whose_gradient_is_infinite_is_found_by_a_second_pass():
    with doctor.watch() as watch:
        w, _, loss = root_of_zero()
        loss.backward()
    (finding,) = watch.findings
    assert finding.id == "nan-backward"
    assert finding.message.startswith("The gradient of `sqrt` is infinite at [0], where its input is 0")
    assert w.grad.tolist() == [float("inf")] * 3


def test_after_the_second_pass_a_second_backward_of_the_program_fails_as_it_would():
    with doctor.watch():
        _, _, loss = root_of_zero()
        loss.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            loss.backward()


def test_after_the_second_pass_a_retained_graph_can_be_used_again():
    with doctor.watch():
        w, _, loss = root_of_zero()
        loss.backward(retain_graph=True)
        loss.backward()
    assert w.grad.tolist() == [float("inf")] * 3


def test_hooks_and_functions_of_the_program_run_once():
    calls = []

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sqrt()

        @staticmethod
        def backward(ctx, grad):
            calls.append("backward")
            (x,) = ctx.saved_tensors
            return grad / (2 * x.sqrt())

    with doctor.watch() as watch:
        w = torch.zeros(2, requires_grad=True)
        w.register_hook(lambda grad: calls.append("hook"))
        Own.apply(w).sum().backward()
    assert calls == ["backward", "hook"]
    assert [each.id for each in watch.findings] == ["nan-backward"]
    assert "`Own`" in watch.findings[0].message or "OwnBackward" in watch.findings[0].message


def test_what_a_graph_saved_does_not_outlive_its_backward():
    gc.collect()
    with doctor.watch():
        x = torch.randn(4, requires_grad=True)
        hidden = x.exp()
        reference = weakref.ref(hidden)
        loss = hidden.log().sum()
        del hidden
        loss.backward()
        assert reference() is None


def test_a_loss_that_is_no_number_warns_nobody():
    with warnings.catch_warnings(), doctor.watch() as watch:
        warnings.simplefilter("error")
        x = torch.full((3,), 1e38, requires_grad=True)
        (x * x).sum().backward()
    assert [each.id for each in watch.findings] == ["nan-forward"]


def test_a_mask_of_infinities_is_no_origin():
    with doctor.watch() as watch:
        scores = torch.randn(2, 3, requires_grad=True)
        mask = torch.tensor([[False, True, False], [True, True, True]])
        weights = torch.softmax(scores.masked_fill(mask, float("-inf")), 1)
        weights.sum().backward()
    (finding,) = watch.findings
    assert "`softmax`" in finding.message
    assert "every element is masked" in finding.message


def test_gradients_of_a_watched_backward_come_from_the_same_kernels():
    def gradients():
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(7, 33), nn.Tanh(), nn.LayerNorm(33), nn.GELU(), nn.Linear(33, 3))
        loss = nn.functional.cross_entropy(net(torch.randn(65, 7)), torch.randint(3, (65,)))
        loss.backward()
        return [each.grad.numpy().tobytes() for each in net.parameters()]

    plain = gradients()
    with doctor.watch() as watch:
        assert gradients() == plain
        watch.observer.rest()
        assert gradients() == plain


@pytest.mark.skipif(extension is None, reason="there is no native engine")
def test_a_watched_backward_stays_in_native_code(monkeypatch):
    def refuse(self, grads):
        raise AssertionError(f"{self.name()} ran in Python")

    monkeypatch.setattr(OpNode, "apply", refuse)
    with doctor.watch():
        w = torch.randn(4, 3, requires_grad=True)
        (torch.randn(5, 4) @ w).tanh().pow(2).mean().backward()
    assert w.grad is not None


def test_a_run_that_explodes_is_told_so_and_warns_nobody():
    with warnings.catch_warnings(), doctor.watch() as watch:
        warnings.simplefilter("error")
        torch.manual_seed(0)
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=1e6)
        x = torch.randn(8, 3)
        for _ in range(12):
            loss = net(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    assert [each.id for each in watch.findings] == ["diverged"]
