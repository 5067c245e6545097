"""Groups and states in the odd cases: those of another method, listed twice, added to a copy."""

import copy

import pytest

import rushlight as torch


def two_params():
    return [torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(3))]


def stepped(method, params, **options):
    optimizer = method(params, **options)
    for param in params:
        param.grad = torch.ones_like(param)
    optimizer.step()
    return optimizer


def test_the_state_of_a_method_that_counts_no_steps_is_refused():
    sgd = stepped(torch.optim.SGD, two_params(), lr=0.1, momentum=0.9).state_dict()
    for method, missing in ((torch.optim.RMSprop, "step"), (torch.optim.NAdam, "step")):
        with pytest.raises(KeyError, match=missing):
            method(two_params()).load_state_dict(copy.deepcopy(sgd))
    adam = stepped(torch.optim.Adam, two_params()).state_dict()
    with pytest.raises(KeyError, match="eta"):
        torch.optim.ASGD(two_params()).load_state_dict(copy.deepcopy(adam))
    torch.optim.SGD(two_params(), lr=0.1).load_state_dict(adam)


def test_adamw_stays_adamw_when_it_loads_adam():
    adam = stepped(torch.optim.Adam, two_params()).state_dict()
    adamw = torch.optim.AdamW(two_params())
    adamw.load_state_dict(adam)
    assert adamw.param_groups[0]["decoupled_weight_decay"] is True


def test_options_that_a_state_lacks_come_in_torchs_order():
    params = two_params()
    state = torch.optim.SGD(params, lr=0.1).state_dict()
    adam = torch.optim.Adam(params)
    adam.load_state_dict(state)
    assert list(adam.param_groups[0])[-3:] == ["amsgrad", "capturable", "decoupled_weight_decay"]


def test_a_parameter_that_a_group_lists_twice_has_its_last_number():
    a, b = two_params()
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optimizer = torch.optim.SGD([{"params": [a]}, {"params": [b, b]}], lr=0.1)
    assert [group["params"] for group in optimizer.state_dict()["param_groups"]] == [[0], [2, 2]]
    with pytest.warns(UserWarning, match="duplicate parameters"), pytest.raises(ValueError, match="more than one"):
        optimizer.add_param_group({"params": [a, a]})


def test_a_group_that_is_added_to_a_copy_has_the_option_that_all_have():
    (a, b) = two_params()
    optimizer = copy.deepcopy(torch.optim.LBFGS([a]))
    with pytest.raises(ValueError, match="per-parameter options"):
        torch.optim.LBFGS([{"params": [a]}, {"params": [b]}])
    optimizer.add_param_group({"params": [b]})
    assert "differentiable" not in optimizer.param_groups[0]
    assert optimizer.param_groups[1]["differentiable"] is False


def test_a_rate_in_a_tensor_is_refused_where_adam_takes_all_at_once():
    params = two_params()
    optimizer = torch.optim.Adam(params, foreach=True)
    optimizer.param_groups[0]["lr"] = torch.tensor(0.1)
    params[0].grad = torch.ones(2)
    with pytest.raises(RuntimeError, match="lr as a Tensor is not supported for capturable=False and foreach=True"):
        optimizer.step()


def test_values_of_no_gradients_cannot_be_clipped():
    with pytest.raises(RuntimeError, match="Expected !nested_tensorlist"):
        torch.nn.utils.clip_grad_value_(two_params(), 1.0)
    assert torch.nn.utils.clip_grad_norm_(two_params(), 1.0).item() == 0


def test_the_state_of_adafactor_is_laid_out_by_rows():
    param = torch.ones(3, 2).t().requires_grad_()
    optimizer = stepped(torch.optim.Adafactor, [param])
    assert optimizer.state[param]["row_var"].stride() == (1, 1)
    assert optimizer.state[param]["col_var"].stride() == (3, 1)


@pytest.mark.parametrize(
    ("given", "method", "missing"),
    [
        ("SGD", "Adam", "betas"),
        ("SGD", "RMSprop", "alpha"),
        ("SGD", "Adagrad", "lr_decay"),
        ("SGD", "Adadelta", "rho"),
        ("SGD", "ASGD", "lambd"),
        ("SGD", "Rprop", "etas"),
        ("Adam", "SGD", "momentum"),
        ("Adam", "NAdam", "momentum_decay"),
        ("Rprop", "Adamax", "betas"),
        ("SGD", "Adafactor", "eps"),
        ("SGD", "Muon", "ns_coefficients"),
    ],
)
@pytest.mark.parametrize("with_gradient", [True, False])
@pytest.mark.filterwarnings("ignore:.*moves nothing")
def test_a_step_asks_for_the_options_that_another_methods_group_lacks(given, method, missing, with_gradient):
    param = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, method)([param])
    optimizer.load_state_dict(getattr(torch.optim, given)([param]).state_dict())
    param.grad = torch.ones(2, 2) if with_gradient else None
    with pytest.raises(KeyError, match=f"^'{missing}: {method} needs this option"):
        optimizer.step()
    assert param.tolist() == [[1, 1], [1, 1]]
    assert all(not state["step"] for state in optimizer.state.values() if "step" in state)


