"""Native steps leave to the Python layer whatever is unusual."""

import gc
import math
from collections import UserDict

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.optim import optimizer as optimizers
from tests.native.test_optim import started

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")


def tensor_rate(param, optimizer):
    optimizer.param_groups[0]["lr"] = torch.tensor(0.1)


def text_rate(param, optimizer):
    optimizer.param_groups[0]["lr"] = "fast"


def nan_rate(param, optimizer):
    optimizer.param_groups[0]["lr"] = math.nan


def no_rate(param, optimizer):
    del optimizer.param_groups[0]["lr"]


def huge_rate(param, optimizer):
    optimizer.param_groups[0]["lr"] = 10**400


def odd_flag(param, optimizer):
    optimizer.param_groups[0]["maximize"] = 1


def late_amsgrad(param, optimizer):
    optimizer.param_groups[0]["amsgrad"] = True


def capturable(param, optimizer):
    optimizer.param_groups[0]["capturable"] = True


def strange_betas(param, optimizer):
    optimizer.param_groups[0]["betas"] = (0.5, 1.0)


def three_betas(param, optimizer):
    optimizer.param_groups[0]["betas"] = (0.5, 0.5, 0.5)


def strange_group(param, optimizer):
    optimizer.param_groups[0] = UserDict(optimizer.param_groups[0])


def params_tuple(param, optimizer):
    optimizer.param_groups[0]["params"] = tuple(optimizer.param_groups[0]["params"])


def params_number(param, optimizer):
    optimizer.param_groups[0]["params"] = [1]


def no_params(param, optimizer):
    del optimizer.param_groups[0]["params"]


def groups_tuple(param, optimizer):
    optimizer.param_groups = tuple(optimizer.param_groups)


def no_groups(param, optimizer):
    del optimizer.param_groups


def no_state(param, optimizer):
    optimizer.state.clear()


def partial_state(param, optimizer):
    del optimizer.state[param]["exp_avg"]


def number_state(param, optimizer):
    optimizer.state[param]["exp_avg"] = 1.0


def list_state(param, optimizer):
    optimizer.state[param] = []


def other_shape(param, optimizer):
    optimizer.state[param]["exp_avg"] = torch.zeros(1)


def other_size(param, optimizer):
    optimizer.state[param]["exp_avg"] = torch.zeros(7)


def other_dtype(param, optimizer):
    optimizer.state[param]["exp_avg_sq"] = torch.zeros(2, dtype=torch.float64)


def expanded_state(param, optimizer):
    optimizer.state[param]["exp_avg"] = torch.zeros(1).expand(2)


def shared_state(param, optimizer):
    optimizer.state[param]["exp_avg_sq"] = optimizer.state[param]["exp_avg"]


def overlapping_state(param, optimizer):
    both = torch.zeros(3)
    optimizer.state[param]["exp_avg"], optimizer.state[param]["exp_avg_sq"] = both[:2], both[1:]


def gradient_of_itself(param, optimizer):
    param.grad = param.detach()


def negative_count(param, optimizer):
    optimizer.state[param]["step"].fill_(-1.0)


def nan_count(param, optimizer):
    optimizer.state[param]["step"].fill_(math.nan)


def number_count(param, optimizer):
    optimizer.state[param]["step"] = 3


def long_count(param, optimizer):
    optimizer.state[param]["step"] = torch.ones(2)


def integer_count(param, optimizer):
    optimizer.state[param]["step"] = torch.tensor(3)


def half_parameter(param, optimizer):
    param.data = param.data.half()
    param._grad = torch.ones(2, dtype=torch.float16)


def other_gradient(param, optimizer):
    param._grad = torch.ones(2, dtype=torch.float64)


def small_gradient(param, optimizer):
    param._grad = torch.ones(1)


def strided_parameter(param, optimizer):
    param.data = torch.arange(4.0)[::2]


def strided_gradient(param, optimizer):
    param._grad = torch.arange(4.0)[::2]


def no_gradient(param, optimizer):
    param.grad = None


def fixed_memory(param, optimizer):
    param._array.flags.writeable = False


def fixed_state(param, optimizer):
    optimizer.state[param]["exp_avg"]._array.flags.writeable = False


def swapped_bytes(param, optimizer):
    param._array = param._array.astype(">f4")


def own_formula(param, optimizer):
    optimizer.step_for = lambda array, grad, state, group, first: array.fill(7.0)


def tensor_limit(param, optimizer):
    optimizer.clip_norm = torch.tensor(0.5)


def wrong_limit(param, optimizer):
    optimizer._clip_value = math.nan


def differentiable(param, optimizer):
    optimizer.defaults["differentiable"] = True


