"""Steps: torch's numbers, and the same ones whether small parameters are laid flat or move one by one."""

import copy
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.optim import flat, optimizer, stepping

# what PyTorch 2.13 gives after three steps on the sum of squares, from [1, -2, 3]
RESULTS = [
    (
        "SGD",
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
        [-0.140468399, 0.280936798, -0.421405197],
    ),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}, [0.7015862729, -1.700623392, 2.7003815234]),
    ("AdamW", {"lr": 0.1}, [0.6989111832, -1.6949445144, 2.6917036494]),
    ("RMSprop", {"lr": 0.1, "momentum": 0.5, "centered": True}, [-0.2981907135, 0.4544750899, 0.144085576]),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}, [0.7950814441, -1.7911909119, 2.7899626933]),
]
OPTIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "maximize": True}),
    *[(method, options) for method, options, _ in RESULTS],
    ("Adagrad", {"initial_accumulator_value": 0.5}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "maximize": True}),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.5)}),
    ("Adadelta", {}),
    ("ASGD", {"lr": 0.1, "t0": 3}),
    ("Rprop", {"lr": 0.1}),
    ("AdamTF", {"lr": 0.1}),
    ("Adafactor", {"lr": 0.1}),
]
METHODS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Adadelta", "ASGD", "Rprop"]
METHODS += ["AdamTF"]
REMEMBERING = {"SGD": {"lr": 0.05, "momentum": 0.9}, "RMSprop": {"momentum": 0.5, "centered": True}}


@pytest.mark.parametrize(("method", "options", "expected"), RESULTS)
def test_three_steps_give_torchs_numbers(method, options, expected):
    param = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], **options)
    for _ in range(3):
        optimizer.zero_grad()
        (param**2).sum().backward()
        optimizer.step()
    np.testing.assert_allclose(param.detach().numpy(), expected, 0, 1e-10)


def parameters(dtype=torch.float32):
    torch.manual_seed(0)
    shapes = [(3, 4), (4,), (), (5, 1), (1,)]
    return [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]


def run(method, options, skips=((),), dtype=torch.float32):
    """Parameters and state after some steps, in each of which some parameters have no gradient."""
    params = parameters(dtype)
    optimizer = getattr(torch.optim, method)(params, **options)
    for number in range(12):
        for place, param in enumerate(params):
            param.grad = None if place in skips[number % len(skips)] else (param.detach() - place) * 2
        optimizer.step()
    return [param.tolist() for param in params], {
        number: {name: value.tolist() for name, value in state.items()}
        for number, state in optimizer.state_dict()["state"].items()
    }


@pytest.fixture
def plain(monkeypatch):
    """The Python layer alone, which lays parameters flat."""
    monkeypatch.setattr(optimizer, "extension", None)
    monkeypatch.setattr(stepping, "extension", None)


SKIPS = [((),), ((), (0,), (0, 1, 2, 3), (2, 3, 4)), ((1, 2), (), (0,))]


