"""`torch._foreach_*`: an op on each tensor of a list."""

import pytest

import rushlight as torch


def pair(dtype=torch.float32):
    return [torch.tensor([1, 2], dtype=dtype), torch.tensor([3], dtype=dtype)]


def values(tensors):
    return [each.tolist() for each in tensors]


def test_a_function_of_each():
    assert values(torch._foreach_neg(pair())) == [[-1, -2], [-3]]
    assert isinstance(torch._foreach_neg(pair()), tuple)
    assert [each.dtype for each in torch._foreach_exp(pair(torch.int64))] == [torch.float32] * 2
    changed = pair()
    assert torch._foreach_sqrt_(changed[:1]) is not None
    assert values(changed)[1] == [3]
    assert torch._foreach_zero_(changed) == changed
    assert values(changed) == [[0, 0], [0]]


def test_what_may_stand_beside():
    assert values(torch._foreach_add(pair(), 1)) == [[2, 3], [4]]
    assert values(torch._foreach_add(pair(), [10.0, 20])) == [[11, 12], [23]]
    assert values(torch._foreach_add(pair(), other=pair(), alpha=3)) == [[4, 8], [12]]
    assert values(torch._foreach_add(pair(), torch.tensor(1.0), alpha=2)) == [[3, 4], [5]]
    assert values(torch._foreach_sub(pair(), torch.tensor(1.0))) == [[0, 1], [2]]
    assert values(torch._foreach_maximum(pair(), 2)) == [[2, 2], [3]]
    assert values(torch._foreach_minimum_(pair(), [torch.tensor([0.0, 5.0]), torch.tensor([9.0])])) == [[0, 2], [3]]
    assert values(torch._foreach_pow(2, pair())) == [[2, 4], [8]]
    assert values(torch._foreach_pow(pair(), exponent=2)) == [[1, 4], [9]]
    assert values(torch._foreach_addcmul(pair(), pair(), pair(), [1.0, 2.0])) == [[2, 6], [21]]
    assert values(torch._foreach_addcdiv_(pair(), pair(), pair(), torch.tensor([1.0, 2.0]))) == [[2, 3], [5]]
    assert values(torch._foreach_lerp(pair(), torch._foreach_add(pair(), 2), 0.5)) == [[2, 3], [4]]
    assert values(torch._foreach_mm([torch.ones(1, 2)], [torch.ones(2, 1)])) == [[[2]]]


def test_numbers_of_each():
    assert values(torch._foreach_norm(pair(), 1)) == [3, 3]
    assert torch._foreach_norm(pair(), 2, dtype=torch.float64)[0].dtype is torch.float64
    assert values(torch._foreach_powsum(pair(), 3)) == [9, 27]
    assert values(torch._foreach_max(pair())) == [2, 3]
    copied = pair()
    assert values(torch._foreach_copy_(copied, [torch.zeros(1), torch.ones(1)])) == [[0, 0], [1]]
    assert torch._foreach_clone(copied)[0] is not copied[0]


def test_gradients_go_through():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    (y,) = torch._foreach_mul([x], [x])
    y.sum().backward()
    assert x.grad.tolist() == [4, 6]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch._foreach_mul_([x], 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch._foreach_abs([]), "Tensor list must have at least one tensor."),
        (lambda: torch._foreach_add(pair(), pair()[:1]), "the same number of tensors, got 2 and 1"),
        (lambda: torch._foreach_add(pair(), [1.0]), "Tensor list must have same number of elements as scalar list."),
        (lambda: torch._foreach_mul(pair(), torch.ones(1)), "scalar tensor expected to be 0 dim but it has 1 dim"),
        (lambda: torch._foreach_addcdiv(pair(), pair(), pair(), torch.ones(3)), "to match input of length 2 but got 3"),
        (lambda: torch._foreach_addcdiv(pair(), pair(), pair(), torch.ones(2, 1)), "to be of dimension 1. Got 2"),
        (lambda: torch._foreach_max([torch.ones(0)]), "_foreach_max cannot compute the maximum of an empty tensor"),
        (lambda: torch._foreach_sqrt_([torch.ones(2, dtype=torch.int64)]), "result type Float can't be cast to"),
    ],
)
def test_lists_that_do_not_fit(call, words):
    with pytest.raises(RuntimeError) as told:
        call()
    assert words in str(told.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch._foreach_add(torch.ones(2), 1),
        lambda: torch._foreach_add(pair()),
        lambda: torch._foreach_add(pair(), "x"),
        lambda: torch._foreach_add(pair(), 1, alpha=3),
        lambda: torch._foreach_addcmul(pair(), pair(), pair(), 1, alpha=3),
    ],
)
def test_arguments_that_do_not_fit(call):
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        call()


def test_an_element_that_is_no_tensor():
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 0, but got int"):
        torch._foreach_abs([torch.ones(2), 1])
