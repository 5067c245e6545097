"""Checkpointing: a second run in backward, and what is said if it differs from the first."""

import contextlib

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils import checkpoint as module
from rushlight.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential


def point(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return torch.tensor(values, requires_grad=True)


def leaf():
    return torch.ones(2, requires_grad=True)


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_computes_again_and_agrees(reentrant):
    calls = []

    def block(x, w):
        calls.append(1)
        return (x @ w).tanh()

    x, w = point(2, 3), point(3, 4, seed=1)
    block(x, w).sum().backward()
    expected, x.grad, w.grad = (x.grad, w.grad), None, None
    calls.clear()
    checkpoint(block, x, w, use_reentrant=reentrant).sum().backward()
    assert len(calls) == 2
    np.testing.assert_allclose(x.grad.numpy(), expected[0].numpy())
    np.testing.assert_allclose(w.grad.numpy(), expected[1].numpy())


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_draws_the_same_random_numbers(reentrant):
    x = torch.ones(100, requires_grad=True)
    torch.manual_seed(0)
    kept = {}

    def noisy(x):
        kept.setdefault("mask", []).append((torch.rand(100) < 0.5).tolist())
        return x * torch.tensor(kept["mask"][-1], dtype=torch.float32)

    checkpoint(noisy, x, use_reentrant=reentrant).sum().backward()
    assert kept["mask"][0] == kept["mask"][1]


def test_checkpoint_sequential():
    x = torch.ones(3, requires_grad=True)
    functions = [torch.tanh, torch.exp, torch.sin]
    checkpoint_sequential(functions, 2, x, use_reentrant=False).sum().backward()
    expected = torch.ones(3, requires_grad=True)
    expected.tanh().exp().sin().sum().backward()
    assert x.grad.tolist() == expected.grad.tolist()


def test_the_second_run_ends_when_all_values_are_there():
    calls = []

    def block(x):
        calls.append("first")
        y = x.sin()
        calls.append("second")
        z = y.sin()
        calls.append("third")
        return z * 2

    def again(**options):
        y = checkpoint(block, leaf(), use_reentrant=False, **options)
        calls.clear()
        y.sum().backward()
        return calls.copy()

    assert again() == ["first", "second"]
    assert again(early_stop=False) == ["first", "second", "third"]
    with module.set_checkpoint_early_stop(False):
        assert again() == ["first", "second", "third"]
    with module.set_checkpoint_early_stop(True):
        assert again(early_stop=False) == ["first", "second"]


def test_checkpoints_inside_checkpoints():
    calls = []

    def inner(x):
        calls.append("inner")
        return x.sin().cos()

    def outer(x):
        calls.append("outer")
        return checkpoint(inner, x, use_reentrant=False).exp().sin()

    expected = leaf()
    expected.sin().cos().exp().sin().sum().backward()
    x = leaf()
    y = checkpoint(outer, x, use_reentrant=False)
    calls.clear()
    y.sum().backward()
    assert calls == ["outer", "inner", "inner"]
    assert x.grad.tolist() == expected.grad.tolist()


@pytest.mark.parametrize("outer_reentrant", [False, True])
def test_both_kinds_inside_each_other(outer_reentrant):
    x = leaf()

    def outer(x):
        return checkpoint(torch.sin, x, use_reentrant=not outer_reentrant).exp()

    checkpoint(outer, x, use_reentrant=outer_reentrant).sum().backward()
    assert x.grad.tolist() == pytest.approx([np.cos(1) * np.exp(np.sin(1))] * 2)


def test_backward_twice_and_derivatives_of_second_order():
    x = leaf()
    y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)
    y.sum().backward(retain_graph=True)
    first = x.grad.tolist()
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2 * each for each in first]
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (found,) = torch.autograd.grad(slope.sum(), x)
    z = x.sin().exp()
    (slope,) = torch.autograd.grad(z.sum(), x, create_graph=True)
    assert found.tolist() == torch.autograd.grad(slope.sum(), x)[0].tolist()


def changing(first, second):
    """A function that does something else in its second run."""
    runs = []

    def run(x):
        runs.append(1)
        return (first if len(runs) == 1 else second)(x)

    return run


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (
            (lambda x: x.sin().sin(), lambda x: x.sin()),
            {},
            "A different number of tensors was saved during the original forward and recomputation.\\nNumber of "
            "tensors saved during forward: 2\\nNumber of tensors saved during recomputation: 1",
        ),
        (
            (lambda x: x.sin(), lambda x: x.sin().sin()),
            {"early_stop": False},
            "trying to save more tensors during recomputation than during the original forward pass",
        ),
        (
            (lambda x: x.sin().sum(), lambda x: x[:1].sin().sum()),
            {},
            "Recomputed values for the following tensors have different metadata than during the forward pass.\\n"
            "tensor at position 0:",
        ),
        (
            (lambda x: x.sin().sin(), lambda x: x.sin()),
            {"debug": True},
            "An error happened while unpacking tensors; dumping logs of latest computation(.|\\n)*test_checkpoint.py",
        ),
    ],
)
def test_a_second_run_that_differs_is_refused(function, options, words):
    y = checkpoint(changing(*function), leaf(), use_reentrant=False, **options)
    with pytest.raises(CheckpointError, match=words):
        y.sum().backward()