@pytest.mark.parametrize(("method", "options"), OPTIONS)
@pytest.mark.parametrize("skips", SKIPS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_flat_and_one_by_one_agree_exactly(plain, monkeypatch, method, options, skips, dtype):
    laid = run(method, options, skips, dtype)
    monkeypatch.setattr(flat, "LARGEST", 0)
    assert laid == run(method, options, skips, dtype)


def flat_of(optimizer):
    return optimizer._flats.get(0)


def test_small_parameters_are_laid_flat_and_large_ones_are_not(plain, monkeypatch):
    monkeypatch.setattr(flat, "LARGEST", 10)
    monkeypatch.setattr(flat, "TOTAL", 7)
    params = parameters()
    optimizer = torch.optim.Adam(params)
    for param in params:
        param.grad = torch.ones_like(param)
    optimizer.step()
    # 12 elements are too many, the 5 after 4 and 1 are too many together, the last one fits again
    assert [any(param is each for each in flat_of(optimizer).params) for param in params] == [
        False, True, True, False, True,
    ]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_state_stays_the_same_objects_and_is_the_parameters_own(method):
    params = parameters()
    optimizer = getattr(torch.optim, method)(params, **REMEMBERING.get(method, {}))
    for param in params:
        param.grad = torch.ones_like(param)
    optimizer.step()
    held = {id(param): dict(optimizer.state[param]) for param in params}
    params[1].grad = None
    optimizer.step()
    params[0].grad = params[2].grad = params[3].grad = None
    optimizer.step()
    for param in params:
        for name, value in held[id(param)].items():
            assert optimizer.state[param][name] is value
    if "step" in held[id(params[0])]:
        assert [held[id(param)]["step"].item() for param in params] == [2, 1, 2, 2, 3]


def moments_after(change):
    """Adam's state after a program changed it between two steps."""
    params = parameters()
    optimizer = torch.optim.Adam(params, lr=0.1)
    for step in range(3):
        for param in params:
            param.grad = param.detach() * 2
        if step == 1:
            change(optimizer, params)
        optimizer.step()
    return [param.tolist() for param in params], [
        {name: value.tolist() for name, value in optimizer.state[param].items()} for param in params
    ]


def replace_state(optimizer, params):
    optimizer.state[params[0]]["exp_avg"] = torch.ones(3, 4)


def replace_all_state(optimizer, params):
    optimizer.state[params[0]] = {name: each.clone() for name, each in optimizer.state[params[0]].items()}


def write_state(optimizer, params):
    optimizer.state[params[0]]["exp_avg"].zero_()


def write_count(optimizer, params):
    optimizer.state[params[3]]["step"].fill_(7)


def set_data(optimizer, params):
    optimizer.state[params[0]]["exp_avg"].data = torch.ones(3, 4)


def forget_state(optimizer, params):
    del optimizer.state[params[1]]


def forget_all(optimizer, params):
    optimizer.state.clear()


def reshape_parameter(optimizer, params):
    params[0].data = torch.ones(2, 2)
    params[0].grad = torch.ones(2, 2)
    del optimizer.state[params[0]]


def change_dtype(optimizer, params):
    params[0].data = params[0].data.double()
    params[0].grad = None
    params[0].grad = torch.ones(3, 4, dtype=torch.float64)
    state = optimizer.state[params[0]]
    # a gradient of another dtype than its mean is refused
    state |= {name: each.double() for name, each in state.items() if each.ndim}


def add_state(optimizer, params):
    for param in params:
        optimizer.state[param]["mine"] = torch.ones(1)


CHANGES = [replace_state, replace_all_state, write_state, write_count, set_data, forget_state, forget_all]
CHANGES += [reshape_parameter, change_dtype, add_state]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_program_does_to_state_and_parameters_is_heeded(plain, monkeypatch, change):
    laid = moments_after(change)
    monkeypatch.setattr(flat, "LARGEST", 0)
    assert laid == moments_after(change)


def test_a_view_of_state_does_not_go_stale():
    params = parameters()
    optimizer = torch.optim.SGD(params, lr=0.1, momentum=0.5)
    for param in params:
        param.grad = torch.ones_like(param)
    optimizer.step()
    buffer = optimizer.state[params[0]]["momentum_buffer"]
    optimizer.step()
    assert buffer[0].tolist() == [1.5] * 4


def test_a_step_counts_as_a_write():
    params = parameters()
    optimizer = torch.optim.Adam(params)
    loss = (params[0] ** 3).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_parameters_that_are_views_of_others_move():
    weights = torch.arange(12.0).reshape(3, 4)
    params = [weights[:, 1].requires_grad_(), weights[:, 3].requires_grad_()]
    optimizer = torch.optim.SGD(params, lr=1.0)
    for param in params:
        param.grad = torch.ones(3)
    optimizer.step()
    assert weights[0].tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize("method", METHODS)
def test_transposed_and_complex_parameters_move_in_place(method):
    for dtype in (torch.float32, torch.complex64):
        base = torch.ones(3, 2, dtype=dtype)
        param = base.T.requires_grad_()
        param.grad = torch.ones(2, 3, dtype=dtype)
        getattr(torch.optim, method)([param], lr=0.5).step()
        assert (base.real < 1).all()


def test_no_warning_is_raised_by_an_overflowing_step():
    param = torch.ones(2, requires_grad=True)
    param.grad = torch.full((2,), 3e38)
    torch.optim.Adam([param]).step()
    assert param.detach().isfinite().all()


def test_a_step_without_gradients_does_nothing():
    params = parameters()
    optimizer = torch.optim.Adam(params)
    with pytest.warns(UserWarning, match="none of its parameters has a gradient"):
        optimizer.step()
    assert not optimizer.state


def fused(method, **options):
    params = [torch.nn.Parameter(torch.tensor([1.0, 2.0])), torch.nn.Parameter(torch.tensor([3.0]))]
    optimizer = method(params, lr=0.1, fused=True, **options)
    return params, optimizer


def test_a_fused_step_divides_by_the_scale():
    params, optimizer = fused(torch.optim.SGD, momentum=0.9)
    for param in params:
        param.grad = torch.full_like(param, 4.0)
    optimizer.grad_scale = torch.tensor(2.0)
    version = params[0].grad._version
    optimizer.step()
    assert params[1].tolist() == pytest.approx([2.8])
    assert params[0].grad.tolist() == [2.0, 2.0]
    assert params[0].grad._version == version
    assert optimizer.state[params[1]]["momentum_buffer"].tolist() == [2.0]
    del optimizer.grad_scale
    assert not hasattr(optimizer, "grad_scale")
    optimizer.step()
    assert params[0].grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("method", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad])
