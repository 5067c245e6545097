"""The optimizer around the step: groups, options, hooks, closures, checkpoints, copies, and what is refused."""

import copy
import pickle
import warnings

import pytest

import rushlight as torch
from rushlight.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)

SGD, Adam, AdamW, RMSprop, Adagrad = (
    torch.optim.SGD,
    torch.optim.Adam,
    torch.optim.AdamW,
    torch.optim.RMSprop,
    torch.optim.Adagrad,
)


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def descend(param, optimizer, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        (param**2).sum().backward()
        optimizer.step()


def with_gradients(optimizer):
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = torch.zeros_like(param)
    return optimizer


def refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (
            TypeError,
            "params argument given to the optimizer should be an iterable of Tensors or dicts, but got torch.Float",
            lambda: SGD(leaf(1.0)),
        ),
        (ValueError, "optimizer got an empty parameter list", lambda: SGD([])),
        (TypeError, "optimizer can only optimize Tensors, but one of the params is int", lambda: SGD([1])),
        (
            TypeError,
            "optimizer parameters need to be organized in ordered collections",
            lambda: SGD([{"params": {leaf(1.0)}}]),
        ),
        (ValueError, "can't optimize a non-leaf Tensor", lambda: SGD([leaf(1.0) * 2])),
        (TypeError, "param_group must be a dict, but got <class 'list'>", lambda: SGD([{"params": []}, []])),
        (
            ValueError,
            "all optimizer params should be with/without names. Some param names are missing",
            lambda: SGD([("a", leaf(1.0)), leaf(2.0)]),
        ),
        (
            ValueError,
            "all optimizer param groups should be with/without names. cannot add param group with names",
            lambda: SGD([{"params": leaf(1.0)}, {"params": [("a", leaf(1.0))]}]),
        ),
        (
            ValueError,
            "parameter group didn't specify a value of required optimization parameter lr",
            lambda: torch.optim.Optimizer([leaf(1.0)], {"lr": required}),
        ),
        (
            NotImplementedError,
            "Optimizer must define step()",
            lambda: torch.optim.Optimizer([leaf(1.0)], {}).step(),
        ),
        (ValueError, "Invalid learning rate: -1", lambda: SGD([leaf(1.0)], lr=-1)),
        (ValueError, "Tensor lr must be 1-element", lambda: SGD([leaf(1.0)], lr=torch.ones(2))),
        (ValueError, "Invalid momentum value: -1", lambda: SGD([leaf(1.0)], momentum=-1)),
        (ValueError, "Invalid weight_decay value: -1", lambda: SGD([leaf(1.0)], weight_decay=-1)),
        (
            ValueError,
            "Nesterov momentum requires a momentum and zero dampening",
            lambda: SGD([leaf(1.0)], nesterov=True),
        ),
        (
            RuntimeError,
            "`fused` and `foreach` cannot be `True` together.",
            lambda: Adam([leaf(1.0)], fused=True, foreach=True),
        ),
        (
            RuntimeError,
            "`fused` does not support `differentiable`",
            lambda: SGD([leaf(1.0)], fused=True, differentiable=True),
        ),
        (
            ValueError,
            "lr as a Tensor is not supported for capturable=False and foreach=True",
            lambda: Adam([leaf(1.0)], lr=torch.tensor(0.1), foreach=True),
        ),
        (ValueError, "Invalid epsilon value: -1", lambda: Adam([leaf(1.0)], eps=-1)),
        (
            ValueError,
            "Invalid beta parameter at index 1: 1.0",
            lambda: Adam([leaf(1.0)], betas=(0.5, 1.0)),
        ),
        (
            ValueError,
            "betas must be either both floats or both Tensors",
            lambda: Adam([leaf(1.0)], betas=(0, 0.5)),
        ),
        (
            ValueError,
            "betas[0] as a Tensor is not supported for capturable=False and foreach=True",
            lambda: Adam([leaf(1.0)], betas=(torch.tensor(0.5), torch.tensor(0.5)), foreach=True),
        ),
        (ValueError, "Invalid weight_decay value: -1", lambda: AdamW([leaf(1.0)], weight_decay=-1)),
        (ValueError, "Invalid alpha value: -1", lambda: RMSprop([leaf(1.0)], alpha=-1)),
        (ValueError, "Invalid lr_decay value: -1", lambda: Adagrad([leaf(1.0)], lr_decay=-1)),
        (
            ValueError,
            "Invalid initial_accumulator_value value: -1",
            lambda: Adagrad([leaf(1.0)], initial_accumulator_value=-1),
        ),
        (TypeError, "a hook must be callable", lambda: SGD([leaf(1.0)]).register_step_pre_hook(3)),
    ],
)
def test_wrong_calls_are_refused(kind, words, call):
    refused(kind, words, call)


