"""Loops that take every dtype and layout: conversion, and values brought together at an index's positions."""

import itertools

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.ops.machine.writing import FOLDS
from tests.native.declared import kernel_named

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer")

KINDS = [torch.float32, torch.float64, torch.int64, torch.bool, torch.float16, torch.bfloat16]
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "sliced": lambda x: x[:, ::2],
    "permuted": lambda x: x.permute(2, 0, 1),
    "narrow": lambda x: x[:, :, :1],
    "expanded": lambda x: x[:1].expand(x.shape),
}


def numbers(kind, *shape):
    return torch.from_numpy(np.asarray(np.random.default_rng(0).standard_normal(shape) * 3)).to(kind)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_conversion_is_the_same_in_every_layout(layout):
    for before, after in itertools.product(KINDS, KINDS):
        x = LAYOUTS[layout](numbers(before, 37, 41, 5))
        expected = x.clone(memory_format=torch.contiguous_format).to(after)
        assert torch.equal(x.to(after), expected)
        turned = torch.zeros(x.shape[::-1], dtype=after).permute(2, 1, 0)
        assert torch.equal(turned.copy_(x), expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_comparison_in_place_gives_zeros_and_ones(kind):
    x, y = numbers(kind, 40, 30), numbers(kind, 30, 40).t()
    expected = (x < y).to(kind)
    assert torch.equal(x.lt_(y), expected)


@pytest.mark.parametrize("fold", FOLDS, ids=lambda fold: fold.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_values_meet_at_positions_as_in_numpy(kind, fold):
    target, values = numbers(kind, 7, 6)._array, numbers(kind, 6, 9)._array.T
    index = np.random.default_rng(1).integers(0, 7, (9, 6))
    expected = target.copy()
    fold.at(expected, (index, np.arange(6)), values)
    assert extension.fold_at(target, 0, index, values, FOLDS[fold])
    np.testing.assert_array_equal(target, expected)


def test_whole_rows_meet_at_positions():
    for kind in KINDS:
        target, values = numbers(kind, 4, 600)._array, numbers(kind, 5, 600)._array
        index, expected = np.array([1, 3, 1, 1, 0]), target.copy()
        np.add.at(expected, index, values)
        assert extension.fold_at(target, 0, np.broadcast_to(index[:, None], values.shape), values, 0)
        np.testing.assert_array_equal(target, expected)


def test_positions_that_are_not_there_are_left_to_numpy():
    target, values = np.zeros(3), np.ones(2)
    for index in ([0, 3], [-1, 0]):
        assert not extension.fold_at(target, 0, np.array(index), values, 0)
    assert not extension.fold_at(target, 0, np.array([0, 1]), values.astype("float32"), 0)
    assert not target.any()


def test_numbers_meet_half_precision_as_they_do_in_python():
    x, y = numbers(torch.float16, 3000), numbers(torch.float16, 3000).flip(0)
    wide = x.float() + torch.tensor(0.1).half().float() * y.float()
    assert torch.equal(x.add(y, alpha=0.1), wide.half())
    # a weight is not rounded
    assert torch.equal(x.lerp(y, 0.1), x.float().lerp(y.float(), 0.1).half())


HALVES = [torch.float16, torch.bfloat16]
REDUCTIONS = ["sum", "mean", "prod", "amax", "amin", "max", "min"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("kind", HALVES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_half_precision_is_reduced_as_float32_and_rounded_once(name, kind, layout):
    input = LAYOUTS[layout](numbers(kind, 6, 5, 4))
    wide = LAYOUTS[layout](numbers(kind, 6, 5, 4).float())
    for options in ({}, {"dim": 1, "keepdim": True}):
        found, expected = getattr(input, name)(**options), getattr(wide, name)(**options)
        found, expected = (each[0] if isinstance(each, tuple) else each for each in (found, expected))
        assert found.dtype == kind
        assert torch.equal(found, expected.to(kind))


@pytest.mark.parametrize("name", ["sum", "mean", "_max_all", "amin"])
@pytest.mark.parametrize("kind", HALVES, ids=str)
def test_a_kernel_reduces_half_precision_itself(name, kind):
    before = kernel_named(name).forward.accepted
    getattr(numbers(kind, 30, 20), name.strip("_").removesuffix("_all"))()
    assert kernel_named(name).forward.accepted == before + 1


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("kind", HALVES, ids=str)
def test_the_gradient_of_a_reduction_is_spread_in_half_precision(name, kind):
    for dim in (None, 0, (0, 2)):
        input = numbers(kind, 3, 5, 4).requires_grad_()
        result = getattr(input, name)(dim)
        result.backward(numbers(kind, *result.shape))
        count = input.numel() // result.numel() if name == "mean" else 1
        spread = (numbers(kind, *result.shape).float() / count).to(kind)
        for each in () if dim is None else (dim,) if isinstance(dim, int) else dim:
            spread = spread.unsqueeze(each)
        assert torch.equal(input.grad, spread.expand(input.shape))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "sliced", "permuted", "narrow"])
def test_a_comparison_in_place_is_one_in_the_dtype_of_what_it_writes_to(kind, layout):
    for name in ("eq", "lt", "ge"):
        input, other = (LAYOUTS[layout](numbers(kind, 60, 50, 4)) for _ in range(2))
        other[0] = 1
        expected = getattr(input, name)(other).to(kind)
        assert torch.equal(getattr(input, name + "_")(other), expected)
