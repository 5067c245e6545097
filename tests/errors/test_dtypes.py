"""Dtypes that do not go together: who has which, where each was made, and how to convert."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from tests.errors.explains import explains

NUMPY = "float64 usually comes from a NumPy array or scalar"


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        ((2, 3), (3, 2), "expected m1 and m2 to have the same dtype, but got: float != double"),
        ((2, 3), (3,), "addmv input tensors must have the same dtype, but got Double, Float, and Double"),
        ((3,), (3,), "dot : expected both vectors to have same dtype, but found Float and Double"),
        ((2, 2, 3), (2, 3, 2), "expected scalar type Float but found Double"),
    ],
)
def test_products(one, two, words):
    first = torch.ones(one)
    second = torch.from_numpy(np.ones(two))
    lines = "first = torch.ones(one)", "second = torch.from_numpy(np.ones(two))"
    with explains(RuntimeError, words, *lines, fix=NUMPY):
        first @ second


def test_a_layer():
    layer = nn.Linear(4, 2)
    x = torch.tensor(np.ones((5, 4)) / np.log(2))
    lines = "layer = nn.Linear(4, 2)", "x = torch.tensor(np.ones((5, 4)) / np.log(2))"
    with explains(RuntimeError, "mat1 and mat2 must have the same dtype, but got Double and Float", *lines, fix=NUMPY):
        layer(x)
    words = "mat1 and mat2 must have the same dtype, but got Long and Float"
    with explains(RuntimeError, words, fix="convert the whole numbers with .float()"):
        layer(torch.ones(5, 4, dtype=torch.int64))
    with explains(RuntimeError, "mat1 and mat2 must have the same dtype", fix="b.to(a.dtype)"):
        layer(torch.ones(5, 4, dtype=torch.float16))


def test_targets():
    scores = torch.ones(5, 3)
    target = torch.ones(5, dtype=torch.int32)
    lines = "scores = torch.ones(5, 3)", "target = torch.ones(5, dtype=torch.int32)"
    with explains(RuntimeError, "expected target dtype to be Long or Byte, but got Int", *lines, fix="target.long()"):
        F.cross_entropy(scores, target)


def test_positions_that_are_no_integers():
    x = torch.ones(3, 4)
    index = torch.zeros(3, 1)
    lines = "x = torch.ones(3, 4)", "index = torch.zeros(3, 1)"
    with pytest.raises(IndexError, match=r"tensors used as indices must be long, .* use|\.long\(\)"):
        x[index]
    with explains(RuntimeError, "gather(): Expected dtype int32/int64 for index", *lines):
        x.gather(1, index)
    words = "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int"
    with explains(RuntimeError, words, *lines, fix="convert them with .long()"):
        F.embedding(index, x)


def test_operations_that_need_floats():
    whole = torch.ones(3, dtype=torch.int64)
    with explains(RuntimeError, "mean(): could not infer output dtype.", "whole = torch.ones(3, dtype=torch.int64)"):
        whole.mean()
    with explains(NotImplementedError, '"', "whole = torch.ones(3, dtype=torch.int64)"):
        whole.softmax(0)


def test_gradients_of_integers():
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients"):
        torch.ones(3, dtype=torch.int64, requires_grad=True)
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        torch.ones(3, dtype=torch.int64).requires_grad_()


def test_half_precision_is_refused_under_its_own_name():
    with pytest.raises(NotImplementedError, match="\"bitwise_xor_cpu\" not implemented for 'Half'"):
        torch.tensor(1.0, dtype=torch.float16) ^ -1
    with pytest.raises(NotImplementedError, match="\"bitwise_and_cpu\" not implemented for 'BFloat16'"):
        torch.bitwise_and(torch.tensor([True]), torch.tensor([1.0], dtype=torch.bfloat16))


def test_shapes_that_do_not_fit_are_told_before_dtypes_and_zeros():
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(2\) must match the size of tensor b \(4\)"):
        torch.fmod(torch.tensor([False, False]), torch.zeros(0, 4, dtype=torch.bool))
    with pytest.raises(RuntimeError, match=r"^The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        torch.tensor([1, 2, 3]).remainder(torch.zeros(2, dtype=torch.int64))


def test_complex_numbers_are_refused_by_the_name_of_the_comparison():
    number = torch.ones(2, dtype=torch.complex64)
    for name in ("lt", "le", "gt", "ge", "xlogy"):
        with pytest.raises(NotImplementedError, match=f"\"{name}_cpu\" not implemented for 'ComplexFloat'"):
            getattr(torch, name)(number, number)
    with pytest.raises(NotImplementedError, match="\"round_vml_cpu\" not implemented for 'ComplexFloat'"):
        number.round()
