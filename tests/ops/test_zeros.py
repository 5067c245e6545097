"""The sign of a zero: bounds keep that of their first operand, as PyTorch does where it is not left to chance."""

import pytest

import rushlight as torch

F = torch.nn.functional


def signs(tensor):
    return sorted(set(torch.signbit(tensor).tolist()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("size", [1, 3, 19])
def test_what_is_bounded_keeps_the_sign_of_its_zeros(size, dtype):
    zero = torch.zeros(size, dtype=dtype)
    assert signs(torch.relu(-zero)) == [True] and signs((-zero).relu_()) == [True]
    assert signs(F.relu6(-zero)) == [True] and signs(F.hardtanh(zero, -1.0, -0.0)) == [False]
    assert signs(torch.clamp_min(-zero, 0)) == [True] and signs(torch.clamp_min(zero, -0.0)) == [False]
    assert signs(torch.clamp_max(zero, -0.0)) == [False] and signs(torch.clamp_max(-zero, 0)) == [True]
    assert signs(torch.clamp(-zero, 0, 1)) == [True] and signs(torch.clamp(zero, -1, -0.0)) == [False]


@pytest.mark.parametrize("choice", ["maximum", "minimum", "fmax", "fmin"])
def test_of_two_zeros_the_first_is_chosen(choice):
    zero = torch.zeros(3)
    choose = getattr(torch, choice)
    assert signs(choose(-zero, zero)) == [True] and signs(choose(zero, -zero)) == [False]
    out = torch.ones(3)
    assert signs(choose(-zero, zero, out=out)) == [True] and signs(out) == [True]


def test_nan_stays_beside_zeros():
    x = torch.tensor([float("nan"), -0.0, -1.0, 2.0])
    assert torch.relu(x).tolist()[1:] == [0.0, 0.0, 2.0] and torch.relu(x)[0].isnan()
    assert torch.maximum(x, torch.zeros(4))[0].isnan() and torch.maximum(torch.zeros(4), x)[0].isnan()


@pytest.mark.parametrize("weight", [3.0, 0.7, -2.0])
def test_beyond_the_middle_between_equal_complex_numbers_their_zeros_keep_their_signs(weight):
    x = torch.tensor([complex(1, -0.0), complex(1, 0.0)])
    assert torch.lerp(x, x, weight).imag.signbit().tolist() == [True, False]
    assert torch.lerp(x, x, torch.tensor(weight, dtype=x.dtype)).imag.signbit().tolist() == [True, False]
