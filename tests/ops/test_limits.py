"""Sizes, bounds and options at their limits: what is taken and what is refused."""

import pytest

import rushlight as torch


def test_two_numbers_are_divided_and_not_raised_to_a_power():
    assert torch.floor_divide(7, -2).item() == -4 and torch.floor_divide(7, -2).dtype is torch.int64
    assert torch.floor_divide(7.5, 2).item() == 3.0
    with pytest.raises(NotImplementedError, match="\"div_floor_cpu\" not implemented for 'Bool'"):
        torch.floor_divide(True, True)
    with pytest.raises(TypeError, match=r"^pow\(\) received an invalid combination of arguments"):
        torch.pow(1, 2)


@pytest.mark.parametrize("shape", [(0,), (0, 0, 0), (9, 0)])
def test_an_index_without_elements_scatters_nothing_whatever_its_dimensions(shape):
    x, index = torch.arange(6.0).view(2, 3), torch.empty(shape, dtype=torch.int64)
    assert torch.equal(x.scatter(0, index, x), x) and torch.equal(x.scatter(0, index, 2.0), x)
    assert torch.equal(x.scatter_add(0, index, x), x) and torch.equal(x.scatter_reduce(0, index, x, "sum"), x)
    assert x.gather(0, index).shape == shape


@pytest.mark.parametrize(
    ("shapes", "kind", "words"),
    [
        (((-1,),), ValueError, "Attempting to broadcast a dimension with negative length!"),
        (((1,), (-2,)), ValueError, "Attempting to broadcast a dimension with negative length!"),
        (((2,), -1), RuntimeError, "Attempting to broadcast a dimension of length -1 at -1!"),
        (((2, 3), (4,)), RuntimeError, "Attempting to broadcast a dimension of length 4 at -1!"),
    ],
)
def test_shapes_that_do_not_broadcast(shapes, kind, words):
    with pytest.raises(kind) as raised:
        torch.broadcast_shapes(*shapes)
    assert str(raised.value).startswith(words)


def test_shapes_that_broadcast():
    assert torch.broadcast_shapes((5, 1, 4), (3, 4), 1) == (5, 3, 4)
    assert torch.broadcast_shapes((0,), (1,)) == (0,) and torch.broadcast_shapes() == ()


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: torch.ones(2).resize_(-1), RuntimeError, "numel: integer multiplication overflow"),
        (lambda: torch.ones(2).resize_(2**62), RuntimeError, "Storage size calculation overflowed"),
        (lambda: torch.zeros(-1), RuntimeError, "zeros: Dimension size must be non-negative"),
        (lambda: torch.ones(2, -1), RuntimeError, "Trying to create tensor with negative dimension -1: [2, -1]"),
        (lambda: torch.rand(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        (lambda: torch.empty(2**63), TypeError, "empty(): argument 'size' failed to unpack the object at pos 1"),
        (lambda: torch.ones([1] * 65).sum(0), RuntimeError, "only tensors with up to 64 dims are supported"),
        (lambda: torch.arange(0, 2**63), RuntimeError, "value cannot be converted to type int64_t without overflow"),
        (
            lambda: torch.trapezoid(torch.ones(2), torch.ones(2), dx=1.0),
            TypeError,
            "trapezoid() received an invalid combination of arguments",
        ),
        (
            lambda: torch.histogramdd(torch.ones(4, 2), [torch.ones(2)]),
            RuntimeError,
            "torch.histogramdd: expected 2 sequences of bin edges for a 2-dimensional histogram but got 1",
        ),
        (
            lambda: torch.histogramdd(torch.ones(4, 2), [torch.ones(1), torch.ones(2)]),
            RuntimeError,
            "torch.histogram(): bins must be > 0, but got 0 for dimension 0",
        ),
        (
            lambda: torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), 4, mode="lanczos", align_corners=True),
            ValueError,
            "Lanczos mode does not support align_corners=True",
        ),
        (
            lambda: torch.batch_norm_update_stats(torch.empty(0, 2), None, None, 0.1),
            RuntimeError,
            "input tensor must have at least one element, but got input_sizes = [0, 2]",
        ),
    ],
)
def test_sizes_and_bounds_that_are_refused(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_options_that_are_taken():
    image = torch.arange(4.0).view(1, 1, 2, 2)
    small = torch.nn.functional.interpolate(image, 1, mode="lanczos", antialias=True, align_corners=False)
    assert small.item() == pytest.approx(1.5)
    assert torch.trapezoid(torch.tensor([1, 2]), dx=2.5).item() == 3.75
    assert torch.trapezoid(torch.tensor([3.0])).item() == 0 and torch.cumulative_trapezoid(torch.ones(1)).shape == (0,)
