"""Losses that are seldom used: CTC, adaptive softmax, a linear layer with its loss."""

import itertools
import math

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def all_ways(log_probs, text, blank=0):
    """The probability of a text, by adding up every way to space it."""
    total = 0.0
    steps, classes = log_probs.shape
    for way in itertools.product(range(classes), repeat=steps):
        letters = [letter for letter, _ in itertools.groupby(way)]
        if [letter for letter in letters if letter != blank] == text:
            total += math.exp(sum(log_probs[t, letter].item() for t, letter in enumerate(way)))
    return total


@pytest.mark.parametrize("text", [[1], [1, 2], [1, 1], [2, 1, 2], []])
def test_ctc_adds_up_every_way_to_space_a_text(text):
    torch.manual_seed(0)
    log_probs = torch.randn(4, 1, 3, dtype=torch.float64).log_softmax(2)
    target = torch.tensor([text], dtype=torch.int64).reshape(1, len(text))
    loss = F.ctc_loss(log_probs, target, [4], [len(text)], reduction="sum")
    assert loss.item() == pytest.approx(-math.log(all_ways(log_probs[:, 0], text)))


def test_ctc_has_the_gradient_of_the_logits():
    torch.manual_seed(0)
    logits = torch.randn(5, 2, 4, dtype=torch.float64, requires_grad=True)
    targets, lengths, letters = torch.tensor([[1, 2], [3, 3]]), torch.tensor([5, 4]), torch.tensor([2, 2])
    assert torch.autograd.gradcheck(lambda x: F.ctc_loss(x.log_softmax(2), targets, lengths, letters), (logits,))


def test_ctc_of_a_text_that_is_too_long_is_infinite_or_nothing():
    log_probs = torch.zeros(1, 1, 3).log_softmax(2).requires_grad_()
    assert F.ctc_loss(log_probs, torch.tensor([[1, 2]]), [1], [2]).item() == math.inf
    loss = nn.CTCLoss(zero_infinity=True)(log_probs, torch.tensor([[1, 2]]), [1], [2])
    loss.backward()
    assert loss.item() == 0 and not log_probs.grad.any()


def test_ctc_refuses_a_second_derivative():
    log_probs = torch.zeros(2, 1, 3).log_softmax(2).requires_grad_()
    loss = F.ctc_loss(log_probs, torch.tensor([[1]]), [2], [1])
    grad = torch.autograd.grad(loss, log_probs, create_graph=True)[0]
    with pytest.raises(RuntimeError, match="_ctc_loss_backward is not implemented"):
        grad.sum().backward()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"input_lengths": [7]}, "Expected input_lengths to have value at most 3, but got value 7"),
        ({"input_lengths": [-1]}, "Expected input_lengths to have value at least 0"),
        ({"input_lengths": torch.tensor([1.5])}, "input_lengths must be integral"),
        ({"target_lengths": [1, 1]}, "target_lengths must be of size batch_size"),
        ({"target_lengths": [3]}, "Expected tensor to have size at least 3 at dimension 1"),
        ({"targets": torch.tensor([1, 2, 1])}, "Expected tensor to have size 2 at dimension 0"),
        ({"targets": torch.tensor([[1, 2], [1, 2]])}, "Expected tensor to have size 1 at dimension 0"),
        ({"targets": torch.tensor([[1, 9]])}, "targets must be in label range"),
        ({"blank": 3}, "blank must be in label range"),
        ({"log_probs": torch.zeros(3)}, "Expected 3-dimensional tensor"),
        ({"log_probs": torch.zeros(3, 0, 3)}, "log_probs tensor must not be empty"),
        ({"log_probs": torch.zeros(3, 1, 3).half()}, "not implemented for 'Half'"),
    ],
)
def test_ctc_says_which_length_is_wrong(changes, words):
    given = {"log_probs": torch.zeros(3, 1, 3), "targets": torch.tensor([[1, 2]]), "input_lengths": [3]}
    given |= {"target_lengths": [2]} | changes
    with pytest.raises((RuntimeError, NotImplementedError), match=words):
        F.ctc_loss(**given)


