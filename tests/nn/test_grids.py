"""Grids of affine maps that are refused, and sizes at their limits."""

import pytest

import rushlight as torch
from rushlight.nn import functional as F


@pytest.mark.parametrize(
    ("shape", "size", "kind", "words"),
    [
        ((1, 2, 3), (1, 1, 2), NotImplementedError, "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine"),
        ((1, 2, 3), (1, 1, 2, 1, 1, 2), NotImplementedError, "affine_grid only supports 4D and 5D sizes"),
        ((1, 2, 3), (1, 1, 0, 2), ValueError, r"Expected non-zero, positive output size. Got \(1, 1, 0, 2\)"),
        ((1, 2, 3), [1, 1, -2, 2], ValueError, r"Expected non-zero, positive output size. Got \[1, 1, -2, 2\]"),
        ((1, 2, 2), (1, 1, 2, 2), ValueError, "Expected a batch of 2D affine matrices of shape Nx2x3 for size"),
        ((2, 3), (1, 1, 2, 2), ValueError, "Expected a batch of 2D affine matrices of shape Nx2x3 for size"),
        ((1, 2, 3), (1, 1, 2, 2, 2), ValueError, "Expected a batch of 3D affine matrices of shape Nx3x4 for size"),
    ],
)
def test_grids_that_are_refused(shape, size, kind, words):
    with pytest.raises(kind, match=words):
        F.affine_grid(torch.ones(shape), size, align_corners=False)


def test_grids_are_made_of_floats():
    with pytest.raises(ValueError, match=r"Expected theta to have floating point type, but got torch.int64"):
        F.affine_grid(torch.ones(1, 2, 3, dtype=torch.int64), (1, 1, 2, 2), align_corners=False)


def test_corners_that_are_not_said_are_warned_of():
    with pytest.warns(UserWarning, match="Default grid_sample and affine_grid behavior has changed to align_corners"):
        grid = F.affine_grid(torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 2, 2))
    assert grid[0, 0].tolist() == [[-0.5, -0.5], [0.5, -0.5]]


def test_an_identity_reaches_the_corners():
    grid = F.affine_grid(torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 2, 2), align_corners=True)
    assert grid[0, 1].tolist() == [[-1.0, 1.0], [1.0, 1.0]]


def test_places_are_those_of_torch_to_the_last_bit():
    """One rounded factor, 5/6, would be an ulp beside a product and a quotient."""
    grid = F.affine_grid(torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 1, 6), align_corners=False)
    right = [0.1666666567325592, 0.5, 0.8333333134651184]
    assert grid[0, 0, :, 0].tolist() == [*(-place for place in reversed(right)), *right]
