"""Linear maps of numbers, vectors and stacks: torch's nodes and refusals, by the ranks of input and weight."""

import pytest

import rushlight as torch
import rushlight.nn.functional as F

SHAPES = [(), (3,), (2, 3), (4, 2, 3)]


@pytest.mark.parametrize(
    ("ranks", "plain", "biased"),
    [
        ((1, 1), "DotBackward0", "AddBackward0"),
        ((1, 2), "SqueezeBackward4", "ViewBackward0"),
        ((2, 1), "MvBackward0", None),
        ((2, 2), "MmBackward0", "AddmmBackward0"),
        ((3, 1), "UnsafeViewBackward0", "AddBackward0"),
        ((3, 2), "UnsafeViewBackward0", "ViewBackward0"),
    ],
)
def test_the_last_node_is_named_after_the_product(ranks, plain, biased):
    input, weight = [torch.ones(SHAPES[rank]).requires_grad_() for rank in ranks]
    bias = torch.ones(2 if ranks[1] == 2 else ())
    assert F.linear(input, weight).grad_fn.name() == plain
    if biased is None:
        with pytest.raises(RuntimeError, match="mat2 must be a matrix, got 1-D tensor"):
            F.linear(input, weight, bias)
    else:
        assert F.linear(input, weight, bias).grad_fn.name() == biased


@pytest.mark.parametrize("ranks", [(0, 0), (0, 2), (1, 0), (3, 0)])
def test_numbers_are_no_features(ranks):
    words = f"both arguments to linear need to be at least 1D, but they are {ranks[0]}D and {ranks[1]}D"
    with pytest.raises(RuntimeError, match=words):
        F.linear(*[torch.ones(SHAPES[rank]) for rank in ranks])


def test_a_weight_is_a_matrix():
    with pytest.raises(RuntimeError, match=r"t\(\) expects a tensor with <= 2 dimensions, but self is 3D"):
        F.linear(torch.ones(2, 3), torch.ones(4, 2, 3))


@pytest.mark.parametrize(
    ("input", "weight", "words"),
    [
        ((), (2,), "both arguments to linear need to be at least 1D, but they are 0D and 1D"),
        ((2,), (3,), "dot : expected both vectors to have same dtype, but found Float and Double"),
        ((2,), (4, 3), r"mat1 and mat2 shapes cannot be multiplied \(1x2 and 3x4\)"),
        ((2,), (4, 2), "expected m1 and m2 to have the same dtype, but got: float != double"),
        ((3, 2), (2,), "addmv input tensors must have the same dtype, but got Double, Float, and Double"),
        ((2, 3, 2), (3,), r"size mismatch, got input \(6\), mat \(6x2\), vec \(3\)"),
    ],
)
def test_shapes_are_looked_at_before_dtypes(input, weight, words):
    with pytest.raises(RuntimeError, match=words):
        F.linear(torch.ones(input), torch.ones(weight, dtype=torch.float64))


def test_a_bias_is_held_against_the_weight_first():
    weight = torch.ones(4, 2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="self and mat2 must have the same dtype, but got Float and Double"):
        F.linear(torch.ones(3, 2), weight, torch.ones(4))
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype, but got Float and Double"):
        F.linear(torch.ones(3, 2), weight, torch.ones(4, dtype=torch.float64))
