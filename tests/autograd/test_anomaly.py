"""Anomaly mode: which line of the forward pass led to a gradient that is no number."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import Function


class Inner(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * float("nan")


class Outer(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return Inner.apply(x * grad)


def messages(warned):
    return [str(each.message) for each in warned]


@pytest.mark.parametrize(
    ("function", "what"), [(lambda x: (x * 0).sqrt(), "inf"), (lambda x: (x - 1).sqrt() * 0, "nan")]
)
def test_anomaly_mode_names_the_line_that_made_nan_or_inf(function, what):
    x = torch.ones(1, requires_grad=True)
    with pytest.warns(UserWarning) as warned, torch.autograd.detect_anomaly():
        y = function(x)
        with pytest.raises(RuntimeError, match=f"returned {what} values") as raised:
            y.sum().backward()
    enabled, found = [str(each.message) for each in warned]
    assert enabled.startswith("Anomaly Detection has been enabled")
    assert found.startswith("Error detected in SqrtBackward0. Traceback of forward call that caused the error:")
    assert "test_anomaly.py" in found
    assert "test_anomaly.py" in str(raised.value)


def test_anomaly_mode_switches_off_again():
    torch.autograd.set_detect_anomaly(True)
    assert torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(False)
    x = torch.zeros(1, requires_grad=True)
    x.sqrt().backward()
    assert np.isinf(x.grad.item())


def test_nan_may_pass_while_errors_are_still_explained():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly(check_nan=False):
        assert torch.is_anomaly_enabled() and not torch.is_anomaly_check_nan_enabled()
        Inner.apply(x).sum().backward()
    assert not torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
    assert np.isnan(x.grad.numpy()).all()


def test_modes_inside_each_other():
    with torch.autograd.set_detect_anomaly(True):
        with torch.autograd.set_detect_anomaly(True, False):
            assert not torch.is_anomaly_check_nan_enabled()
        assert torch.is_anomaly_enabled() and torch.is_anomaly_check_nan_enabled()
        torch.set_anomaly_enabled(False)
        assert not torch.is_anomaly_enabled()
    assert not torch.is_anomaly_enabled()
    with pytest.raises(TypeError, match="must be bool, not int"):
        torch.set_anomaly_enabled(3)


def test_a_node_made_by_a_backward_names_the_outer_call():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning) as warned, torch.autograd.set_detect_anomaly(True):
        (first,) = torch.autograd.grad(Outer.apply(x).sum(), x, create_graph=True)
        assert sorted(first.grad_fn.metadata) == ["parent_", "traceback_"]
        with pytest.raises(RuntimeError, match="Function 'InnerBackward' returned nan values in its 0th output"):
            first.sum().backward()
    inner, outer = messages(warned)
    assert inner.startswith("Error detected in InnerBackward. Traceback of forward call that caused the error:")
    assert outer.startswith(
        "\n\nPrevious calculation was induced by OuterBackward. Traceback of forward call that induced"
    )


def test_errors_in_backward_are_explained_too():
    class Wrong(Inner):
        @staticmethod
        def backward(ctx, grad):
            raise ValueError("wrong")

    x = torch.ones(2, requires_grad=True)
    y = Wrong.apply(x)
    with (
        pytest.warns(UserWarning, match="Error detected in WrongBackward. No forward pass information available"),
        torch.autograd.set_detect_anomaly(True),
        pytest.raises(ValueError, match="wrong"),
    ):
        y.sum().backward()


def test_the_switch_takes_bools():
    for given in ((3,), (True, 3)):
        with pytest.raises(
            TypeError, match=r"set_anomaly_enabled\(\): argument '.*' \(position .\) must be bool, not int"
        ):
            torch.autograd.set_detect_anomaly(*given)
    assert not torch.is_anomaly_enabled()


def test_a_block_takes_bools_and_leaves_the_mode_off_if_it_is_refused():
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        block = torch.autograd.detect_anomaly(3)
    with pytest.raises(TypeError, match=r"argument 'check_nan' \(position 2\) must be bool, not int"):
        block.__enter__()
    assert not torch.is_anomaly_enabled()
