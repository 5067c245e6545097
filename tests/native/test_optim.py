"""Native steps: equal to the Python layer's to the last bit."""

import math
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.optim import flat, stepping
from tests.optim.test_steps import CHANGES, OPTIONS, SKIPS, moments_after, run

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")

MORE = [
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 1, "momentum": 1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "amsgrad": True, "maximize": True}),
    ("Adam", {"lr": 0, "eps": 0, "betas": (0.0, 0.0)}),
    ("RMSprop", {"lr": 0.1, "centered": True, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.1, "alpha": 1}),
]
METHODS = ["SGD", "Adam", "AdamW", "RMSprop"]
REMEMBERING = {"SGD": {"lr": 0.05, "momentum": 0.9}, "RMSprop": {"momentum": 0.5, "centered": True}}
NAN, INF = math.nan, math.inf


def started(values, method="Adam", dtype=torch.float32, **options):
    """A parameter with these values, and an optimizer that has made its first step."""
    param = torch.tensor(values, dtype=dtype, requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], **{**REMEMBERING.get(method, {}), **options})
    param.grad = torch.ones_like(param)
    optimizer.step()
    return param, optimizer


def everything(optimizer):
    """Parameters, their versions and their state, with NaN equal to itself."""
    params = [param for group in optimizer.param_groups for param in group["params"]]
    state = [{name: np.asarray(value).tobytes() for name, value in optimizer.state[param].items()} for param in params]
    return [(param.detach().numpy().tobytes(), param._version) for param in params], state


@pytest.mark.parametrize(("method", "options"), [each for each in OPTIONS + MORE if each[0] in METHODS])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_steps_are_pythons_to_the_last_bit(without, method, options, dtype):
    found = [run(method, options, skips, dtype) for skips in SKIPS]
    without()
    # NaN is equal to itself here
    np.testing.assert_equal(found, [run(method, options, skips, dtype) for skips in SKIPS])


def test_a_rate_that_numpy_made_is_a_number():
    for rate in (np.float64(0.1), 1, True):
        param, optimizer = started([1.0, 2.0], "SGD", lr=rate, momentum=0)
        assert extension.step(optimizer)
        np.testing.assert_allclose(param.tolist(), [1 - 2 * rate, 2 - 2 * rate], 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_a_second_step_is_native(method):
    _, optimizer = started([1.0, 2.0], method)
    assert extension.step(optimizer)


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_program_does_to_state_and_parameters_is_heeded(without, change):
    found = moments_after(change)
    without()
    assert found == moments_after(change)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.5}, {"maximize": True}])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_nan_infinity_and_signed_zeros_go_the_same_way(without, method, options, dtype):
    def moved():
        values = [1.0, INF, -INF, NAN, 0.0, -0.0, 1e-45, 3e38] * 5
        param, optimizer = started(values, method, dtype, **options)
        for grad in (1.0, -0.0, 0.0, INF, 1e-45, 3e38, -INF, NAN):
            param.grad = torch.full_like(param, grad)
            optimizer.step()
        return [np.asarray(each) for each in (param.detach(), *optimizer.state[param].values())]

    found = moved()
    without()
    for one, other in zip(found, moved(), strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(np.signbit(one)[one == 0], np.signbit(other)[other == 0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (17,), (1, 1, 1), (4, 3, 2)])
def test_every_shape_moves(without, method, shape):
    def moved():
        optimizer = started(np.arange(math.prod(shape)).reshape(shape).tolist(), method)[1]
        for _ in range(3):
            optimizer.step()
        return everything(optimizer)

    found = moved()
    without()
    assert found == moved()


@pytest.mark.parametrize("method", METHODS)
def test_large_parameters_do_not_depend_on_the_threads(method):
    def moved(threads):
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        param, optimizer = started(torch.randn(70_000).tolist(), method)
        param.grad = torch.randn(70_000)
        optimizer.step()
        torch.nn.utils.clip_grad_norm_([param], 0.1)
        return everything(optimizer), param.grad.tolist()

    before = torch.get_num_threads()
    try:
        assert moved(1) == moved(2) == moved(3)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("method", METHODS)
def test_a_transposed_parameter_moves_natively_with_a_transposed_gradient(without, method):
    def moved():
        param = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
        optimizer = getattr(torch.optim, method)([param], **REMEMBERING.get(method, {}))
        for number in range(3):
            param.grad = (torch.arange(6.0).reshape(2, 3) * 0.5).t()
            # the first one by Python, the second one natively if at all
            if number != 1 or stepping.extension is None or not extension.step(optimizer):
                optimizer.step()
        return everything(optimizer)

    found = moved()
    without()
    assert found == moved()


def test_steps_count_as_writes_and_name_the_line():
    param, optimizer = started([1.0, 2.0])
    version = param._version
    assert extension.step(optimizer)
    assert param._version == version + 1
    optimizer.step()  # here
    code, _ = param._storage.writer
    assert param._version == version + 2
    assert code.co_name == "test_steps_count_as_writes_and_name_the_line"
    assert all(value._storage is None for value in optimizer.state[param].values())
    loss = (param * param).sum()
    optimizer.step()
    with pytest.raises(RuntimeError, match=r"optimizer\.step\(\)"):
        loss.backward()


def test_parameters_without_gradients_stay():
    param, optimizer = started([1.0])
    other = torch.ones(1, requires_grad=True)
    optimizer.add_param_group({"params": [other]})
    before = param._version
    assert extension.step(optimizer)
    assert other.tolist() == [1.0] and other._version == 0 and param._version == before + 1
    param.grad = None
    assert not extension.step(optimizer)
    assert param._version == before + 1


def test_groups_have_options_of_their_own(without):
    def moved():
        params = [torch.ones(3, requires_grad=True) for _ in range(4)]
        groups = [
            {"params": params[:2], "lr": 0.1},
            {"params": params[2:], "betas": [0.5, 0.5], "weight_decay": 0.1},
        ]
        optimizer = torch.optim.Adam(groups, lr=0.2)
        for param in params:
            param.grad = torch.arange(3.0)
        for number in range(4):
            optimizer.step()
            params[0].grad = None
            optimizer.param_groups[1]["lr"] = 1 / (number + 1)
        return everything(optimizer)

    found = moved()
    without()
    assert found == moved()


def test_a_parameter_listed_twice_moves_twice(without):
    def moved():
        param = torch.ones(3, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer = torch.optim.Adam([param, param])
        for _ in range(3):
            param.grad = torch.arange(3.0)
            optimizer.step()
        return everything(optimizer)

    found = moved()
    without()
    assert found == moved()


def test_parameters_that_share_memory_move_one_after_the_other(without, monkeypatch):
    def moved():
        base = torch.arange(8.0)
        params = [base[:6].requires_grad_(), base[2:].requires_grad_()]
        optimizer = torch.optim.Adam(params, lr=0.1)
        for _ in range(3):
            for param in params:
                param.grad = param.detach().clone()
            optimizer.step()
        return base.tolist()

    found = moved()
    without()
    monkeypatch.setattr(flat, "LARGEST", 0)
    assert found == moved()


def test_replaced_data_is_moved_and_the_old_data_is_not():
    param, optimizer = started([1.0, 2.0], lr=0.5)
    old = param.detach()
    before = old.tolist()
    param.data = torch.zeros(2)
    assert extension.step(optimizer)
    assert old.tolist() == before and (param.detach() != 0).all()
