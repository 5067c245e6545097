"""What is done natively to all gradients at once: they are forgotten, or clipped."""

import math
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import core
from tests.native.test_optim import started

pytestmark = pytest.mark.skipif(core is None, reason="there is no native layer here")


NAN, INF = math.nan, math.inf


def test_gradients_are_forgotten_natively_and_kept_where_asked():
    param, optimizer = started([1.0])
    grad = param.grad
    optimizer.zero_grad(set_to_none=False)
    assert param.grad is grad and grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert param.grad is None
    param.grad = grad
    optimizer.zero_grad(1)
    assert param.grad is None
    optimizer.param_groups[0]["params"] = (param,)
    param.grad = grad
    optimizer.zero_grad(True)
    assert param.grad is None
    optimizer.param_groups[0]["params"] = [None]
    with pytest.raises(AttributeError):
        optimizer.zero_grad()


def test_code_that_runs_when_a_gradient_goes_does_no_harm():
    params = [torch.ones(1, requires_grad=True) for _ in range(4)]
    optimizer = torch.optim.SGD(params, lr=1.0)
    for param in params:
        param.grad = torch.ones(1)
    finalizer = weakref.finalize(params[0].grad, optimizer.param_groups[0]["params"].clear)
    optimizer.zero_grad()
    assert not finalizer.alive and params[0].grad is None and params[1].grad is not None


def with_gradients(*values, dtype=torch.float32):
    params = []
    for each in values:
        grad = None if each is None else torch.tensor(each, dtype=dtype)
        params.append(torch.zeros(() if grad is None else grad.shape, dtype=dtype, requires_grad=True))
        params[-1].grad = grad
    return params


def clipped(params, *args, **kwargs):
    """The norm, the gradients and their versions; or the error."""
    try:
        norm = torch.nn.utils.clip_grad_norm_(params, *args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    grads = [None if each.grad is None else (each.grad.tolist(), each.grad._version) for each in params]
    return norm.item(), norm.dtype, tuple(norm.shape), grads


GRADIENTS = [
    ([3.0, 4.0],),
    ([3.0], [4.0], None),
    ([[1.0, 2.0], [3.0, 4.0]], 5.0, []),
    ([0.0], [-0.0]),
    ([],),
    ([INF, 1.0],),
    ([1.0], [NAN]),
    ([1e30, 1e30],),
    ([1e-30],),
    (None,),
    (),
    (list(range(40)),),
]


@pytest.mark.parametrize("values", GRADIENTS)
@pytest.mark.parametrize("largest", [0.5, 100.0, 0, 1, -1.0, INF, NAN])
@pytest.mark.parametrize("error", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_clipping_is_pythons(monkeypatch, values, largest, error, dtype):
    found = clipped(with_gradients(*values, dtype=dtype), largest, error_if_nonfinite=error)
    monkeypatch.setattr(torch.nn.utils.clip_grad, "core", None)
    wanted = clipped(with_gradients(*values, dtype=dtype), largest, error_if_nonfinite=error)
    if isinstance(wanted[0], type):
        assert found == wanted
        return
    assert found[1:3] == wanted[1:3]
    np.testing.assert_allclose(found[0], wanted[0], 1e-6)
    for one, other in zip(found[3], wanted[3], strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one[0], other[0], 1e-6)
            assert one[1] == other[1]


def test_clipping_is_native_where_it_can_be():
    params = with_gradients([3.0, 4.0], None)
    assert core.clip_grad_norm(params, 1.0, False).item() == 5.0
    np.testing.assert_allclose(params[0].grad.tolist(), [0.6, 0.8], 1e-5)
    assert params[0].grad._storage.writer[0].co_name == "test_clipping_is_native_where_it_can_be"


def test_one_gradient_of_two_parameters_is_scaled_twice(monkeypatch):
    def scaled():
        one, other = with_gradients([3.0], [4.0])
        other.grad = one.grad
        return clipped([one, other], 1.0)

    found = scaled()
    monkeypatch.setattr(torch.nn.utils.clip_grad, "core", None)
    np.testing.assert_allclose(found[3][0][0], scaled()[3][0][0], 1e-6)


def test_a_large_norm_is_exact():
    values = torch.full((1_000_003,), 0.1)
    param = torch.zeros_like(values).requires_grad_()
    param.grad = values
    norm = torch.nn.utils.clip_grad_norm_(param, 1.0).item()
    assert norm == pytest.approx(float(np.float32(0.1)) * math.sqrt(1_000_003), rel=1e-7)


@pytest.mark.parametrize("wrong", [None, 1, (), "text", [1], [None], {}])
def test_what_cannot_be_clipped_natively_is_declined(wrong):
    assert core.clip_grad_norm(wrong, 1.0, False) is None


def test_gradients_of_other_kinds_are_left_to_python():
    half = with_gradients([3.0, 4.0], dtype=torch.float16)
    mixed = with_gradients([3.0]) + with_gradients([4.0], dtype=torch.float64)
    strided = with_gradients([3.0, 4.0])
    strided[0]._grad = torch.arange(4.0)[::2]
    for params in (half, mixed, strided):
        assert core.clip_grad_norm(params, 1.0, False) is None
        assert torch.nn.utils.clip_grad_norm_(params, 1.0).item() > 1
    assert core.clip_grad_norm(with_gradients([3.0]), torch.tensor(1.0), False) is None
    assert core.clip_grad_norm() is None