def test_tensor_betas_have_one_element():
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        Adam([leaf(1.0)], betas=(torch.ones(2) / 2, torch.ones(1) / 2))


def test_a_parameter_belongs_to_one_group():
    param = leaf(1.0)
    optimizer = SGD([param])
    group = {"params": [param]}
    refused(
        ValueError, "some parameters appear in more than one parameter group", lambda: optimizer.add_param_group(group)
    )
    assert group == {"params": [param]} and len(optimizer.param_groups) == 1


def test_a_parameter_that_is_listed_twice_is_warned_about_on_the_users_line():
    param = leaf(1.0)
    with pytest.warns(UserWarning, match="a parameter group with duplicate parameters") as caught:
        SGD([param, param])
    assert caught[0].filename == __file__


def test_a_parameter_that_is_listed_twice_moves_twice():
    param = leaf(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = SGD([param, param], lr=0.25)
    param.grad = torch.ones(1)
    optimizer.step()
    assert param.item() == 0.5


def test_forms_that_need_another_device_are_refused_at_the_step():
    param = leaf(1.0)
    optimizer = Adam([param], capturable=True)
    with pytest.warns(UserWarning, match="none of its parameters has a gradient"):
        optimizer.step()
    param.grad = torch.ones(1)
    refused(AssertionError, "If capturable=True, params and state_steps must be on supported", optimizer.step)
    param = torch.ones(1, dtype=torch.complex64, requires_grad=True)
    param.grad = torch.ones(1, dtype=torch.complex64)
    refused(
        RuntimeError,
        "`fused=True` requires all the params to be floating point Tensors of supported devices",
        Adam([param], fused=True).step,
    )


def test_the_text_of_an_optimizer():
    optimizer = SGD([{"params": leaf(1.0)}, {"params": leaf(2.0), "lr": 0.5}], lr=0.1)
    options = "    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n    lr: {}\n"
    options += "    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n"
    shown = [f"\nParameter Group {number}\n{options.format(lr)}" for number, lr in enumerate([0.1, 0.5])]
    assert repr(optimizer) == f"SGD ({''.join(shown)})"
    assert repr(required) == "<required parameter>"


def test_hooks_run_around_every_step_until_they_are_removed():
    param = leaf(2.0)
    seen = []
    optimizer = with_gradients(SGD([param], lr=0.5))
    handles = [
        optimizer.register_step_pre_hook(lambda which, args, kwargs: seen.append((which, args, kwargs))),
        optimizer.register_step_post_hook(lambda *args: seen.append("after")),
        register_optimizer_step_pre_hook(lambda *args: seen.append("before all")),
        register_optimizer_step_post_hook(lambda *args: seen.append("after all")),
    ]
    optimizer.step()
    assert seen == ["before all", (optimizer, (optimizer,), {}), "after", "after all"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(seen) == 4


def test_a_hook_may_change_the_arguments_and_nothing_else():
    optimizer = with_gradients(SGD([leaf(2.0)]))
    with optimizer.register_step_pre_hook(lambda which, args, kwargs: ((which, lambda: "loss"), {})):
        assert optimizer.step() == "loss"
    optimizer.register_step_pre_hook(lambda *args: 1)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\), but got 1"):
        optimizer.step()


def test_hooks_around_checkpoints():
    optimizer = SGD([leaf(2.0)])
    seen = []
    optimizer.register_state_dict_pre_hook(lambda which: seen.append(2))
    optimizer.register_state_dict_pre_hook(lambda which: seen.append(1), prepend=True)
    optimizer.register_state_dict_post_hook(lambda which, saved: {**saved, "more": 3})
    optimizer.register_load_state_dict_pre_hook(lambda which, saved: seen.append(saved.pop("more")))
    optimizer.register_load_state_dict_post_hook(lambda which: seen.append(4))
    saved = optimizer.state_dict()
    optimizer.load_state_dict(saved)
    assert seen == [1, 2, 3, 4]
    assert saved["more"] == 3


def test_a_checkpoint_that_does_not_fit_changes_nothing():
    param = leaf(1.0)
    optimizer = SGD([param], lr=0.1, momentum=0.5)
    descend(param, optimizer)
    before = copy.deepcopy(optimizer.state_dict())
    for other in ([leaf(1.0), leaf(2.0)], [{"params": leaf(1.0)}, {"params": leaf(2.0)}]):
        with pytest.raises(ValueError, match="loaded state dict"):
            optimizer.load_state_dict(SGD(other).state_dict())
    assert optimizer.state_dict() == before


def test_a_checkpoint_continues_the_run():
    def run(reload):
        param, other = leaf(1.0, 2.0), leaf(3.0)
        optimizer = Adam([param, other], lr=0.1)
        for step in range(4):
            optimizer.zero_grad()
            ((param**2).sum() + (other**4).sum()).backward()
            optimizer.step()
            if step == 1 and reload:
                saved = copy.deepcopy(optimizer.state_dict())
                optimizer = Adam([param, other], lr=7)
                optimizer.load_state_dict(saved)
        return param.tolist(), other.tolist()

    assert run(True) == run(False)


def test_state_of_other_kinds_is_loaded_in_the_parameters_dtype():
    param = torch.ones(2, dtype=torch.float64, requires_grad=True)
    optimizer = Adam([param])
    state = {"step": torch.tensor(3.0), "exp_avg": torch.ones(2), "more": [torch.ones(1), {"a": 1, "b": "text"}]}
    optimizer.load_state_dict({"state": {0: state, "whole": 5}, "param_groups": optimizer.state_dict()["param_groups"]})
    loaded = optimizer.state[param]
    assert loaded["step"].dtype is torch.float32
    assert loaded["exp_avg"].dtype is loaded["more"][0].dtype is torch.float64
    assert loaded["more"][1] == {"a": 1, "b": "text"} and optimizer.state["whole"] == 5


def test_a_count_of_steps_that_was_a_number_becomes_a_tensor():
    param = leaf(1.0)
    optimizer = Adam([param])
    descend(param, optimizer)
    saved = optimizer.state_dict()
    saved["state"][0]["step"] = 3
    del saved["param_groups"][0]["amsgrad"]
    optimizer.load_state_dict(saved)
    descend(param, optimizer, 1)
    assert optimizer.state[param]["step"] == 4 and optimizer.param_groups[0]["amsgrad"] is False


@pytest.mark.parametrize("again", [copy.deepcopy, lambda optimizer: pickle.loads(pickle.dumps(optimizer))])
def test_copies_have_parameters_of_their_own(again):
    param = leaf(1.0, 2.0)
    optimizer = Adam([param], lr=0.1)
    optimizer.register_step_pre_hook(lambda *args: None)
    descend(param, optimizer)
    made = again(optimizer)
    (copied,) = made.param_groups[0]["params"]
    before = param.tolist()
    descend(copied, made)
    assert param.tolist() == before and not made._optimizer_step_pre_hooks
    descend(param, optimizer)
    assert param.tolist() == copied.tolist()


def test_a_method_of_ones_own_has_hooks_and_checkpoints():
    class Descent(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for param in group["params"]:
                    self.state[param]["count"] = self.state[param].get("count", 0) + 1
                    param -= group["lr"] * param.grad

    param = leaf(8.0)
    optimizer = Descent([param], lr=0.25)
    seen = []
    optimizer.register_step_post_hook(lambda *args: seen.append(1))
    descend(param, optimizer)
    assert param.item() == 1.0 and len(seen) == 3
    optimizer.load_state_dict(optimizer.state_dict())
    assert optimizer.state_dict()["state"] == {0: {"count": 3}}


def test_gradients_are_forgotten_or_zeroed():
    param, other = leaf(1.0), leaf(2.0)
    optimizer = SGD([param, other])
    param.grad = held = torch.ones(1)
    optimizer.zero_grad(set_to_none=False)
    assert param.grad is held and held.item() == 0 and other.grad is None
    (param.grad,) = torch.autograd.grad((param**2).sum(), param, create_graph=True)
    optimizer.zero_grad(set_to_none=False)
    assert not param.grad.requires_grad and param.grad.item() == 0
    optimizer.zero_grad()
    assert param.grad is None


def test_a_closure_computes_the_loss_with_gradients():
    param = leaf(1.0)
    optimizer = SGD([param], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert optimizer.step(closure).item() == 0.25
    assert optimizer.step() is None


def test_names_are_kept():
    model = torch.nn.Linear(2, 1)
    optimizer = SGD(model.named_parameters())
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    optimizer.load_state_dict(SGD(model.parameters()).state_dict())
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]


def test_a_differentiable_step_has_gradients_for_the_learning_rate():
    rate = torch.tensor(0.5, requires_grad=True)
    start = leaf(3.0)
    param = start * 1
    optimizer = SGD([param], lr=rate, differentiable=True)
    for _ in range(2):
        (param.grad,) = torch.autograd.grad((param * param / 2).sum(), param, create_graph=True)
        optimizer.step()
    # from 3, each of two steps multiplies by one half
    assert param.item() == 0.75
    assert [each.item() for each in torch.autograd.grad(param, [rate, start])] == [-3.0, 0.25]
