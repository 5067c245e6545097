"""Losses: their values and gradients at the edges, and what they refuse; torch's numbers."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

ROWS = [[1.0, 2.0, 3.0], [1.0, 0.0, -1.0]]


def tensor(*values, **options):
    return torch.tensor([*values], **options)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (lambda x: F.cross_entropy(x, tensor(2, 0)), 0.4076),
        (lambda x: F.cross_entropy(x, tensor(2, 0), tensor(1.0, 2.0, 3.0)), 0.4076),
        (lambda x: F.cross_entropy(x, tensor(2, -100)), 0.4076),
        (lambda x: F.cross_entropy(x, tensor(2, 0), label_smoothing=0.1), 0.5076),
        (lambda x: F.cross_entropy(x, x.softmax(1)), 0.8324),
        (lambda x: F.cosine_embedding_loss(x, x + 1, tensor(1, -1)), 0.3199),
        (lambda x: F.smooth_l1_loss(tensor(0.0, 0.0), tensor(0.5, 3.0)), 1.3125),
        (lambda x: F.huber_loss(tensor(0.0, 0.0), tensor(0.5, 3.0), delta=2.0), 2.0625),
        (lambda x: F.kl_div(tensor(-1.0, -2.0), tensor(0.5, 0.5), reduction="batchmean"), 0.4034),
        (lambda x: F.margin_ranking_loss(tensor(1.0), tensor(2.0), tensor(1.0), margin=0.5), 1.5),
        (lambda x: F.gaussian_nll_loss(tensor(0.0), tensor(1.0), tensor(4.0)), 0.8181),
        (lambda x: F.poisson_nll_loss(tensor(0.0), tensor(1.0)), 1.0),
        (lambda x: F.mse_loss(tensor(1.0, 2.0), tensor(1.0, 4.0), weight=tensor(1.0, 3.0)), 3.0),
    ],
)
def test_values_are_torchs(loss, expected):
    assert loss(torch.tensor(ROWS)).item() == pytest.approx(expected, abs=6e-5)


def test_large_logits_do_not_overflow():
    assert F.cross_entropy(tensor([1000.0, 0.0]), tensor(1)).item() == 1000
    assert F.binary_cross_entropy_with_logits(tensor(1000.0, -1000.0), tensor(0.0, 1.0)).item() == 1000


def test_impossible_answer_costs_a_hundred():
    x = tensor(0.0, 1.0, requires_grad=True)
    loss = F.binary_cross_entropy(x, tensor(1.0, 0.0))
    loss.backward()
    assert loss.item() == 100 and np.isfinite(x.grad.numpy()).all()


def test_gradient_of_cross_entropy_is_the_difference_of_probabilities():
    x = torch.tensor(ROWS, requires_grad=True)
    F.cross_entropy(x, tensor(2, 0), reduction="sum").backward()
    wanted = x.detach().softmax(1) - F.one_hot(tensor(2, 0), 3)
    assert torch.allclose(x.grad, wanted, atol=1e-6)


def test_ignored_rows_have_no_gradient():
    x = torch.tensor(ROWS, requires_grad=True)
    F.cross_entropy(x, tensor(-100, -100)).backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert math.isnan(F.cross_entropy(x, tensor(-100, -100)).item())
    assert F.cross_entropy(x[0], torch.tensor(-100), reduction="sum").item() == 0


def test_mean_of_nothing_is_nan():
    assert math.isnan(F.mse_loss(torch.ones(0), torch.ones(0)).item())
    assert math.isnan(F.cross_entropy(torch.ones(0, 3), torch.ones(0, dtype=torch.int64)).item())
    assert F.mse_loss(torch.ones(0), torch.ones(0), reduction="sum").item() == 0


def test_node_names_are_torchs():
    x = torch.tensor(ROWS, requires_grad=True)
    y = torch.zeros(2, 3)
    names = {
        "MseLossBackward0": F.mse_loss(x, y),
        "MeanBackward0": F.l1_loss(x, y),
        "SmoothL1LossBackward0": F.smooth_l1_loss(x, y),
        "HuberLossBackward0": F.huber_loss(x, y),
        "NllLossBackward0": F.cross_entropy(x, tensor(0, 1)),
        "NllLoss2DBackward0": F.nll_loss(x.reshape(2, 3, 1), torch.zeros(2, 1, dtype=torch.int64)),
        "BinaryCrossEntropyWithLogitsBackward0": F.binary_cross_entropy_with_logits(x, y),
        "BinaryCrossEntropyBackward0": F.binary_cross_entropy(x.sigmoid(), y),
        "SoftMarginLossBackward0": F.soft_margin_loss(x, y),
        "NativeLayerNormBackward0": F.layer_norm(x, (3,)),
    }
    assert {name: result.grad_fn.name() for name, result in names.items()} == {name: name for name in names}


def test_different_sizes_warn_and_broadcast():
    with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[3\]\)\)"):
        assert F.mse_loss(torch.zeros(2, 3), torch.ones(3)).item() == 1


@pytest.mark.parametrize(
    ("older", "reduction"),
    [
        ({"size_average": False}, "sum"),
        ({"size_average": True}, "mean"),
        ({"reduce": False}, "none"),
        ({"reduce": True}, "mean"),
        ({"size_average": False, "reduce": False}, "none"),
    ],
)
def test_older_words_for_the_reduction(older, reduction):
    x, y = torch.tensor(ROWS), torch.zeros(2, 3)
    with pytest.warns(UserWarning, match=f"please use reduction='{reduction}' instead"):
        found = F.mse_loss(x, y, **older)
    assert torch.equal(found, F.mse_loss(x, y, reduction=reduction))
    with pytest.warns(UserWarning, match="size_average and reduce args will be deprecated"):
        assert nn.MSELoss(**older).reduction == reduction


REFUSED = [
    (lambda x: F.mse_loss(x, x, reduction="other"), ValueError, "other is not a valid value for reduction"),
    (
        lambda x: F.mse_loss(x, x, weight=torch.ones(3)),
        ValueError,
        "Weights and input must have the same size",
    ),
    (
        lambda x: F.huber_loss(x, x, weight=torch.ones(3)),
        ValueError,
        "Weights and input must have the same size",
    ),
    (lambda x: F.mse_loss(x.long(), x.long()), NotImplementedError, "not implemented for 'Long'"),
    (lambda x: F.l1_loss(x.long(), x.long()), RuntimeError, "could not infer output dtype"),
    (lambda x: F.smooth_l1_loss(x, x, beta=-1), RuntimeError, "negative values for beta"),
    (lambda x: F.huber_loss(x, x, delta=0), RuntimeError, "non-positive values for delta"),
    (lambda x: F.cross_entropy(x, tensor(0, 3)), IndexError, "Target 3 is out of bounds"),
    (lambda x: F.cross_entropy(x, tensor(0, -1)), IndexError, "Target -1 is out of bounds"),
    (lambda x: F.cross_entropy(x, tensor(0)), ValueError, r"Expected input batch_size \(2\) to match target"),
    (lambda x: F.cross_entropy(x, tensor([0], [1])), RuntimeError, "multi-target not supported"),
    (
        lambda x: F.cross_entropy(x, tensor(0.0, 1.0)),
        RuntimeError,
        "expected target dtype to be Long or Byte",
    ),
    (lambda x: F.cross_entropy(x, x.long()), RuntimeError, "Expected floating point type for target"),
    (lambda x: F.cross_entropy(x, x, ignore_index=1), RuntimeError, "ignore_index is not supported"),
    (lambda x: F.cross_entropy(x, x, reduction="other"), ValueError, "other is not a valid value"),
    (
        lambda x: F.cross_entropy(x, tensor(0, 1), label_smoothing=2.0),
        RuntimeError,
        "between 0.0 and 1.0. Got: 2",
    ),
    (lambda x: F.nll_loss(x, tensor(0, 1), torch.ones(2)), RuntimeError, "for all 3 classes or no classes"),
    (
        lambda x: F.nll_loss(x, tensor(0, 1), torch.ones(3).double()),
        RuntimeError,
        "expected scalar type Float",
    ),
    (
        lambda x: F.nll_loss(x, tensor(0, 1), torch.ones(3, requires_grad=True)),
        RuntimeError,
        "argument 'weight'",
    ),
    (
        lambda x: F.nll_loss(x[None], tensor([0])),
        RuntimeError,
        r"Expected target size \[1, 3\], got \[1, 1\]",
    ),
    (lambda x: F.nll_loss(tensor(1.0)[0], tensor(0)[0]), ValueError, "Expected 1 or more dimensions"),
    (lambda x: F.binary_cross_entropy(x, x), RuntimeError, "all elements of input should be between 0 and 1"),
    (
        lambda x: F.binary_cross_entropy(x * 0, x),
        RuntimeError,
        "all elements of target should be between 0 and 1",
    ),
    (lambda x: F.binary_cross_entropy(x, x[0]), ValueError, "Please ensure they have the same size"),
    (lambda x: F.binary_cross_entropy(x, x > 0), RuntimeError, "Found dtype Bool but expected Float"),
    (lambda x: F.binary_cross_entropy_with_logits(x, x[0]), ValueError, "must be the same as input size"),
    (lambda x: F.binary_cross_entropy_with_logits(x, x.long()), RuntimeError, "can't be cast to the desired"),
    (lambda x: F.gaussian_nll_loss(x, x, torch.ones(5)), ValueError, "var is of incorrect size"),
    (lambda x: F.gaussian_nll_loss(x, x, -1.0), ValueError, "var has negative entry/entries"),
    (lambda x: F.gaussian_nll_loss(x, x, 1.0, reduction="other"), ValueError, "other is not valid"),
    (lambda x: F.margin_ranking_loss(x, x[0], x), RuntimeError, "should have same dimension"),
    (lambda x: F.cosine_embedding_loss(x, x, x), RuntimeError, "0D or 1D target tensor expected"),
    (
        lambda x: F.cosine_embedding_loss(x, x[0], tensor(1, 1)),
        RuntimeError,
        "1D target tensor expects 2D input",
    ),
    (lambda x: F.triplet_margin_loss(x, x, x, margin=0), ValueError, "margin must be greater than 0"),
    (lambda x: F.triplet_margin_loss(x, x, x[0]), RuntimeError, "same number of dimensions"),
    (lambda x: F.multi_margin_loss(x, tensor(0, 3)), RuntimeError, "target out of range"),
    (lambda x: F.multi_margin_loss(x, tensor(0, 1), p=3), ValueError, "only p == 1 and p == 2"),
    (lambda x: F.multi_margin_loss(x, tensor(0.0, 1.0)), RuntimeError, "expected scalar type Long"),
    (lambda x: F.multi_margin_loss(x, tensor(0)), RuntimeError, "target tensor should be 1-D"),
    (lambda x: F.multi_margin_loss(x, tensor(0, 1), weight=x), ValueError, "weight must be one-dimensional"),
    (
        lambda x: F.multi_margin_loss(x, tensor(0, 1), weight=x[:, 0]),
        RuntimeError,
        "inconsistent weight size",
    ),
    (
        lambda x: F.multi_margin_loss(x[:, :0], tensor(0, 1)),
        RuntimeError,
        "Expected non-empty vector or matrix",
    ),
    (lambda x: F.multilabel_margin_loss(x, tensor(0, 1)), RuntimeError, "inconsistent target size"),
    (lambda x: F.multilabel_margin_loss(x, x.long() + 5), RuntimeError, "argument #2 'target' is out of range"),
    (lambda x: nn.MultiMarginLoss(p=3), ValueError, "only p == 1 and p == 2"),
    (lambda x: nn.MultiMarginLoss(weight=x), ValueError, "expected weight to be None or 1D tensor, got 2D instead"),
    (lambda x: nn.TripletMarginLoss(margin=0), ValueError, "expected margin to be greater than 0"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.tensor(ROWS) * 3)


def test_divergence_warns_of_its_mean():
    with pytest.warns(UserWarning, match="divides the total loss by both the batch size and the support size"):
        F.kl_div(tensor(-1.0), tensor(0.5))


def test_distance_of_ones_own_choice():
    loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1), margin=2.0)
    assert loss(torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2)).item() == 2


def test_the_loss_of_logits_is_computed_in_the_dtype_of_the_target():
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    single, double = torch.zeros(3), torch.ones(3, dtype=torch.float64)
    assert loss(single, double).dtype is torch.float64
    assert loss(double, single).dtype is torch.float32
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors"):
        loss(single, torch.tensor([True, False, True]))


def test_a_negative_smoothing_smooths_nothing():
    x, y = torch.zeros(2, 3), torch.tensor([0, 1])
    assert F.cross_entropy(x, y, label_smoothing=-0.5).item() == F.cross_entropy(x, y).item()
    assert F.cross_entropy(x, x + 0.5, label_smoothing=-0.5).item() == F.cross_entropy(x, x + 0.5).item()


@pytest.mark.parametrize(
    ("scores", "p", "loss", "slopes"),
    [
        ([1.0, float("nan"), 2.0], 1, 2 / 3, [-1 / 3, 0.0, 1 / 3]),
        ([1.0, float("nan"), 2.0], 2, 4 / 3, [-4 / 3, 0.0, 4 / 3]),
        ([float("inf"), 2.0, 3.0], 2, 0.0, [0.0, 0.0, 0.0]),
        ([float("nan"), 1.0, 2.0], 2, 0.0, [0.0, 0.0, 0.0]),
    ],
)
def test_what_is_not_a_number_lacks_no_margin(scores, p, loss, slopes):
    x = torch.tensor([scores], requires_grad=True)
    found = F.multi_margin_loss(x, torch.tensor([0]), p)
    found.backward()
    np.testing.assert_allclose([found.item(), *x.grad[0].tolist()], [loss, *slopes], rtol=1e-6)


def test_a_label_at_infinity_lacks_no_margin():
    x = torch.tensor([[float("inf"), 1.0, float("nan")]])
    assert F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1]])).item() == 0.0
    assert F.multilabel_margin_loss(x, torch.tensor([[1, -1, -1]])).item() == float("inf")


def test_the_huber_loss_of_two_dtypes_has_no_gradient():
    x = torch.tensor([0.25, 0.75], dtype=torch.float64, requires_grad=True)
    found = F.huber_loss(x, torch.tensor([1.0, 0.0]))
    assert found.dtype is torch.float64
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Double"):
        found.backward()


@pytest.mark.parametrize("p", [1, 2])
def test_an_infinite_weight_counts_only_where_a_class_lacks_something(p):
    x = tensor([2.0, 0.0, 1.8], [0.0, 0.5, 9.0], requires_grad=True)
    loss = F.multi_margin_loss(x, tensor(0, 2), p, 1.0, tensor(math.inf, 1.0, math.inf))
    assert loss.item() == math.inf
    loss.backward()
    assert x.grad.tolist() == [[-math.inf, 0.0, math.inf], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("shape", "target", "kind", "words"),
    [
        ((), torch.tensor(0.5), IndexError, "Dimension specified as 1 but tensor has no dimensions"),
        ((3,), torch.zeros(2, 3, dtype=torch.int64), RuntimeError, "0D or 1D target tensor expected"),
        ((3,), torch.zeros(2), RuntimeError, "expected target dtype to be Long or Byte, but got Float"),
        ((3,), torch.zeros(2, dtype=torch.int64), ValueError, "For 1D input, 1D target must have size 1"),
        ((2, 3, 4, 5), torch.zeros(2, 5, 4), RuntimeError, "expected target dtype to be Long or Byte, but got Float"),
    ],
)
def test_of_targets_that_are_wrong_in_two_ways_the_one_that_torch_meets_first_is_told(shape, target, kind, words):
    with pytest.raises(kind, match=words):
        F.cross_entropy(torch.zeros(shape), target)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (lambda x, y: F.mse_loss(x, y), [math.inf, 101376.0]),
        (lambda x, y: F.mse_loss(x, y, reduction="none"), [[math.inf, 0.25], [202752.0, 0.25]]),
        (lambda x, y: F.l1_loss(200 * x, 100 * y), [math.inf, 37376.0]),
        (lambda x, y: F.smooth_l1_loss(x, y, beta=1000.0), [math.inf, 50.5]),
        (lambda x, y: F.huber_loss(x, y, delta=1000.0), [math.inf, 50688.0]),
    ],
    ids=["mse", "squares", "l1", "smooth_l1", "huber"],
)
def test_in_half_precision_values_are_rounded_before_they_are_added(loss, expected):
    for dtype, each in zip((torch.float16, torch.bfloat16), expected, strict=True):
        found = loss(tensor(300.0, 1.0, dtype=dtype), tensor(-150.0, 0.5, dtype=dtype))
        assert found.dtype is dtype and found.tolist() == each


def test_divergences_from_a_number_have_the_dtype_of_what_has_dimensions():
    input = torch.zeros(1, 3, dtype=torch.bfloat16)
    assert F.kl_div(input, torch.tensor(0.5), reduction="batchmean").dtype == torch.bfloat16
    assert F.kl_div(torch.tensor(0.5), input.double(), reduction="sum").dtype == torch.float64


@pytest.mark.parametrize(("input", "target"), [((), (1, 3)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (0,))])
def test_soft_margins_have_the_size_of_the_input(input, target):
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        F.soft_margin_loss(torch.ones(input), torch.ones(target))
    assert F.soft_margin_loss(torch.ones(2, 3), torch.ones(3), reduction="none").shape == (2, 3)
