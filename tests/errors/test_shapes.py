"""Shapes that do not go together: both operands, the lines that made them, and a likely fix."""

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from tests.errors.explains import explains


def test_broadcasting():
    one = torch.ones(3)
    two = torch.ones(4)
    words = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0\n"
    with explains(RuntimeError, words, "one = torch.ones(3)", "two = torch.ones(4)", fix="if one of them is 1"):
        one + two
    with explains(RuntimeError, words, "one = torch.ones(3)", "two = torch.ones(4)"):
        one.mul_(two)
    with explains(RuntimeError, words):
        torch.where(one > 0, one, two)


def test_operands_that_were_computed_are_shown_with_the_line_of_their_node():
    w = torch.ones(3, requires_grad=True)
    hidden = (w * 2).exp()
    words = "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0"
    with explains(RuntimeError, words, "hidden = (w * 2).exp()"):
        hidden + torch.ones(2)


def test_a_missing_last_dimension():
    rows = torch.ones(5, 3)
    weights = torch.ones(5)
    words = "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1"
    with explains(RuntimeError, words, "weights = torch.ones(5)", fix="b[..., None]"):
        rows * weights
    with explains(RuntimeError, "The size of tensor a (5)", fix="a[..., None]"):
        weights * rows


def test_a_transposed_operand():
    with explains(RuntimeError, "The size of tensor a (3) must match the size of tensor b (2)", fix="transpose one"):
        torch.ones(2, 3) + torch.ones(3, 2)


@pytest.mark.parametrize(
    ("one", "two", "sizes", "fix"),
    [
        ((2, 3), (4, 3), "(2x3 and 4x3)", "a @ b.T"),
        ((2, 3), (2, 5), "(2x3 and 2x5)", "a.T @ b"),
        ((2, 3), (4, 2), "(2x3 and 4x2)", "b @ a"),
        ((2, 3), (4, 5), "(2x3 and 4x5)", "the last size of the first"),
    ],
)
def test_matrix_products(one, two, sizes, fix):
    first = torch.ones(one)
    second = torch.ones(two)
    words = f"mat1 and mat2 shapes cannot be multiplied {sizes}\n"
    lines = "first = torch.ones(one)", "second = torch.ones(two)"
    with explains(RuntimeError, words, *lines, fix=fix):
        first @ second
    with explains(RuntimeError, words, *lines, fix=fix):
        torch.mm(first, second)
    with explains(RuntimeError, words, *lines, fix=fix):
        torch.addmm(torch.zeros(1), first, second)


def test_products_with_vectors():
    matrix = torch.ones(2, 3)
    with explains(RuntimeError, "size mismatch, got input (2), mat (2x3), vec (2)", fix="transpose the matrix"):
        matrix @ torch.ones(2)
    with explains(RuntimeError, "inconsistent tensor size, expected tensor [3] and src [4]"):
        torch.ones(3) @ torch.ones(4)


def test_batches_of_matrices():
    one = torch.ones(2, 2, 3)
    words = "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4]."
    with explains(RuntimeError, words, "one = torch.ones(2, 2, 3)", fix="a @ b.T"):
        torch.bmm(one, torch.ones(2, 4, 3))


def test_a_layer_with_other_features():
    layer = nn.Linear(4, 2)
    words = "mat1 and mat2 shapes cannot be multiplied (5x3 and 4x2)"
    x = torch.ones(5, 3)
    lines = "layer = nn.Linear(4, 2)", "x = torch.ones(5, 3)"
    with explains(RuntimeError, words, *lines, fix="make the layer with in_features=3"):
        layer(x)
    with explains(RuntimeError, "mat1 and mat2 shapes cannot be multiplied (4x3 and 4x2)", fix="x.T"):
        layer(torch.ones(4, 3))
    with explains(RuntimeError, "mat1 and mat2 shapes cannot be multiplied (10x2 and 4x2)", fix="x.flatten(1)"):
        layer(torch.ones(5, 2, 2))
    with explains(RuntimeError, "mat1 and mat2 shapes cannot be multiplied (1x5 and 1x2)", fix="x.unsqueeze(-1)"):
        nn.Linear(1, 2)(torch.ones(5))


def test_joining():
    one = torch.ones(2, 3)
    two = torch.ones(2, 4)
    lines = "one = torch.ones(2, 3)", "two = torch.ones(2, 4)"
    words = "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4 for tensor number 1"
    with explains(RuntimeError, words, *lines, fix="torch.cat([...], dim=1)"):
        torch.cat([one, two])
    with explains(RuntimeError, "Tensors must have same number of dimensions: got 2 and 1", fix="unsqueeze(0)"):
        torch.cat([one, torch.ones(3)])
    with explains(RuntimeError, "zero-dimensional tensor (at position 0) cannot be concatenated", fix="torch.stack"):
        torch.cat([torch.tensor(1.0), one])
    words = "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [2, 4] at entry 1"
    with explains(RuntimeError, words, *lines, fix="torch.cat"):
        torch.stack([one, two])


def test_views():
    x = torch.ones(3, 4)
    words = "shape '[5, -1]' is invalid for input of size 12\n"
    with explains(RuntimeError, words, "x = torch.ones(3, 4)", fix="the sizes must multiply to 12"):
        x.view(5, -1)
    with explains(RuntimeError, words, "x = torch.ones(3, 4)", fix="the sizes must multiply to 12"):
        x.reshape(5, -1)
    with explains(RuntimeError, "view size is not compatible with input tensor's size and stride"):
        x.T.view(12)


def test_dimensions():
    x = torch.ones(3)
    words = "Dimension out of range (expected to be in range of [-1, 0], but got 1)\n"
    for wrong in (lambda: x.sum(1), lambda: x.transpose(0, 1), lambda: torch.softmax(x, 1)):
        with explains(IndexError, words, "x = torch.ones(3)"):
            wrong()


def test_positions():
    x = torch.ones(3)
    index = torch.tensor([5])
    words = "index 5 is out of bounds for dimension 0 with size 3"
    with explains(IndexError, words, "x = torch.ones(3)", "index = torch.tensor([5])"):
        x[index]
    with explains(IndexError, words):
        x[5]


def test_losses_warn_of_broadcasting_as_torch_does():
    with pytest.warns(UserWarning) as caught:
        F.mse_loss(torch.ones(5, 1), torch.ones(5))
    message = str(caught[0].message)
    words = "Using a target size (torch.Size([5])) that is different to the input size (torch.Size([5, 1]))."
    assert message.startswith(words)
    assert "fix: drop the last dimension of the input: input.squeeze(-1)" in message
    assert caught[0].filename == __file__


def test_losses_of_classes():
    scores = torch.ones(5, 3)
    words = "Expected input batch_size (5) to match target batch_size (4)."
    with explains(ValueError, words, "scores = torch.ones(5, 3)", fix="one target"):
        F.cross_entropy(scores, torch.zeros(4, dtype=torch.int64))
    with explains(IndexError, "Target 3 is out of bounds.", fix="numbered from 0 to 2"):
        F.cross_entropy(scores, torch.full((5,), 3))
    words = "Target size (torch.Size([5])) must be the same as input size (torch.Size([5, 1]))"
    with explains(ValueError, words, fix="input.squeeze(-1)"):
        F.binary_cross_entropy_with_logits(torch.ones(5, 1), torch.ones(5))