def test_a_fused_step_is_left_out_where_something_was_infinite(method):
    params, optimizer = fused(method)
    assert optimizer._step_supports_amp_scaling
    for param in params:
        param.grad = torch.ones_like(param)
    for found, moved in ((1.0, False), (0.0, True), (1.0, False)):
        before = params[0].tolist()
        count = optimizer.state[params[0]].get("step", torch.tensor(0.0)).item()
        optimizer.found_inf = torch.tensor(found)
        optimizer.step()
        assert (params[0].tolist() != before) is moved
        if method is not torch.optim.SGD:
            assert optimizer.state[params[0]]["step"].item() == count + moved


def test_scales_are_for_fused_steps_only():
    param = torch.nn.Parameter(torch.ones(2))
    param.grad = torch.ones(2)
    optimizer = torch.optim.Adam([param])
    optimizer.found_inf = torch.tensor(0.0)
    with pytest.raises(AssertionError, match="Expected grad_scale and found_inf to be None"):
        optimizer.step()
    optimizer = torch.optim.RMSprop([param], lr=0.1)
    optimizer.found_inf = torch.tensor(1.0)
    optimizer.step()
    assert param.tolist() != [1.0, 1.0]


def test_gradients_of_nadam_reach_the_product_of_its_momenta():
    param = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    product = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    moved = param.clone()
    moved.grad = torch.tensor([0.3, -0.7], dtype=torch.float64)
    optimizer = torch.optim.NAdam([moved], lr=0.1, differentiable=True)
    zeros = torch.zeros(2, dtype=torch.float64)
    state = {
        "step": torch.tensor(3.0),
        "exp_avg": zeros + 0.1,
        "exp_avg_sq": zeros + 0.2,
        "mu_product": product.clone(),
    }
    optimizer.state[moved].update(state)
    optimizer.step()
    (slope,) = torch.autograd.grad(moved.sum(), product)
    assert slope.item() == pytest.approx(0.002103196, rel=1e-5)


def test_the_state_of_a_transposed_parameter_lies_as_it_does():
    params = [torch.ones(2, 3).t().clone().requires_grad_(), torch.ones(2, 3).requires_grad_()]
    for method in (torch.optim.Rprop, torch.optim.Adam):
        optimizer = method(params)
        for param in params:
            param.grad = torch.ones_like(param)
        optimizer.step()
        strides = [[each.stride() for each in optimizer.state[param].values() if each.dim()] for param in params]
        assert strides == [[(1, 3)] * 2, [(3, 1)] * 2]
    column = torch.ones(3, 1).t().requires_grad_()
    column.grad = torch.ones(1, 3)
    optimizer = torch.optim.NAdam([column, params[1]])
    optimizer.step()
    assert optimizer.state[column]["exp_avg"].stride() == (1, 1)


