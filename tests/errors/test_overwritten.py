"""A saved value that was written over: the line that saved it, the line that wrote, and what to write instead."""

import pytest

import rushlight as torch
from rushlight import nn
from tests.errors.explains import explains

WORDS = "one of the variables needed for gradient computation has been modified by an inplace operation"


@pytest.fixture
def w():
    return torch.tensor([0.3, 0.7, 0.45], requires_grad=True)


def test_augmented_assignment(w):
    y = w.exp()
    y += 1
    with explains(RuntimeError, WORDS, "y = w.exp()", "y += 1", fix="write y = y + ... in place of y += ..."):
        y.sum().backward()


def test_index_assignment(w):
    y = w.exp()
    y[0] = 5
    with explains(RuntimeError, WORDS, "y = w.exp()", "y[0] = 5", fix="y = y.clone() before the assignment"):
        y.sum().backward()


def test_a_method_with_an_underscore(w):
    y = w.sigmoid()
    y.relu_()
    with explains(RuntimeError, WORDS, "y = w.sigmoid()", "y.relu_()", fix="write y = y.relu(...) in place of"):
        y.sum().backward()


def test_a_leaf_without_gradient(w):
    x = torch.ones(3)
    y = w * x
    x.add_(1)
    with explains(RuntimeError, WORDS, "y = w * x", "x.add_(1)", fix="write y = y.add(...) in place of"):
        y.sum().backward()


def test_through_a_view(w):
    y = w.exp()
    part = y[1:]
    part.mul_(2)
    with explains(RuntimeError, WORDS, "y = w.exp()", "part.mul_(2)", fix="a view, and what detach() returns"):
        y.sum().backward()


def test_through_detach(w):
    y = w.exp()
    y.detach().zero_()
    with explains(RuntimeError, WORDS, "y = w.exp()", "y.detach().zero_()", fix="take a .clone() of those"):
        y.sum().backward()


def test_the_version_is_told_as_torch_tells_it(w):
    y = w.exp()
    y.add_(1).mul_(2)
    words = f"{WORDS}: [torch.FloatTensor [3]] is at version 2; expected version 0 instead."
    with explains(RuntimeError, words, "y.add_(1).mul_(2)"):
        y.sum().backward()


def test_a_step_between_forward_and_backward():
    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    first = model(torch.ones(1, 2)).sum()
    second = model(torch.zeros(1, 2)).sum()
    first.backward()
    optimizer.step()
    lines = "second = model(torch.zeros(1, 2)).sum()", "optimizer.step()"
    with explains(RuntimeError, WORDS, *lines, fix="the weights were changed"):
        second.backward()


def test_an_update_under_no_grad(w):
    y = w.exp() * w
    with torch.no_grad():
        w.sub_(0.1)
    with explains(RuntimeError, WORDS, "y = w.exp() * w", "w.sub_(0.1)", fix="the weights were changed"):
        y.sum().backward()


def test_in_a_function_of_the_users(w):
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    y = Exponential.apply(w)
    y *= 2
    with explains(RuntimeError, WORDS, "y = Exponential.apply(w)", "y *= 2", fix="write y = y * ..."):
        y.sum().backward()


LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def test_a_leaf_that_requires_grad():
    x = torch.ones(3, requires_grad=True)
    with explains(RuntimeError, LEAF, "x = torch.ones(3, requires_grad=True)", fix="under torch.no_grad()"):
        x += 1
    with explains(RuntimeError, LEAF, fix="write the operation out of place"):
        x.zero_()
    with explains(RuntimeError, f"a view of {LEAF}", "x = torch.ones(3, requires_grad=True)", fix="out of place"):
        x[0] = 1
    assert x.tolist() == [1, 1, 1]


def test_one_of_several_views(w):
    parts = (w * 1).unbind()
    with explains(RuntimeError, "Output 0 of Unbind"):
        parts[0].add_(1)


def test_a_result_that_does_not_fit_its_target():
    x = torch.ones(3)
    words = "output with shape [3] doesn't match the broadcast shape [2, 3]"
    with explains(RuntimeError, words, fix="write the result to a new tensor"):
        x += torch.ones(2, 3)
    with explains(
        RuntimeError, "result type Float can't be cast to the desired output type Long", fix="x.to(torch.float32)"
    ):
        torch.ones(3, dtype=torch.int64).add_(1.5)
