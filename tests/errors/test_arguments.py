"""Arguments of a wrong kind: a TypeError that names the function and the argument."""

import pytest

import rushlight as torch
from rushlight import nn
from tests.errors.explains import explains


def test_a_list_for_a_tensor():
    x = torch.ones(3)
    with explains(TypeError, "add(): argument 'other' (position 1) must be Tensor, not list"):
        x.add([1, 2, 3])
    with explains(TypeError, "mul(): argument 'other' (position 2) must be Tensor, not NoneType"):
        torch.mul(x, None)
    with explains(TypeError, "exp(): argument 'input' (position 1) must be Tensor, not float"):
        torch.exp(1.0)
    with explains(TypeError, "flatten(): argument 'input' (position 1) must be Tensor, not int"):
        torch.flatten(5)
    with explains(TypeError, "unsupported operand type(s) for +: 'Tensor' and 'list'"):
        x + [1, 2, 3]  # noqa: RUF005  (what is tested)


def test_options_of_a_wrong_kind():
    x = torch.ones(3)
    with explains(TypeError, "sum() received an invalid combination of arguments - got (input=Tensor, dim=str"):
        x.sum("rows")
    with explains(TypeError, "sum() got an unexpected keyword argument 'dims'"):
        x.sum(dims=0)
    with explains(TypeError, 'matmul() missing 1 required positional arguments: "other"'):
        torch.matmul(x)


def test_a_dtype_in_the_place_of_a_tensor_is_named():
    # composed functions look at a tensor's shape first, and a dtype has words of its own for what it lacks
    for call in (torch.pca_lowrank, torch.lobpcg, lambda dtype: torch.split(dtype, 1)):
        with pytest.raises(TypeError, match=r"\(position 1\) must be Tensor, not dtype"):
            call(torch.float16)


def test_kinds_of_arguments_come_before_what_is_wrong_with_the_others():
    x = torch.ones(3)
    with explains(TypeError, "svd(): argument 'input' (position 1) must be Tensor, not int"):
        torch.svd(3)
    with explains(TypeError, "cross_entropy(): argument 'weight' (position 3) must be Tensor, not ellipsis"):
        nn.functional.cross_entropy(x, torch.tensor([2, 0]), ...)
    with explains(TypeError, "fft_fft(): argument 'n' (position 2) must be int, not Tensor"):
        torch.fft.fft(torch.tensor(1.0), x)


def test_the_cause_of_an_error_inside_is_kept():
    with pytest.raises(TypeError) as raised:
        torch.flatten(5)
    assert isinstance(raised.value.__cause__, AttributeError)


def test_errors_of_the_users_own_functions_stay_as_they_are():
    def distance(one, two):
        return one.no_such_thing

    x = torch.ones(2, 3)
    with pytest.raises(AttributeError, match="no_such_thing"):
        nn.functional.triplet_margin_with_distance_loss(x, x, x, distance_function=distance)


def test_devices():
    for wrong in (
        lambda: torch.zeros(3, device="cuda"),
        lambda: torch.zeros(3).to("cuda:0"),
        lambda: torch.zeros(3).cuda(),
        lambda: nn.Linear(2, 2).cuda(),
    ):
        with explains(AssertionError, "Torch not compiled with CUDA enabled"):
            wrong()
    with explains(RuntimeError, "Expected one of cpu, cuda"):
        torch.device("abacus")


def test_a_tensor_with_history_is_no_array():
    w = torch.ones(3, requires_grad=True)
    with explains(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy()"):
        w.numpy()


def test_conditions():
    words = "Boolean value of Tensor with more than one value is ambiguous"
    with explains(RuntimeError, words):
        bool(torch.ones(3))
    with explains(RuntimeError, "a Tensor with 3 elements cannot be converted to Scalar"):
        torch.ones(3).item()
