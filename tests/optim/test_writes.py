"""Writes: how often a step counts as one, as in torch."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("method", "options", "writes"),
    [
        ("SGD", {"momentum": 0.9, "weight_decay": 0.1}, 1),
        ("Adam", {"weight_decay": 0.1}, 1),
        ("AdamW", {}, 2),
        ("AdamW", {"weight_decay": 0}, 1),
        ("RMSprop", {"weight_decay": 0.1}, 1),
        ("NAdam", {}, 2),
        ("NAdam", {"weight_decay": 0.1}, 2),
        ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, 3),
        ("RAdam", {}, 1),
        ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}, 2),
        ("ASGD", {}, 2),
        ("ASGD", {"foreach": True}, 1),
        ("Adafactor", {}, 1),
        ("Adafactor", {"weight_decay": 0.1}, 2),
        ("Muon", {}, 2),
        ("Rprop", {}, 1),
    ],
)
def test_a_step_counts_as_many_writes_as_the_method_makes(method, options, writes):
    params = [torch.ones(2, 3).requires_grad_() for _ in range(2)]
    optimizer = getattr(torch.optim, method)(params, **options)
    for number in range(1, 4):
        for param in params:
            param.grad = torch.ones(2, 3)
        optimizer.step()
        assert [param._version for param in params] == [number * writes] * 2


def test_a_line_search_writes_to_each_point_and_back():
    param = torch.tensor([3.0]).requires_grad_()
    optimizer = torch.optim.LBFGS([param], lr=0.5, max_iter=1, line_search_fn="strong_wolfe")
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = (param * param).sum()
        loss.backward()
        calls.append(param._version)
        return loss

    optimizer.step(closure)
    assert calls == [0, *range(1, 2 * len(calls) - 2, 2)]
    assert param._version == 2 * len(calls) - 1
