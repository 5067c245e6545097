"""Reentrant backwards: a Function whose backward runs another one."""

import threading

import pytest

import rushlight as torch


class Deeper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()

    @staticmethod
    def backward(ctx, grad):
        if ctx.x < 0:
            return grad
        with torch.enable_grad():
            Deeper.apply(ctx.x).sum().backward()
        return grad


def test_backwards_run_inside_each_other_a_thousand_deep():
    x = torch.tensor(1000.0, requires_grad=True)
    Deeper.apply(x).sum().backward()
    assert x.grad.item() == 1.0


def test_an_error_comes_up_from_the_depth():
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            if grad > 100:
                raise ValueError("deep enough")
            with torch.enable_grad():
                x = torch.ones((), requires_grad=True)
                Failing.apply(x).backward(grad + 1)
            return grad

    with pytest.raises(ValueError, match="deep enough"):
        Failing.apply(torch.ones((), requires_grad=True)).backward()
    assert torch.is_grad_enabled()


def test_threads_add_to_one_leaf():
    x = torch.ones(100, requires_grad=True)

    def work():
        for _ in range(20):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert x.grad.tolist() == [160.0] * 100
