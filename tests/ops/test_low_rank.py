"""Decompositions of low rank, which draw torch's random numbers."""

import pytest

import rushlight as torch


def matrix():
    torch.manual_seed(3)
    return torch.randn(8, 6)


def test_the_numbers_drawn_are_torchs():
    x = matrix()
    left, values, right = torch.svd_lowrank(x, 2, niter=0)
    assert values.tolist() == pytest.approx([3.700693, 2.287907], rel=1e-5)
    assert left.shape == (8, 2) and right.shape == (6, 2)
    assert torch.rand(1).item() == pytest.approx(0.27318996)
    _, values, _ = torch.svd_lowrank(x, 2, niter=1, M=torch.full((8, 6), 0.1))
    assert values.tolist() == pytest.approx([3.675017, 3.124567], rel=1e-5)
    assert torch.rand(1).item() == pytest.approx(0.7759304)


def test_components_are_those_of_the_centred_matrix():
    torch.manual_seed(3)
    x = torch.arange(20.0).view(5, 4).sin()
    _, values, _ = torch.svd_lowrank(x, 2)
    assert values.tolist() == pytest.approx([2.2182956, 2.1313899], rel=1e-5)
    assert torch.rand(1).item() == pytest.approx(0.17560524)
    _, values, _ = torch.pca_lowrank(x, 2)
    assert values.tolist() == pytest.approx([2.2106886, 2.0979767], rel=1e-5)
    assert torch.rand(1).item() == pytest.approx(0.05155188)


def test_ranks_and_steps_that_are_refused():
    x = torch.ones(5, 4)
    for rank in (10, -1):
        with pytest.raises(ValueError, match=rf"q\(={rank}\) must be non-negative integer and not greater than"):
            torch.pca_lowrank(x, rank)
    with pytest.raises(ValueError, match=r"niter\(=-1\) must be non-negative integer"):
        torch.pca_lowrank(x, niter=-1)