def test_states_that_were_copied_share_the_numbers_of_lbfgs():
    param = torch.tensor([-0.75, 0.125]).requires_grad_()
    optimizer = torch.optim.LBFGS([param], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (param * 1.5 + 1).exp().mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    kept = copy.deepcopy(optimizer.state_dict())
    optimizer.load_state_dict(kept)
    optimizer.step(closure)
    state, loaded = optimizer.state[param], kept["state"][0]
    assert (len(state["ro"]), len(loaded["ro"])) == (3, 1)
    assert state["ro"][0].data_ptr() == loaded["ro"][0].data_ptr()
    assert state["prev_flat_grad"].data_ptr() == loaded["prev_flat_grad"].data_ptr()


class Interrupted(Exception):
    """What a signal's handler raises."""


def stopped_at(line, call):
    """Call it, and raise before as many lines of the package have run; whether that was before its end."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if "rushlight" not in frame.f_code.co_filename:
            return None
        if event == "line":
            seen += 1
            if seen == line:
                raise Interrupted
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupted:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("method", METHODS)
def test_a_first_step_that_a_signal_ends_at_any_line_can_be_taken_again(method):
    line, goes_on = 0, True
    while goes_on:
        line += 1
        params = [torch.ones(3, requires_grad=True), torch.ones(2, 2, requires_grad=True)]
        optimizer = getattr(torch.optim, method)(params, **REMEMBERING.get(method, {}))
        for each in params:
            each.square().sum().backward()
        goes_on = stopped_at(line, optimizer.step)
        optimizer.step()
        assert all(0 < len(names) == len(optimizer.state[params[0]]) for names in optimizer.state.values())
    assert line > 5


@pytest.mark.parametrize(
    ("method", "options"),
    [(name, {}) for name in ("Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adafactor", "Muon")]
    + [("RMSprop", {"centered": True})],
)
def test_a_gradient_of_another_dtype_than_its_mean_is_refused(method, options):
    param = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, method)([param], lr=0.1, **options)
    param.grad = torch.ones(2, 2)
    optimizer.step()
    param.data = param.data.double()
    param.grad = torch.ones(2, 2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype double"):
        optimizer.step()


@pytest.mark.parametrize("method", ["Adam", "AdamW", "NAdam", "RAdam", "Adamax"])
def test_a_step_that_refuses_a_dtype_counts_the_first_parameter_only(method):
    params = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
    optimizer = getattr(torch.optim, method)(params, lr=0.1)
    for dtype in (torch.float32, torch.float64):
        for each in params:
            each.data = each.data.to(dtype)
            each.grad = torch.ones(2, dtype=dtype)
        if dtype is torch.float32:
            optimizer.step()
    with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype double"):
        optimizer.step()
    assert [optimizer.state[each]["step"].item() for each in params] == [2, 1, 1]


@pytest.mark.parametrize("method", ["SGD", "RMSprop", "Adagrad", "Adadelta", "ASGD", "Rprop"])
def test_a_method_without_such_a_mean_goes_on(method):
    param = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, method)([param], lr=0.1)
    param.grad = torch.ones(2, 2)
    optimizer.step()
    param.data = param.data.double()
    before = param.detach().clone()
    param.grad = torch.ones(2, 2, dtype=torch.float64)
    optimizer.step()
    assert (param < before).all()


@pytest.mark.parametrize("method", ["Adagrad", "Adadelta", "RMSprop"])
def test_squares_are_taken_in_the_precision_of_the_state(method):
    param = torch.nn.Parameter(torch.ones(1))
    optimizer = getattr(torch.optim, method)([param], lr=0.1)
    param.grad = torch.zeros(1)
    optimizer.step()
    param.data = param.data.half()
    # 1.0009765625 squared has more digits than half precision
    param.grad = torch.tensor([1 + 2.0**-10], dtype=torch.float16)
    optimizer.step()
    state = optimizer.state[param]
    total = state["sum" if method == "Adagrad" else "square_avg"]
    share = {"Adagrad": 1, "Adadelta": 0.1, "RMSprop": 0.01}[method]
    assert total.dtype == torch.float32
    assert total.item() == pytest.approx(share * (1 + 2.0**-10) ** 2, rel=1e-6)


def test_the_mean_of_asgd_follows_a_parameter_of_another_dtype():
    param = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.ASGD([param], lr=0.1, t0=0)
    for dtype in (torch.float32, torch.float32, torch.float16, torch.float64):
        param.data = param.data.to(dtype)
        param.grad = None
        param.grad = torch.ones(1, dtype=dtype)
        optimizer.step()
    assert optimizer.state[param]["ax"].dtype == torch.float32 and optimizer.state[param]["ax"] > param