def test_shapes_are_not_compared_if_nobody_asks():
    run = changing(lambda x: x.sin().sum(), lambda x: x[:1].sin().sum())
    x = leaf()
    checkpoint(run, x, use_reentrant=False, determinism_check="none").backward()
    assert x.grad.tolist() == pytest.approx([np.cos(1)] * 2)


def test_contexts_stand_around_both_runs():
    seen = []

    @contextlib.contextmanager
    def noted(name):
        seen.append(name)
        yield

    y = checkpoint(torch.sin, leaf(), use_reentrant=False, context_fn=lambda: (noted("first"), noted("second")))
    assert seen == ["first"]
    y.sum().backward()
    assert seen == ["first", "second"]


def test_a_changed_argument_is_noticed():
    x = leaf()
    y = x * 1
    z = checkpoint(lambda y: y.sin().sin(), y, use_reentrant=False)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"use_reentrant": True, "k": 3}, "Unexpected keyword arguments: k"),
        (
            {"use_reentrant": True, "debug": True},
            "Passing `context_fn` or `debug` is only supported when use_reentrant=F",
        ),
        ({"use_reentrant": False, "determinism_check": "foo"}, "determinism_check should be one of"),
        ({"use_reentrant": False, "debug": True, "context_fn": tuple}, "debug=True is incompatible with non-default"),
    ],
)
def test_options_that_do_not_go_together(options, words):
    with pytest.raises(ValueError, match=words):
        checkpoint(torch.sin, leaf(), **options)


def test_the_kind_should_be_named():
    for function in (lambda: checkpoint(torch.sin, leaf()), lambda: checkpoint_sequential([torch.sin], 1, leaf())):
        with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
            function()


def test_the_older_kind_wants_inputs_with_gradients_and_a_plain_backward():
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(torch.sin, torch.ones(2), use_reentrant=True)
    x = leaf()
    with pytest.raises(RuntimeError, match="When use_reentrant=True, "):
        torch.autograd.grad(checkpoint(torch.sin, x, use_reentrant=True).sum(), x)
    y = checkpoint(lambda x: x.detach(), x, use_reentrant=True)
    with pytest.raises(RuntimeError, match="none of output has requires_grad=True"):
        y.sum().backward()


def test_sequences_are_cut_into_parts_that_exist():
    with pytest.raises(ValueError, match="must not be zero"):
        checkpoint_sequential([torch.sin], 3, leaf(), use_reentrant=False)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: foo"):
        checkpoint_sequential([torch.sin], 1, leaf(), use_reentrant=False, foo=1)


def test_nothing_is_replayed_without_recording():
    with torch.no_grad():
        assert checkpoint(torch.sin, leaf(), use_reentrant=False).requires_grad is False


def test_debugging_may_be_switched_on_for_a_block():
    with module.set_checkpoint_debug_enabled(True):
        y = checkpoint(changing(lambda x: x.sin().sin(), lambda x: x.sin()), leaf(), use_reentrant=False)
    with pytest.raises(CheckpointError, match="dumping logs"):
        y.sum().backward()


def test_smaller_names():
    x = leaf()
    alone, number = module.detach_variable((x * 2, 3))
    assert alone.is_leaf and alone.requires_grad and number == 3
    with pytest.raises(RuntimeError, match="Only tuple of tensors is supported"):
        module.detach_variable(3)
    assert module.get_device_states(x) == ([], []) and module.set_device_states([], []) is None
    with pytest.raises(RuntimeError, match="no device beside the CPU"):
        module.set_device_states([0], [None])
    module.DefaultDeviceType.set_device_type("cuda")
    assert module.DefaultDeviceType.get_device_type() == "cuda"
    module.DefaultDeviceType.set_device_type("cpu")
    with pytest.raises(AttributeError, match="create_selective_checkpoint_contexts"):
        module.create_selective_checkpoint_contexts  # noqa: B018


def test_a_function_that_stands_for_another_is_run_again_once():
    """`where` leads to an inner op; that the second run ends inside of it must not look like a refusal."""
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    found = checkpoint(lambda v: torch.where(v > 0, v, v * 3), x, use_reentrant=False)
    found.sum().backward()
    assert x.grad.tolist() == [3.0, 1.0]
