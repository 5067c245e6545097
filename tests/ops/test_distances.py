"""Distances between points: every norm against its definition, pairs in order, batches, and what is refused."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F


def apart(x, y, p):
    difference = (x.unsqueeze(-2) - y.unsqueeze(-3)).double().abs()
    return difference.amax(-1) if p == torch.inf else (difference**p).sum(-1) ** (1 / p)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("p", [0.5, 1, 1.0, 2, 2.0, 3, torch.inf])
@pytest.mark.parametrize("shape", [(2, 1), (7, 3), (24, 6), (30, 5), (60, 1100)])
def test_pairs_stand_in_the_order_of_a_triangle(shape, p, dtype):
    torch.manual_seed(0)
    x = torch.randn(*shape, dtype=dtype)
    first, second = torch.triu_indices(shape[0], shape[0], 1)
    expected = apart(x, x, p)[first, second]
    assert torch.allclose(F.pdist(x, p).double(), expected, rtol=1e-4 if p == 0.5 else 2e-5)
    assert torch.allclose(F.pdist(x.T.contiguous().T, p).double(), expected, rtol=1e-4)


@pytest.mark.parametrize("p", [1.0, 2.0])
@pytest.mark.parametrize("shapes", [((3, 4), (5, 4)), ((2, 3, 4), (2, 5, 4)), ((2, 3, 4), (5, 4)), ((1, 4), (1500, 4))])
def test_points_of_two_sets(shapes, p):
    torch.manual_seed(0)
    x, y = (torch.randn(*shape, requires_grad=True) for shape in shapes)
    found = torch.cdist(x, y, p)
    assert torch.allclose(found.double(), apart(x, y, p), atol=1e-4)
    assert found.is_contiguous()
    pull = torch.rand_like(found)
    for ours, theirs in zip(
        torch.autograd.grad(found, (x, y), pull),
        torch.autograd.grad(apart(x, y, p), (x, y), pull.double()),
        strict=True,
    ):
        assert torch.allclose(ours, theirs, atol=1e-4)


def test_the_node_of_distances_tells_how_they_were_found():
    few, many = torch.randn(3, 4, requires_grad=True), torch.randn(30, 4, requires_grad=True)
    assert torch.cdist(few, few).grad_fn.name() == "CdistBackward0"
    assert torch.cdist(many, few).grad_fn.name() == "ViewBackward0"
    assert torch.cdist(many, few, 1.0).grad_fn.name() == "CdistBackward0"
    assert torch.cdist(few, few).grad_fn.name() == "CdistBackward0"


def test_what_is_no_number_stays_so():
    x = torch.tensor([[0.0, torch.nan], [1.0, 2.0], [torch.inf, 0.0]])
    assert F.pdist(x).isnan().tolist() == [True, True, False]
    assert F.pdist(x, 1)[2] == torch.inf


def test_refusals():
    with pytest.raises(RuntimeError, match="same number of columns"):
        torch.cdist(torch.ones(2, 3), torch.ones(2, 4))
    with pytest.raises(RuntimeError, match="pdist only supports 2D tensors"):
        F.pdist(torch.ones(3))
    with pytest.raises(RuntimeError, match="non-negative p"):
        F.pdist(torch.ones(3, 2), -1.0)
