"""Layers with something random or normalized in them, and what they refuse."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


def test_dropout_draws_torchs_mask():
    torch.manual_seed(0)
    kept = np.array([0, 0, 1, 0, 1, 0, 1, 1], "float32")
    np.testing.assert_allclose(F.dropout(torch.ones(8), 0.3).numpy(), kept / 0.7, rtol=1e-6)
    torch.manual_seed(0)
    assert F.dropout(torch.ones(2, 4).T).tolist() == [[0, 0], [0, 0], [2, 2], [0, 2]]
    torch.manual_seed(0)
    assert F.dropout1d(torch.ones(3, 2)).tolist() == [[0, 0], [0, 0], [2, 2]]
    torch.manual_seed(0)
    found = F.alpha_dropout(torch.ones(3), 0.5, True).tolist()
    assert found == pytest.approx([-0.7791939, -0.7791939, 1.6655989])


def test_dropout_rests_in_evaluation():
    x = torch.ones(3)
    assert nn.Dropout().eval()(x) is x and F.dropout(x, 0.0) is x and F.alpha_dropout(x) is x
    assert F.dropout(x, 1.0).tolist() == [0, 0, 0] == F.alpha_dropout(x, 1.0, True).tolist()


def test_dropout_in_place():
    x = torch.ones(4, 5)
    assert F.dropout(x, 0.5, inplace=True) is x and set(x.reshape(-1).tolist()) <= {0.0, 2.0}
    assert F.dropout1d(x, 0.5, inplace=True).shape == (4, 5)


def test_gradient_goes_where_dropout_let_through():
    x = torch.ones(100, requires_grad=True)
    y = F.dropout(x, 0.3)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach()) and y.grad_fn.name() == "MulBackward0"


def test_whole_channels_are_dropped():
    found = F.dropout2d(torch.ones(8, 4, 3, 3)).reshape(8, 4, 9)
    assert torch.equal(found.amin(2), found.amax(2))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nn.Dropout(1.5), ValueError, "has to be between 0 and 1, but got 1.5"),
        (lambda: F.dropout(torch.ones(1), -1), ValueError, "has to be between 0 and 1, but got -1"),
        (
            lambda: F.dropout(torch.ones(3, dtype=torch.int64)),
            RuntimeError,
            "can't be cast to the desired output",
        ),
        (lambda: F.dropout1d(torch.ones(3)), RuntimeError, "dropout1d: Expected 2D or 3D input"),
        (
            lambda: F.feature_alpha_dropout(torch.ones(3), 0.5, True),
            RuntimeError,
            "requires at least 2 dimensions",
        ),
        (lambda: F.layer_norm(torch.ones(3, 4), (3,)), RuntimeError, r"Given normalized_shape=\[3\]"),
        (lambda: F.layer_norm(torch.ones(3, 4), ()), RuntimeError, "at least 1-dimensional"),
        (lambda: F.layer_norm(torch.ones(3, 4), 4), TypeError, "must be tuple of ints, not int"),
        (lambda: F.rms_norm(torch.ones(3, 4), 4), TypeError, "must be tuple of ints, not int"),
        (lambda: F.rms_norm(torch.ones(3, 4), [4.0]), TypeError, "found element of type float at pos 0"),
        (lambda: F.rms_norm(torch.ones(3, 4), [3, "a"]), TypeError, "failed to unpack the object at pos 2 with error"),
        (
            lambda: F.layer_norm(torch.ones(4), (4,), torch.ones(3)),
            RuntimeError,
            "Expected weight to be of same shape",
        ),
        (lambda: F.layer_norm(torch.ones(4), (4,), torch.ones(4).double()), RuntimeError, "mixed dtype"),
        (
            lambda: nn.Embedding(3, 2, padding_idx=3),
            AssertionError,
            "Padding_idx must be within num_embeddings",
        ),
        (
            lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)),
            AssertionError,
            "Shape of weight does not match",
        ),
        (lambda: nn.Embedding.from_pretrained(torch.ones(2)), AssertionError, "expected to be 2-dimensional"),
        (lambda: nn.Unflatten(1, 3), TypeError, "must be a tuple of ints, but found type int"),
        (lambda: nn.Unflatten(1, (2, "a")), TypeError, "found element of type str at pos 1"),
        (lambda: nn.Unflatten("a", (2, 2)), TypeError, "dim must be an int"),
        (lambda: nn.Hardtanh(1, 0), AssertionError, "must be greater than min_val"),
        (lambda: nn.Softmax2d()(torch.ones(2)), ValueError, "expected input to be 3D or 4D"),
        (lambda: nn.Bilinear(0, 1, 1), ValueError, "in1_features must be > 0"),
        (
            lambda: F.bilinear(*[torch.ones(2, 3)] * 2, torch.ones(1, 2, 3)),
            RuntimeError,
            "input1 size does not match",
        ),
        (
            lambda: F.bilinear(torch.ones(2, 3), torch.ones(1, 3), torch.ones(1, 3, 3)),
            RuntimeError,
            "batch dimensions do not match at dim 0",
        ),
        (
            lambda: F.bilinear(torch.ones(2, 3), torch.ones(3), torch.ones(1, 3, 3)),
            RuntimeError,
            "input dimensions do not match",
        ),
        (lambda: F.cosine_similarity(*[torch.ones(2, 3).long()] * 2), RuntimeError, "expected common dtype"),
    ],
)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("drop", [F.dropout2d, F.dropout3d])
def test_dropout_of_too_few_dimensions_warns(drop):
    with pytest.warns(UserWarning, match="which is deprecated"):
        drop(torch.ones(2, 3))


def test_dropout2d_of_three_dimensions_warns():
    with pytest.warns(UserWarning, match="channel-wise 1D dropout behavior"):
        F.dropout2d(torch.ones(2, 3, 4))


def test_older_names_of_hardtanhs_limits():
    with pytest.warns(FutureWarning, match="renamed to `min_val`"):
        assert nn.Hardtanh(min_value=-2).min_val == -2
    with pytest.warns(FutureWarning, match="renamed to `max_val`"):
        assert nn.Hardtanh(max_value=2).max_val == 2


def test_layer_norm_gives_mean_0_and_variance_1():
    x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 0.0, -1.0]])
    found = F.layer_norm(x, (3,))
    np.testing.assert_allclose(found.numpy(), [[-1.2247356, 0, 1.2247356], [1.2247356, 0, -1.2247356]], rtol=1e-6)
    found = F.rms_norm(x, (3,))
    np.testing.assert_allclose(found[0].numpy(), [0.46291006, 0.9258201, 1.3887302], rtol=1e-6)


def test_layer_norm_has_gradients_of_any_order():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(4, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda x, weight: F.layer_norm(x, (4,), weight, weight), (x, weight))
    torch.autograd.gradgradcheck(lambda x, weight: F.layer_norm(x, (4,), weight, weight), (x, weight))
    torch.autograd.gradgradcheck(lambda x, weight: F.rms_norm(x, (4,), weight), (x, weight))


def test_cross_entropy_has_gradients_of_any_order():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    target = torch.tensor([3, -100, 1])
    torch.autograd.gradgradcheck(lambda x: F.cross_entropy(x, target), (x,))
    torch.autograd.gradgradcheck(lambda x: F.cross_entropy(x, target, reduction="none"), (x,))


def test_embedding_from_vectors():
    table = nn.Embedding.from_pretrained(torch.eye(3))
    assert not table.weight.requires_grad and table(torch.tensor([2])).tolist() == [[0, 0, 1]]
    assert nn.Embedding.from_pretrained(torch.eye(3), freeze=False).weight.requires_grad


def test_embedding_is_printed_with_its_options():
    table = nn.Embedding(3, 4, padding_idx=-1, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True)
    assert repr(table) == (
        "Embedding(3, 4, padding_idx=2, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True)"
    )


def test_gumbel_softmax_draws_torchs_noise():
    torch.manual_seed(0)
    logits = torch.randn(3, 4, requires_grad=True)
    soft = F.gumbel_softmax(logits, 0.5)
    np.testing.assert_allclose(soft[0].tolist(), [0.91998, 0.0047787, 0.00024088, 0.075], rtol=2e-4)
    hard = F.gumbel_softmax(logits, hard=True)
    assert sorted(hard.reshape(-1).round().tolist()) == [0] * 9 + [1] * 3 and hard.requires_grad
    with pytest.warns(UserWarning, match="`eps` parameter is deprecated"):
        F.gumbel_softmax(logits, eps=1e-3)


OVERWRITING = [nn.Softsign, nn.Softplus, nn.Tanh, nn.Sigmoid, nn.GELU, nn.LogSigmoid]


@pytest.mark.parametrize("kind", OVERWRITING)
def test_activations_without_an_option_in_torch_may_write_over_their_input(kind):
    one, two = (torch.tensor([1.0, -2.0, 0.3], requires_grad=True) for _ in range(2))
    hidden = one * 1
    layer = kind(inplace=True)
    assert "inplace=True" in repr(layer) and "inplace" not in repr(kind())
    found, expected = layer(hidden), kind()(two * 1)
    assert found is hidden and hidden._version == 1
    assert found.tolist() == pytest.approx(expected.tolist())
    found.sum().backward()
    expected.sum().backward()
    assert one.grad.tolist() == pytest.approx(two.grad.tolist())
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        layer(one)


@pytest.mark.parametrize("kind", OVERWRITING)
def test_gradients_of_overwriting_activations_can_be_differentiated_again(kind):
    input = torch.tensor([0.3, -0.8], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: kind(inplace=True)(x * 1), (input,))
    assert torch.autograd.gradgradcheck(lambda x: kind(inplace=True)(x * 1), (input,))


@pytest.mark.parametrize("kind", OVERWRITING)
def test_the_option_may_be_switched_later(kind):
    layer, input = kind(), torch.ones(2)
    assert layer(input) is not input
    layer.inplace = True
    assert layer(input) is input and nn.Sequential(layer)(input) is input
    layer.inplace = False
    assert layer(input) is not input
