"""What the tests of pointwise ops share: a gradient at some points, values compared."""

import math

import pytest

import rushlight as torch

inf, nan = math.inf, math.nan


def gradient(function, *values):
    """The gradient of the sum of a function at some points, in float64."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


def same(found, expected):
    return found == pytest.approx(expected, nan_ok=True)


def values(tensor, expected):
    return same(tensor.tolist(), expected)
