"""A backward without history names the call that cut it, the line of that call, and what to write instead."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from tests.errors.explains import explains

WORDS = "element 0 of tensors does not require grad and does not have a grad_fn"


@pytest.fixture
def w():
    return torch.tensor([0.3, 0.7, 0.45], requires_grad=True)


def test_detach(w):
    y = (w * 2).detach()
    with explains(RuntimeError, WORDS, "y = (w * 2).detach()", fix="leave detach() out"):
        y.sum().backward()


def test_detach_in_place(w):
    y = (w * 2).detach_()
    with explains(RuntimeError, WORDS, "y = (w * 2).detach_()", fix="leave detach() out"):
        y.sum().backward()


def test_data(w):
    y = w.data * 2
    with explains(RuntimeError, WORDS, "y = w.data * 2", fix="use the tensor itself"):
        y.sum().backward()


def test_item(w):
    number = w.sum().item()
    loss = torch.tensor(number) * 2
    with explains(RuntimeError, WORDS, "number = w.sum().item()", fix="keep the tensor for the loss"):
        loss.backward()


def test_item_after_arithmetic(w):
    number = w.sum().item() / 3 + 1
    with explains(RuntimeError, WORDS, "number = w.sum().item() / 3 + 1", fix="compute it from the tensors"):
        torch.tensor(number).backward()


def test_float(w):
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        number = float(w.sum())
    with explains(RuntimeError, WORDS, "number = float(w.sum())", fix="keep the tensor for the loss"):
        torch.tensor([number, 1.0]).sum().backward()


def test_tolist(w):
    rows = w[None].tolist()
    with explains(RuntimeError, WORDS, "rows = w[None].tolist()", fix="keep the tensor for the loss"):
        torch.tensor(rows).sum().backward()


def test_numpy_and_back(w):
    array = w.detach().numpy()
    y = torch.from_numpy(array[1:])
    with explains(RuntimeError, WORDS, "array = w.detach().numpy()", fix="compute with torch functions"):
        y.sum().backward()


def test_numpy_copied(w):
    array = w.numpy(force=True)
    y = torch.as_tensor(array, dtype=torch.float64)
    with explains(RuntimeError, WORDS, "array = w.numpy(force=True)", fix="compute with torch functions"):
        y.sum().backward()


def test_numpy_arithmetic(w):
    array = np.exp(w.detach().numpy())
    with explains(RuntimeError, WORDS, "array = np.exp(w.detach().numpy())", fix="from the tensors instead"):
        torch.from_numpy(array).sum().backward()


def test_no_grad(w):
    with torch.no_grad():
        y = w * 2
    with explains(RuntimeError, WORDS, "y = w * 2", fix="move the computation out of the no_grad block"):
        (y + 1).sum().backward()


def test_no_grad_decorator(w):
    @torch.no_grad()
    def forward(x):
        return x * 2

    with explains(RuntimeError, WORDS, "return x * 2", fix="move the computation out of the no_grad block"):
        forward(w).sum().backward()


def test_inference_mode(w):
    with torch.inference_mode():
        y = w * 2
    with explains(RuntimeError, WORDS, "y = w * 2", fix="move the computation out of the inference_mode"):
        (y + 1).sum().backward()


def test_tensor_of_tensors(w):
    with pytest.warns(UserWarning, match="stack"):
        y = torch.tensor([w[0], w[1]])
    with explains(RuntimeError, WORDS, "y = torch.tensor([w[0], w[1]])", fix="join tensors with torch.stack"):
        y.sum().backward()


def test_tensor_of_a_tensor(w):
    with pytest.warns(UserWarning, match="clone"):
        y = torch.tensor(w)
    with explains(RuntimeError, WORDS, "y = torch.tensor(w)", fix="a single one needs no tensor(...)"):
        y.sum().backward()


@pytest.mark.parametrize("find", [torch.argmax, torch.argmin, torch.count_nonzero])
def test_positions(w, find):
    index = find(w)
    with explains(RuntimeError, WORDS, "index = find(w)", fix="use the values"):
        index.float().backward()


def test_positions_beside_values(w):
    values, index = w.max(0)
    assert values.requires_grad
    with explains(RuntimeError, WORDS, "values, index = w.max(0)", fix="use the values"):
        index.float().backward()


def test_argsort(w):
    index = w.argsort()
    with explains(RuntimeError, WORDS, "index = w.argsort()", fix="use the values"):
        index.float().sum().backward()


def test_comparison(w):
    mask = w > 0.5
    with explains(RuntimeError, WORDS, "mask = w > 0.5", fix="the values themselves"):
        mask.float().mean().backward()


def test_samples(w):
    chosen = torch.multinomial(w, 1)
    with explains(RuntimeError, WORDS, "chosen = torch.multinomial(w, 1)", fix="log_prob"):
        chosen.float().sum().backward()


@pytest.mark.parametrize("convert", [torch.Tensor.long, torch.Tensor.int, torch.Tensor.bool])
def test_integer_casts(w, convert):
    y = convert(w.floor())
    with explains(RuntimeError, WORDS, "y = convert(w.floor())", fix="keep a floating point dtype"):
        y.float().sum().backward()


def test_the_cut_is_inherited(w):
    y = w.detach()
    z = (y * 3).exp()[1:].reshape(1, 2) @ torch.ones(2, 1)
    total = torch.stack([z, z + 1]).mean()
    with explains(RuntimeError, WORDS, "y = w.detach()", fix="leave detach() out"):
        total.backward()


def test_the_cut_passes_through_writes(w):
    copied, assigned = torch.zeros(3), torch.zeros(3)
    copied.copy_(w.detach())
    assigned[0] = w[0].detach()
    with explains(RuntimeError, WORDS, "copied.copy_(w.detach())", fix="leave detach() out"):
        copied.sum().backward()
    with explains(RuntimeError, WORDS, "assigned[0] = w[0].detach()", fix="leave detach() out"):
        assigned.sum().backward()


def test_a_write_under_no_grad(w):
    y = torch.zeros(3)
    with torch.no_grad():
        y[:2] = w[1:]
        y.add_(w)
    with explains(RuntimeError, WORDS, "y[:2] = w[1:]", fix="move the computation out of the no_grad block"):
        y.sum().backward()


def test_frozen_parameters():
    model = nn.Linear(2, 1)
    model.requires_grad_(False)
    with explains(RuntimeError, WORDS, "model.requires_grad_(False)", fix="set requires_grad=True again"):
        model(torch.ones(4, 2)).sum().backward()


def test_nothing_required_grad():
    x = torch.ones(3)
    with explains(RuntimeError, WORDS, "x = torch.ones(3)", fix="requires_grad=True"):
        x.backward()


def test_the_second_of_several(w):
    y = w.detach()
    words = WORDS.replace("0", "1")
    with explains(RuntimeError, words, "y = w.detach()", fix="leave detach() out"):
        torch.autograd.backward([w.sum(), y.sum()])


def test_gradient_asked_of_a_detached_input(w):
    x = w.detach()
    words = "One of the differentiated Tensors does not require grad"
    with explains(RuntimeError, words, "x = w.detach()", fix="leave detach() out"):
        torch.autograd.grad((w * x).sum(), x)


def test_the_warning_names_the_parameters_and_comes_once_a_line():
    model = nn.Linear(3, 1)
    with pytest.warns(UserWarning, match="stack") as caught:
        for _ in range(3):
            torch.tensor([model(torch.ones(3)).squeeze(), 1.0])
    (message,) = [str(each.message) for each in caught]
    assert "Parameter of shape [1, 3], made at " in message
    assert "model = nn.Linear(3, 1)" in message
    with pytest.warns(UserWarning, match="stack"):
        torch.tensor([model(torch.ones(3)).squeeze(), 1.0])