UNUSUAL = [
    tensor_rate,
    text_rate,
    nan_rate,
    no_rate,
    huge_rate,
    odd_flag,
    late_amsgrad,
    capturable,
    strange_betas,
    three_betas,
]
UNUSUAL += [strange_group, params_tuple, params_number, no_params, groups_tuple, no_groups, no_state, partial_state]
UNUSUAL += [number_state, list_state, other_shape, other_size, other_dtype, expanded_state, shared_state]
UNUSUAL += [overlapping_state, gradient_of_itself, negative_count, nan_count, number_count, long_count, integer_count]
UNUSUAL += [half_parameter, other_gradient, small_gradient, strided_parameter, strided_gradient, fixed_memory]
UNUSUAL += [fixed_state, swapped_bytes, own_formula, differentiable, no_gradient, tensor_limit, wrong_limit]


@pytest.mark.parametrize("change", UNUSUAL)
def test_the_unusual_is_left_to_python(without, change):
    def stepped():
        param, optimizer = started([1.0, -2.0])
        first, count = optimizer.state[param]["exp_avg"], optimizer.state[param]["step"]
        change(param, optimizer)
        before = param.tolist(), param._version, first.tolist(), count.tolist()
        assert not extension.step(optimizer)
        np.testing.assert_equal((param.tolist(), param._version, first.tolist(), count.tolist()), before)
        try:
            optimizer.step()
        except Exception as error:
            # warnings are errors
            return type(error), str(error)
        return param.tolist(), param._version, first.tolist(), count.tolist()

    found = stepped()
    without()
    np.testing.assert_equal(found, stepped())


@pytest.mark.parametrize("wrong", [None, 1, "text", object(), Exception, [], {}, type("Plain", (), {})()])
def test_what_is_no_optimizer_is_left_alone(wrong):
    assert not extension.step(wrong)


def test_a_formula_of_ones_own_is_used():
    class Sign(torch.optim.SGD):
        def step_for(self, array, grad, state, group, first):
            array -= group["lr"] * np.sign(grad)

    param = torch.zeros(2, requires_grad=True)
    param.grad = torch.tensor([5.0, -3.0])
    optimizer = Sign([param], lr=0.5)
    assert not extension.step(optimizer)
    optimizer.step()
    assert param.tolist() == [-0.5, 0.5]


def test_a_kin_of_adam_with_another_formula_is_not_taken_for_adam():
    optimizer = started([1.0, 2.0], "AdamTF")[1]
    assert not extension.step(optimizer)


def test_a_method_that_has_no_loops_cannot_be_connected():
    with pytest.raises(TypeError, match=r"there is no native step of optim\.sgd\.SGD\.state_for"):
        extension.connect_step(torch.optim.SGD.state_for)
    with pytest.raises(AttributeError):
        extension.connect_step(1)


def test_a_step_of_ones_own_may_go_on_to_the_native_one():
    calls = []

    class Loud(torch.optim.Adam):
        def step(self, closure=None):
            calls.append(closure)
            return super().step(closure)

    param = torch.zeros(2, requires_grad=True)
    optimizer = Loud([param])
    for _ in range(3):
        param.grad = torch.ones(2)
        optimizer.step()
    assert calls == [None] * 3 and optimizer.state[param]["step"].item() == 3


def test_hooks_run_around_native_steps():
    param, optimizer = started([1.0])
    seen = []
    handle = optimizer.register_step_pre_hook(lambda *given: seen.append(given))
    every = optimizers.register_optimizer_step_post_hook(lambda *_: seen.append("every"))
    optimizer.step()
    handle.remove()
    every.remove()
    optimizer.step()
    assert seen == [(optimizer, (optimizer,), {}), "every"]
    assert optimizer.state[param]["step"].item() == 3


def test_a_closure_is_called_and_its_loss_returned():
    param, optimizer = started([1.0])

    def closure():
        optimizer.zero_grad()
        loss = (param * 3).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == pytest.approx(3 * 0.999, rel=1e-3)
    assert optimizer.step(closure=closure) is not None
    assert optimizer.state[param]["step"].item() == 3
    assert param.grad.tolist() == [3.0]


def test_the_step_still_looks_like_a_function():
    optimizer = started([1.0])[1]
    assert optimizer.step.__name__ == "step" and optimizer.step.__self__ is optimizer
    assert "closure" in optimizer.step.__doc__
    with pytest.raises(TypeError):
        optimizer.step(1, 2)
    with pytest.raises(TypeError):
        optimizer.step(other=1)


class Colliding:
    """A key with a tensor's hash, whose comparison runs any code."""

    run = None

    def __init__(self, param):
        self.hash = hash(param)

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        if self.run is not None:
            self.run()
        return False


def test_code_that_runs_during_a_lookup_does_no_harm():
    params = [torch.ones(3, requires_grad=True) for _ in range(3)]
    optimizer = torch.optim.Adam(params)
    for param in params:
        param.grad = torch.ones(3)
    optimizer.step()

    def spoil():
        for param in params:
            param.data = torch.zeros(5)
            param.grad = None
        optimizer.param_groups[0]["params"].clear()
        optimizer.state.clear()
        gc.collect()

    odd = Colliding(params[1])
    optimizer.state = {odd: None, **optimizer.state}
    odd.run = spoil
    extension.step(optimizer)
    assert not optimizer.state
