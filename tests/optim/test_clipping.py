"""Clipping inside a step: as `clip_grad_norm_` and `clip_grad_value_` before it, with gradients left as they are."""

import copy
import pickle

import pytest

import rushlight as torch

METHODS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Adadelta", "ASGD", "Rprop"]
METHODS += ["Adafactor", "AdamTF"]


def parameters():
    torch.manual_seed(0)
    return [torch.randn(shape, requires_grad=True) for shape in ((3, 4), (5,), ())]


def give_gradients(params, number, size=1.0):
    for place, param in enumerate(params):
        param.grad = size * (param.detach() - place + number)


def run(method, clipped_by_hand, size, **clips):
    params = parameters()
    optimizer = getattr(torch.optim, method)(params, lr=0.05, **({} if clipped_by_hand else clips))
    for number in range(4):
        give_gradients(params, number, size)
        if clipped_by_hand and "clip_norm" in clips:
            torch.nn.utils.clip_grad_norm_(params, clips["clip_norm"])
        if clipped_by_hand and "clip_value" in clips:
            torch.nn.utils.clip_grad_value_(params, clips["clip_value"])
        optimizer.step()
    return torch.cat([param.detach().flatten() for param in params])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("clips", [{"clip_norm": 1.5}, {"clip_value": 0.3}, {"clip_norm": 2.0, "clip_value": 0.4}])
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_a_step_clips_as_the_functions_do(method, clips, size):
    torch.testing.assert_close(run(method, False, size, **clips), run(method, True, size, **clips))


def test_a_matrix_is_clipped_before_it_is_made_orthogonal():
    param = torch.randn(3, 4, requires_grad=True)
    optimizer = torch.optim.Muon([param], clip_norm=1.0)
    param.grad = torch.ones(3, 4) * 10
    optimizer.step()
    assert abs(optimizer.state[param]["momentum_buffer"].norm().item() - 0.05) < 1e-6


def test_gradients_stay_as_they_were():
    params = parameters()
    optimizer = torch.optim.SGD(params, lr=0.1, clip_norm=1e-3, clip_value=1e-4)
    give_gradients(params, 1)
    held = [param.grad for param in params]
    before = [grad.clone() for grad in held]
    optimizer.step()
    assert all(param.grad is grad for param, grad in zip(params, held, strict=True))
    assert all(torch.equal(*pair) for pair in zip(held, before, strict=True))
    optimizer.param_groups[0]["lr"] = None
    with pytest.raises(TypeError):
        optimizer.step()
    assert all(param.grad is grad for param, grad in zip(params, held, strict=True))


def test_the_limits_can_be_set_between_steps():
    param = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([param], lr=1.0)
    seen = []
    for limit in (None, 0.5, None):
        optimizer.clip_value = limit
        param.grad = torch.full((1,), 4.0)
        before = param.item()
        optimizer.step()
        seen.append(before - param.item())
    assert seen == [4.0, 0.5, 4.0]


@pytest.mark.parametrize("name", ["clip_norm", "clip_value"])
@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_limits_are_positive(name, value):
    with pytest.raises(ValueError, match=f"Invalid {name} value"):
        torch.optim.Adam(parameters(), **{name: value})


def test_a_norm_that_is_not_finite_is_seen():
    param = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([param], lr=1.0, clip_norm=1.0)
    param.grad = torch.tensor([float("nan"), 1.0])
    optimizer.step()
    assert param.isnan().all()


@pytest.mark.parametrize("again", [copy.deepcopy, lambda optimizer: pickle.loads(pickle.dumps(optimizer))])
def test_copies_clip_too(again):
    made = again(torch.optim.SGD(parameters(), lr=1.0, clip_norm=0.5))
    assert made.clip_norm == 0.5 and made.clip_value is None
    params = made.param_groups[0]["params"]
    before = torch.cat([param.detach().flatten() for param in params])
    give_gradients(params, 9)
    made.step()
    after = torch.cat([param.detach().flatten() for param in params])
    assert abs((before - after).norm().item() - 0.5) < 1e-5


def test_limits_are_no_part_of_a_checkpoint():
    """So that torch can load it."""
    clipping = torch.optim.Adam(parameters(), clip_norm=1.0)
    assert clipping.state_dict() == torch.optim.Adam(parameters()).state_dict()


def test_a_step_that_is_differentiated_is_clipped():
    start = torch.tensor([3.0, 4.0], requires_grad=True)
    param = start * 1
    optimizer = torch.optim.SGD([param], lr=0.5, differentiable=True, clip_value=3.5)
    (param.grad,) = torch.autograd.grad((param * param / 2).sum(), param, create_graph=True)
    optimizer.step()
    (found,) = torch.autograd.grad(param.sum(), start)
    assert found.tolist() == [0.5, 1.0]


def test_lbfgs_sees_clipped_gradients():
    param = torch.tensor([100.0], requires_grad=True)
    other = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([param, other], lr=1.0, max_iter=1, clip_norm=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert abs(param.item() - 99.75) < 1e-4 and other.item() == 1.0


def test_a_method_of_ones_own_may_have_a_limit_of_that_name():
    class Own(torch.optim.Adam):
        def __init__(self, params, clip_norm):
            self.clip_norm = clip_norm
            super().__init__(params)

    optimizer = Own(parameters(), 0.5)
    assert optimizer.clip_norm == 0.5 and optimizer.clip_value is None
    give_gradients(optimizer.param_groups[0]["params"], 1)
    optimizer.step()
