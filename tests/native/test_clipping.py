"""What is done natively to all gradients at once: they are forgotten, or clipped, also within a step."""

import contextlib
import math
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.nn.utils import clip_grad
from tests.native.links import accepted
from tests.native.test_optim import METHODS, REMEMBERING, everything, started

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")


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
    monkeypatch.setattr(clip_grad, "clip_norm", clip_grad.clip_norm.__wrapped__)
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
    assert clip_grad.clip_norm(params, 1.0, 2.0, False).item() == 5.0
    np.testing.assert_allclose(params[0].grad.tolist(), [0.6, 0.8], 1e-5)
    assert params[0].grad._storage.writer[0].co_name == "test_clipping_is_native_where_it_can_be"


def test_one_gradient_of_two_parameters_is_scaled_twice(monkeypatch):
    def scaled():
        one, other = with_gradients([3.0], [4.0])
        other.grad = one.grad
        return clipped([one, other], 1.0)

    found = scaled()
    monkeypatch.setattr(clip_grad, "clip_norm", clip_grad.clip_norm.__wrapped__)
    np.testing.assert_allclose(found[3][0][0], scaled()[3][0][0], 1e-6)


def test_a_large_norm_is_exact():
    values = torch.full((1_000_003,), 0.1)
    param = torch.zeros_like(values).requires_grad_()
    param.grad = values
    norm = torch.nn.utils.clip_grad_norm_(param, 1.0).item()
    assert norm == pytest.approx(float(np.float32(0.1)) * math.sqrt(1_000_003), rel=1e-7)


def left_to_python(*arguments):
    """How often the native way of a call was not taken."""
    before = accepted("nn.utils.clip_grad.clip_norm")
    with contextlib.suppress(AttributeError, TypeError):
        clip_grad.clip_norm(*arguments)
    return accepted("nn.utils.clip_grad.clip_norm") == before


@pytest.mark.parametrize("wrong", [None, 1, (), "text", [1], [None], {}])
def test_what_cannot_be_clipped_natively_is_declined(wrong):
    assert left_to_python(wrong, 1.0, 2.0, False)


def test_gradients_of_other_kinds_are_left_to_python():
    half = with_gradients([3.0, 4.0], dtype=torch.float16)
    mixed = with_gradients([3.0]) + with_gradients([4.0], dtype=torch.float64)
    strided = with_gradients([3.0, 4.0])
    strided[0]._grad = torch.arange(4.0)[::2]
    for params in (half, mixed, strided):
        assert left_to_python(params, 100.0, 2.0, False)
        assert torch.nn.utils.clip_grad_norm_(params, 1.0).item() > 1
    assert left_to_python(with_gradients([3.0]), torch.tensor(1.0), 2.0, False)
    assert left_to_python(with_gradients([3.0]), 1.0, 1.0, False)
    assert not left_to_python(with_gradients([3.0]), 1.0, 2, False)


def moved_with_limits(method, limits, dtype=torch.float32, sizes=((3, 4), (700,), (), (0,)), **options):
    """An optimizer after steps with limits, all but the first one native if they can be."""
    torch.manual_seed(0)
    params = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in sizes]
    groups = [{"params": params[:1]}, {"params": params[1:], "lr": 0.2}]
    optimizer = getattr(torch.optim, method)(groups, **{"lr": 0.1, **REMEMBERING.get(method, {}), **options, **limits})
    for _ in range(5):
        for param in params:
            param.grad = torch.randn(param.shape, dtype=dtype)
        optimizer.step()
    return optimizer


LIMITS = [{"clip_norm": 1.5}, {"clip_norm": 1000}, {"clip_value": 0.3}, {"clip_norm": 20.0, "clip_value": 0.4}]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("options", [{}, {"maximize": True, "weight_decay": 0.1}])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_steps_with_limits_are_pythons(without, method, limits, options, dtype):
    optimizer = moved_with_limits(method, limits, dtype, **options)
    assert extension.step(optimizer)
    without()
    wanted = moved_with_limits(method, limits, dtype, **options)
    wanted.step()
    # the norm is added up in another order; a bound is exact
    tolerance = 0 if "clip_norm" not in limits else 1e-5 if dtype is torch.float32 else 1e-12
    for one, other in zip(all_tensors(optimizer), all_tensors(wanted), strict=True):
        np.testing.assert_allclose(one, other, tolerance, tolerance)


def all_tensors(optimizer):
    for group in optimizer.param_groups:
        for param in group["params"]:
            yield param.detach().numpy()
            yield from [np.asarray(each) for each in optimizer.state[param].values()]


def test_limits_within_a_native_step_leave_gradients_as_they_are():
    param, optimizer = started([1.0, 2.0], "SGD", lr=1.0, momentum=0, clip_norm=1.0, clip_value=0.7)
    param.data.zero_()
    param.grad = torch.tensor([3.0, 4.0])
    grad, version = param.grad, param.grad._version
    assert extension.step(optimizer)
    assert param.grad is grad and grad.tolist() == [3.0, 4.0] and grad._version == version
    np.testing.assert_allclose(param.tolist(), [-0.6, -0.7], 1e-6)


@pytest.mark.parametrize("values", [[NAN, 1.0], [INF, 1.0], [3e38, 3e38], [1e-30, 1e-30], [0.0, -0.0]])
@pytest.mark.parametrize("limits", [{"clip_norm": 0.5}, {"clip_value": 0.5}, {"clip_norm": 0}, {"clip_value": 0}])
def test_unusual_gradients_are_clipped_alike(without, values, limits):
    def moved():
        param, optimizer = started([1.0, 2.0], "SGD", lr=1.0, momentum=0, **limits)
        param.grad = torch.tensor(values)
        optimizer.step()
        return param.tolist()

    found = moved()
    without()
    np.testing.assert_allclose(found, moved(), 1e-6)


def test_a_step_with_limits_does_not_depend_on_the_threads():
    def moved(threads):
        torch.set_num_threads(threads)
        return everything(moved_with_limits("Adam", {"clip_norm": 1.0, "clip_value": 0.01}, sizes=((9, 9), (100_000,))))

    before = torch.get_num_threads()
    try:
        assert moved(1) == moved(2) == moved(3)
    finally:
        torch.set_num_threads(before)


def test_a_limit_of_a_class_is_heeded():
    class Careful(torch.optim.SGD):
        _clip_value = 0.5

    param = torch.zeros(1, requires_grad=True)
    optimizer = Careful([param], lr=1.0)
    param.grad = torch.ones(1)
    optimizer.step()
    assert extension.step(optimizer)
    assert param.tolist() == [-1.0]
