"""Parameters that come late, are missing, listed twice or replaced: each said in words that name them."""

import itertools
import warnings

import pytest

import rushlight as torch

NAN = float("nan")


def model_of(*sizes):
    return torch.nn.Sequential(*[torch.nn.Linear(a, b) for a, b in itertools.pairwise(sizes)])


def step_on(model, optimizer):
    optimizer.zero_grad()
    model(torch.ones(1, model[0].in_features)).sum().backward()
    optimizer.step()


@pytest.mark.parametrize("method", torch.optim.__all__)
def test_any_method_can_be_built_without_parameters(method):
    if method in ("Optimizer", "lr_scheduler", "swa_utils", "swap_in_optimizer_params_and_state"):
        return
    optimizer = getattr(torch.optim, method)(lr=0.1)
    assert optimizer.param_groups == [] and optimizer.state_dict()["param_groups"] == []
    optimizer.zero_grad()
    with pytest.raises(RuntimeError, match=f"{method} has no parameters to move: give them with"):
        optimizer.step(lambda: torch.ones(()))
    param = torch.ones(2, 2, requires_grad=True)
    optimizer.add_param_group({"params": [param]})

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert optimizer.step(closure).item() == 4.0
    assert param.sum().item() < 4.0 and optimizer.param_groups[0]["lr"] == 0.1


def test_attach_names_the_parameters():
    model, other = model_of(2, 3, 1), model_of(2, 1)
    optimizer = torch.optim.Adam(lr=1e-3).attach(model)
    assert optimizer.attach(other, lr=0.5) is optimizer
    assert [group["lr"] for group in optimizer.param_groups] == [1e-3, 0.5]
    assert optimizer.param_groups[0]["param_names"] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    step_on(model, optimizer)
    assert len(optimizer.state) == 4
    with pytest.raises(ValueError, match=r"in more than one parameter group: .* parameter '0.weight', '0.bias' is in"):
        optimizer.attach(other)


def test_a_step_without_any_gradient_is_warned_about():
    with pytest.warns(UserWarning, match=r"SGD.step\(\) moves nothing, .* \('0.weight', '0.bias'\): call backward"):
        torch.optim.SGD(model_of(2, 1).named_parameters()).step()
    many = model_of(2, 3, 1).parameters()
    with pytest.warns(UserWarning, match=r"\(number 0 of shape \(3, 2\), number 1 of shape \(3,\), number 2.*"):
        torch.optim.SGD(many).step()
    groups = [{"params": model.parameters()} for model in (model_of(2, 2), model_of(2, 2, 2))]
    with pytest.warns(UserWarning, match=r"of shape \(2, 2\) in group 0, .* and 2 more\)"):
        torch.optim.SGD(groups).step()
    frozen = model_of(2, 1).requires_grad_(False)
    with pytest.warns(UserWarning, match="none of them requires one"):
        torch.optim.SGD(frozen.parameters()).step()


def test_a_step_without_any_gradient_is_warned_about_later_too():
    model = model_of(2, 1)
    optimizer = torch.optim.Adam(model.named_parameters())
    for _ in range(3):
        step_on(model, optimizer)
    optimizer.zero_grad()
    before = [param.tolist() for param in model.parameters()]
    with pytest.warns(UserWarning, match=r"Adam.step\(\) moves nothing, .* \('0.weight', '0.bias'\): call backward"):
        optimizer.step()
    assert [param.tolist() for param in model.parameters()] == before


def test_a_step_with_some_gradients_is_quiet():
    model = model_of(2, 3, 1)
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(3):
        step_on(model, optimizer)


def test_a_parameter_that_is_listed_twice_is_named():
    model = model_of(2, 1)
    named = [*model.named_parameters(), ("again", model[0].weight)]
    with pytest.warns(UserWarning, match="with duplicate parameters; .* Listed again: parameter 'again'"):
        torch.optim.SGD(named)
    with pytest.warns(UserWarning, match=r"Listed again: parameter number 2 of shape \(1, 2\)"):
        torch.optim.SGD([each for _, each in named])


@pytest.mark.parametrize("method", ["SGD", "Adam", "Adamax"])
def test_a_parameter_that_was_replaced_is_named(method):
    model = model_of(2, 3, 1)
    optimizer = getattr(torch.optim, method)(model.named_parameters(), lr=0.1)
    step_on(model, optimizer)
    step_on(model, optimizer)
    model[1].weight = torch.nn.Parameter(torch.ones(1, 3))
    with pytest.warns(UserWarning, match=r"parameter '1.weight' was replaced in the model .* now calls 'weight' does"):
        step_on(model, optimizer)
    step_on(model, optimizer)


def test_a_layer_that_was_replaced_is_named():
    model = model_of(2, 3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = torch.nn.Linear(3, 5)
    with pytest.warns(UserWarning) as caught:
        step_on(model, optimizer)
    assert [str(each.message)[:46] for each in caught] == [
        "parameter number 2 of shape (1, 3) was replace",
        "parameter number 3 of shape (1,) was replaced ",
    ]


def test_what_still_moves_is_not_warned_about():
    model = model_of(2, 2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    # the first is used elsewhere, the second is one that the optimizer has
    shared = torch.nn.Linear(2, 2)
    shared.weight = model[0].weight
    shared.weight = torch.nn.Parameter(torch.ones(2, 2))
    model[1].bias = model[0].bias
    step_on(model, optimizer)
    # before an optimizer is built, and when a new one has the new parameter
    model[1].weight = torch.nn.Parameter(torch.ones(2, 2))
    step_on(model, torch.optim.SGD(model.parameters(), lr=0.1))


@pytest.mark.parametrize("method", ["SGD", "Adam", "Rprop", "LBFGS"])
def test_a_learning_rate_that_is_nan_is_refused(method):
    param = torch.ones(2, requires_grad=True)
    make = getattr(torch.optim, method)
    with pytest.raises(ValueError, match="Invalid learning rate: nan"):
        make([param], lr=NAN)
    optimizer = make([("scale", param)])
    optimizer.param_groups[0]["lr"] = NAN

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with pytest.raises(ValueError, match=r"Invalid learning rate: nan in group 0: .* parameters NaN \('scale'\)"):
        optimizer.step(closure)
    assert param.tolist() == [1.0, 1.0]


def test_a_learning_rate_that_becomes_nan_is_refused():
    model = model_of(2, 1)
    optimizer = torch.optim.Adam(model.named_parameters(), clip_norm=1.0)
    for _ in range(3):
        step_on(model, optimizer)
    optimizer.param_groups[0]["lr"] = NAN
    before = [param.tolist() for param in model.parameters()]
    with pytest.raises(ValueError, match=r"Invalid learning rate: nan in group 0: .* \('0.weight', '0.bias'\)"):
        step_on(model, optimizer)
    assert [param.tolist() for param in model.parameters()] == before


def test_a_schedule_can_be_drawn_without_gradients():
    optimizer = torch.optim.SGD(model_of(2, 1).parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    assert scheduler.get_last_lr() == [0.25]
