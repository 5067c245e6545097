"""Histograms at their corners: whole numbers, equal bounds, infinities, and numbers of bins that are none."""

import pytest

import rushlight as torch

inf, nan = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([1.0, 1.0], {}, [0, 0, 2, 0]),
        ([1.0, 1.0], {"min": 1, "max": 1}, [0, 0, 2, 0]),
        ([1.0, inf], {"min": 0, "max": 2}, [0, 0, 1, 0]),
        ([1.0, -inf, inf], {"min": -2, "max": 2}, [0, 0, 0, 1]),
        ([1.0, nan], {"min": 0, "max": 2}, [0, 0, 1, 0]),
        ([], {}, [0, 0, 0, 0]),
        ([0.0, 2.0], {"min": 0, "max": 2}, [1, 0, 0, 1]),
    ],
)
def test_counts_at_the_corners(values, options, expected):
    assert torch.histc(torch.tensor(values), 4, **options).tolist() == expected


@pytest.mark.parametrize(
    ("values", "options", "kind", "words"),
    [
        ([1, 2, 2], {}, NotImplementedError, "\"histogram_cpu\" not implemented for 'Long'"),
        ([1.0, 2.0], {"min": 3, "max": 1}, RuntimeError, "torch.histc: max must be larger than min"),
        ([1.0, inf], {}, RuntimeError, "torch.histc: range of \\[1.*, inf\\] is not finite"),
        ([1.0], {"bins": 0}, RuntimeError, "bins must be > 0, but got 0"),
        ([1.0], {"bins": -1}, RuntimeError, "bins must be > 0, but got -1"),
    ],
)
def test_counts_that_are_refused(values, options, kind, words):
    with pytest.raises(kind, match=words):
        torch.histc(torch.tensor(values), **options)


@pytest.mark.parametrize(
    ("shape", "bins", "options", "words"),
    [
        ((4, 2), [3], {}, "histogramdd: The size of bins must be equal to the innermost dimension of the input"),
        ((), [3], {}, "torch.histogramdd: input tensor should have at least 2 dimensions"),
        ((4, 2), [3, 3], {"range": [0.0, 1.0]}, "torch.histogramdd: for a 2-dimensional histogram range should have 4"),
        (
            (4, 2),
            [3, 3],
            {"range": [1.0, 0.0, 0.0, 1.0]},
            "torch.histogramdd: min should not exceed max, but got min 1",
        ),
        ((4, 2), [0, 2], {}, r"torch.histogram\(\): bins must be > 0, but got 0 for dimension 0"),
        ((4, 2), [3, 3], {"weight": torch.ones(3)}, "torch.histogramdd: if weight tensor is provided it should have"),
    ],
)
def test_bins_in_several_dimensions_that_are_refused(shape, bins, options, words):
    with pytest.raises(RuntimeError, match=words):
        torch.histogramdd(torch.ones(shape), bins, **options)


def test_a_histogram_between_edges_with_history_has_it_but_no_derivative():
    edges = [torch.tensor([0.0, 0.5, 1.0], requires_grad=True), torch.tensor([0.0, 1.0])]
    hist, given = torch.histogramdd(torch.tensor([[0.25, 0.5], [0.75, 0.5]]), edges)
    assert given[0] is edges[0] and given[1] is edges[1]
    assert hist.tolist() == [[1.0], [1.0]]
    with pytest.raises(RuntimeError, match="derivative for aten::_histogramdd_from_bin_tensors is not implemented"):
        hist.sum().backward()


def test_a_histogram_has_a_hundred_bins_unless_told_otherwise():
    x = torch.arange(5.0)
    hist, edges = torch.histogram(x)
    assert hist.shape == (100,) and edges.shape == (101,) and hist.sum() == 5
    assert x.histogram().hist.shape == (100,)


@pytest.mark.parametrize("bins", [torch.tensor([0.0, 1.0], dtype=torch.float64), torch.tensor([[0.0, 1.0]])])
def test_edges_that_do_not_fit_are_refused_as_edges(bins):
    with pytest.raises(RuntimeError, match=r"torch\.histogram(dd)?"):
        torch.histogram(torch.ones(3), bins)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("bins", [1, 7, 100, 5000])
def test_elements_on_the_edges_fall_into_the_bin_above(bins, dtype):
    torch.manual_seed(bins)
    _, edges = torch.histogram(torch.tensor([-1.3, 2.7], dtype=dtype), bins)
    below, above = (torch.nextafter(edges, edges.new_full((), to)) for to in (-inf, inf))
    values = torch.cat([torch.rand(1000, dtype=dtype) * 5 - 2, edges, below, above, torch.tensor([nan], dtype=dtype)])
    found = torch.histogram(values, bins, range=(-1.3, 2.7))
    # bins that are given are searched for
    assert found.hist.equal(torch.histogram(values, found.bin_edges).hist)
    weights = torch.rand(values.shape, dtype=dtype)
    weighted = torch.histogram(values, bins, range=(-1.3, 2.7), weight=weights).hist
    assert torch.allclose(weighted, torch.histogram(values, found.bin_edges, weight=weights).hist)
