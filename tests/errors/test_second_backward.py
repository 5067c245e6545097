"""A second backward: the line of the first one, and whether `detach()` or `retain_graph` is the cure."""

import pytest

import rushlight as torch
from tests.errors.explains import explains

WORDS = "Trying to backward through the graph a second time"


@pytest.fixture
def w():
    return torch.ones(3, requires_grad=True)


def test_the_same_loss_twice(w):
    loss = w.exp().sum()
    loss.backward()
    lines = "loss = w.exp().sum()", "loss.backward()"
    with explains(RuntimeError, WORDS, *lines, fix="pass retain_graph=True to the first backward"):
        loss.backward()


def test_two_losses_of_one_forward(w):
    features = w.exp()
    one, two = features.sum(), (features * 2).sum()
    one.backward()
    with explains(RuntimeError, WORDS, "features = w.exp()", "one.backward()", fix="add the losses"):
        two.backward()


def test_a_hidden_state_that_is_carried_over(w):
    state = torch.zeros(3)
    with explains(RuntimeError, WORDS, "state = (state * w).tanh()", "state.sum().backward()", fix="the new loss"):
        for _ in range(2):
            state = (state * w).tanh()
            state.sum().backward()
    state = torch.zeros(3)
    for _ in range(2):
        state = (state.detach() * w).tanh()
        state.sum().backward()


def test_gradients_taken_twice(w):
    loss = w.exp().sum()
    torch.autograd.grad(loss, w)
    with explains(RuntimeError, WORDS, "torch.autograd.grad(loss, w)", fix="retain_graph=True"):
        torch.autograd.grad(loss, w)


def test_saved_values_after_backward(w):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad * ctx.saved_tensors[0]

    y = Square.apply(w).sum()
    y.backward()
    with explains(RuntimeError, WORDS, "y = Square.apply(w).sum()", "y.backward()", fix="retain_graph"):
        y.backward()


def test_an_output_that_is_no_number(w):
    words = "grad can be implicitly created only for scalar outputs"
    with explains(RuntimeError, words):
        w.exp().backward()


def test_an_input_that_was_not_used(w):
    words = "The differentiated Tensor at index 0 appears to not have been used in the graph."
    with explains(RuntimeError, words):
        torch.autograd.grad(w.sum(), torch.ones(3, requires_grad=True))