def test_options_that_are_pairs_elsewhere_are_refused():
    param = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = torch.optim.Adafactor([param])
    optimizer.load_state_dict(torch.optim.Adam([param]).state_dict())
    param.grad = torch.ones(2, 2)
    with pytest.raises(TypeError, match="cannot unpack non-iterable float"):
        optimizer.step()


def test_lbfgs_asks_for_its_options_before_it_calls_the_closure():
    param = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.LBFGS([param])
    optimizer.load_state_dict(torch.optim.SGD([param]).state_dict())
    with pytest.raises(KeyError, match="max_iter"):
        optimizer.step(lambda: pytest.fail("called"))
    assert optimizer.state_dict()["state"] == {}


def test_a_step_asks_for_the_state_that_another_methods_lacks():
    params = two_params()
    adam = stepped(torch.optim.Adam, params).state_dict()
    rmsprop = torch.optim.RMSprop(params)
    rmsprop.load_state_dict(adam)
    for param in params:
        param.grad = torch.ones_like(param)
    with pytest.raises(KeyError, match="square_avg"):
        rmsprop.step()


def test_momentum_begins_where_another_methods_state_has_none():
    params = two_params()
    sgd = torch.optim.SGD(params, lr=0.5, momentum=0.9)
    sgd.load_state_dict(
        stepped(torch.optim.Adam, params, lr=0.0).state_dict() | {"param_groups": sgd.state_dict()["param_groups"]}
    )
    for param in params:
        param.grad = torch.ones_like(param)
    sgd.step()
    assert params[0].tolist() == [0.5, 0.5]
    assert list(sgd.state[params[0]]) == ["step", "exp_avg", "exp_avg_sq", "momentum_buffer"]


def test_options_of_another_method_change_nothing():
    param = torch.nn.Parameter(torch.ones(2))
    radam, adamax = torch.optim.RAdam([param]), torch.optim.Adamax([param], lr=0.5)
    radam.load_state_dict(torch.optim.Adam([param], lr=0.5, amsgrad=True).state_dict())
    param.grad = torch.ones(2)
    radam.step()
    assert param.tolist() == [0.5, 0.5]
    assert list(radam.state[param]) == ["step", "exp_avg", "exp_avg_sq"]
    adamax.load_state_dict(torch.optim.AdamW([param], lr=0.5, weight_decay=0.5).state_dict())
    adamax.step()
    assert param._version == 2
    assert adamax.state[param]["exp_avg"].tolist() == pytest.approx([0.125, 0.125])


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate parameters")
def test_a_parameter_that_is_listed_twice_begins_its_momentum_twice():
    param = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([param, param], lr=1.0, momentum=0.5)
    param.grad = torch.ones(2)
    optimizer.step()
    assert param.tolist() == [-2, -2]
    assert optimizer.state[param]["momentum_buffer"].tolist() == [1, 1]
    optimizer.step()
    assert param.tolist() == [-5.25, -5.25]


@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate parameters")
def test_lbfgs_moves_a_parameter_twice_that_is_listed_twice():
    param = torch.nn.Parameter(torch.tensor([1.0]))
    optimizer = torch.optim.LBFGS([param, param], lr=0.25, max_iter=1)

    def closure():
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert param.tolist() == [0.75]


@pytest.mark.parametrize(
    ("shape", "loaded", "words"),
    [
        ((3, 3), (2, 1, 3), r"output with shape \[2, 1, 3\] doesn't match the broadcast shape \[2, 3, 3\]"),
        ((3,), (2,), r"The size of tensor a \(2\) must match the size of tensor b \(3\) at non-singleton dimension 0"),
        ((1,), (3,), r"output with shape \[1\] doesn't match the broadcast shape \[3\]"),
        ((2,), (), r"output with shape \[\] doesn't match the broadcast shape \[2\]"),
    ],
)
@pytest.mark.parametrize("method", ["SGD", "Adam", "RMSprop", "Adagrad"])
def test_a_state_of_another_shape_is_refused_by_the_step(method, shape, loaded, words):
    make = getattr(torch.optim, method)
    options = {"lr": 0.1, "momentum": 0.9} if method == "SGD" else {}
    other = stepped(make, [torch.nn.Parameter(torch.ones(loaded))], **options)
    param = torch.nn.Parameter(torch.ones(shape))
    optimizer = make([param], **options)
    optimizer.load_state_dict(other.state_dict())
    param.grad = torch.ones(shape)
    with pytest.raises(RuntimeError, match=words) as refused:
        optimizer.step()
    assert "saved with the same model" in str(refused.value)