def test_adaptive_softmax_gives_the_log_probability_of_the_target():
    torch.manual_seed(0)
    model = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 6], div_value=2.0)
    x, target = torch.randn(5, 8), torch.tensor([0, 1, 3, 7, 9])
    full = model.log_prob(x)
    assert torch.allclose(full.exp().sum(1), torch.ones(5))
    output, loss = model(x, target)
    assert torch.allclose(output, full.gather(1, target[:, None])[:, 0])
    assert loss.item() == pytest.approx(-output.mean().item())
    assert torch.equal(model.predict(x), full.argmax(1))
    assert model(x[0], target[0]).output.shape == ()
    model.reset_parameters()


def test_adaptive_softmax_refuses_wrong_groups_and_targets():
    for cutoffs in ([], [3, 2], [0, 2], [2, 10], [2, 2], [1.5]):
        with pytest.raises(ValueError, match="cutoffs should be a sequence"):
            nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs)
    model = nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2])
    for x, target, words in (
        (torch.ones(2, 8), torch.tensor([0]), "same size in the batch dimension"),
        (torch.ones(1, 1, 8), torch.tensor([0]), "1D target tensor expects 2D"),
        (torch.ones(1, 8), torch.tensor(0), "0D target tensor expects 1D"),
        (torch.ones(1, 8), torch.tensor([[0]]), "multi-target not supported"),
        (torch.ones(1, 8), torch.tensor([10]), r"Target values should be in \[0, 9\]"),
    ):
        with pytest.raises(RuntimeError, match=words):
            model(x, target)


def test_a_linear_layer_with_its_cross_entropy():
    torch.manual_seed(0)
    loss = nn.LinearCrossEntropyLoss(4, 3, bias=True)
    x, target = torch.randn(5, 4), torch.tensor([0, 1, 2, 1, 0])
    assert torch.equal(loss(x, target), F.cross_entropy(loss.linear(x), target))
    with pytest.raises(RuntimeError, match="expected weight shape"):
        nn.LinearCrossEntropyLoss(4, 3, weight=torch.ones(2))
    with pytest.raises(RuntimeError, match="expected label_smoothing"):
        nn.LinearCrossEntropyLoss(4, 3, label_smoothing=2)
    for wrong, words in (
        ({"acc_policy": "odd"}, "invalid acc_policy"),
        ({"chunking_method": "odd"}, "invalid chunking_method"),
        ({"batch_chunk_size": 0}, "batch_chunk_size must be positive"),
        ({"acc_dtype": torch.int64}, "acc_dtype must be one of"),
    ):
        with pytest.raises(ValueError, match=words):
            nn.LinearCrossEntropyOptions(**wrong)
    both = nn.LinearCrossEntropyOptions(batch_chunk_size=3, chunking_method="aspect_ratio")
    with pytest.raises(ValueError, match="give different chunk sizes"):
        F.linear_cross_entropy(x, loss.linear.weight, target, options=both)
    with pytest.warns(UserWarning, match="``options`` ignored"):
        F.linear_cross_entropy(x, loss.linear.weight, target, label_smoothing=0.1, options=both)


def test_the_older_name_of_a_loss_warns():
    with pytest.warns(FutureWarning, match="NLLLoss2d"):
        loss = nn.NLLLoss2d()
    assert loss(torch.zeros(1, 3, 2, 2), torch.zeros(1, 2, 2, dtype=torch.int64)).item() == 0


@pytest.mark.parametrize("shape", [(1, 1), (6, 4), (300, 40)])
def test_margins_of_several_labels_by_their_definition(shape):
    torch.manual_seed(0)
    x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
    target = torch.randint(-1, shape[1], shape)
    total = x.new_zeros(())
    for row, labels in zip(x, target.tolist(), strict=True):
        listed = labels[: labels.index(-1)] if -1 in labels else labels
        others = [each for each in range(shape[1]) if each not in listed]
        for label in listed:
            total = total + (1 - row[label] + row[others]).clamp_min(0).sum() / shape[1]
    found = F.multilabel_margin_loss(x, target, reduction="sum")
    assert torch.allclose(found, total)
    assert torch.allclose(torch.autograd.grad(found, x)[0], torch.autograd.grad(total, x, allow_unused=True)[0])
