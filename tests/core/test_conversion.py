"""Conversion to Python and NumPy, to other dtypes, through pickles and copies."""

import math

import numpy as np
import pytest

import rushlight as torch


@pytest.fixture
def leaf():
    return torch.full((3,), 0.5, requires_grad=True)


def test_item_is_the_only_element():
    assert torch.ones(1, 1).item() == 1.0
    assert isinstance(torch.tensor(3).item(), int)
    assert torch.tensor(1.5, dtype=torch.bfloat16).item() == 1.5
    for count in (0, 2):
        with pytest.raises(RuntimeError, match=f"a Tensor with {count} elements cannot be converted to Scalar"):
            torch.ones(count).item()


def test_tolist_nests():
    assert torch.arange(4).view(2, 2).tolist() == [[0, 1], [2, 3]]
    assert torch.zeros(2, 0).tolist() == [[], []]
    assert torch.tensor(2.5).tolist() == 2.5


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_numpy_shares_memory():
    tensor = torch.ones(5)
    array = tensor.numpy()
    tensor.add_(1)
    assert array.tolist() == [2.0] * 5
    array.shape = (5, 1)
    assert tensor.shape == (5,)


def test_numpy_refuses_a_tensor_that_requires_grad(leaf):
    words = "Can't call numpy\\(\\) on Tensor that requires grad. Use tensor.detach\\(\\).numpy\\(\\) instead."
    for refused in (leaf.numpy, (leaf * 2).numpy, lambda: np.asarray(leaf), lambda: np.sin(leaf)):
        with pytest.raises(RuntimeError, match=words):
            refused()
    assert leaf.numpy(force=True).tolist() == [0.5] * 3
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        torch.zeros(2, dtype=torch.bfloat16).numpy()


def test_numpy_functions_take_tensors():
    tensor = torch.zeros(2, 3)
    assert np.asarray(tensor).ctypes.data == tensor.data_ptr()
    assert np.array(tensor).ctypes.data != tensor.data_ptr()
    assert np.asarray(tensor, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(tensor, dtype=np.float64, copy=False)
    assert isinstance(np.cos(tensor), torch.Tensor)
    assert np.isnan(tensor).dtype is torch.uint8
    assert (tensor + np.ones(3)).dtype is torch.float64
    assert isinstance(np.ones(3) * tensor, torch.Tensor)
    assert (np.float64(2) * tensor).dtype is torch.float32


def test_the_mean_of_a_list_of_tensors_keeps_its_history():
    x = torch.tensor(2.0, requires_grad=True)
    for reduced, slope in ((np.mean([x * 3, x]), 2.0), (np.sum([x * 3, x]), 4.0)):
        assert isinstance(reduced, torch.Tensor)
        (gradient,) = torch.autograd.grad(reduced, x)
        assert gradient.item() == slope


def test_an_array_of_tensors_with_history_is_refused_and_told_of_stack(leaf):
    with pytest.raises(RuntimeError, match=r"torch.stack"):
        np.array([leaf.sum(), leaf.sum()])
    with pytest.raises(RuntimeError, match=r"torch.stack"):
        np.mean([leaf, leaf])


def test_python_numbers():
    assert int(torch.tensor([2.7])) == 2
    assert float(torch.tensor(2)) == 2.0
    assert complex(torch.tensor(1.0)) == 1 + 0j
    assert float(torch.tensor(1 + 0j)) == 1.0
    assert [1, 2, 3][torch.tensor(1)] == 2
    assert list(range(torch.tensor(2))) == [0, 1]
    assert torch.tensor(True).__index__() == 1
    assert bool(torch.ones(1, 1))
    assert math.sqrt(torch.tensor(4.0)) == 2.0


@pytest.mark.parametrize(
    ("convert", "tensor", "error", "words"),
    [
        (int, torch.ones(2), ValueError, "only one element tensors can be converted to Python scalars"),
        (float, torch.tensor(1j), RuntimeError, "value cannot be converted to type double without overflow"),
        (bool, torch.ones(2), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
        (bool, torch.ones(0), RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
        (range, torch.tensor(2.0), TypeError, "only integer tensors of a single element can be converted"),
        (list, torch.tensor(1), TypeError, "iteration over a 0-d tensor"),
        (len, torch.tensor(1), TypeError, "len\\(\\) of a 0-d tensor"),
    ],
)
def test_what_is_no_number_is_refused(convert, tensor, error, words):
    with pytest.raises(error, match=words):
        convert(tensor)


def test_float_of_a_tensor_with_history_warns(leaf):
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        float(leaf.sum())


def test_formatting():
    assert f"{torch.tensor(1.5):.3f}" == "1.500"
    assert f"{torch.ones(2)}" == "tensor([1., 1.])"
    with pytest.raises(TypeError, match=r"unsupported format string passed to Tensor.__format__"):
        format(torch.ones(2), ".3f")


def test_containment_and_iteration():
    tensor = torch.tensor([1, 2, 3])
    assert 2 in tensor
    assert torch.tensor(5) not in tensor
    with pytest.raises(RuntimeError, match=r"Tensor.__contains__ only supports Tensor or scalar"):
        "a" in tensor  # noqa: B015
    assert [each.item() for each in tensor] == [1, 2, 3]
    assert [each.item() for each in reversed(tensor)] == [3, 2, 1]
    assert reversed(torch.tensor(1)).item() == 1


def test_iteration_keeps_history(leaf):
    first, *_ = leaf
    first.backward()
    assert leaf.grad.tolist() == [1, 0, 0]


def test_questions():
    assert torch.ones(1).is_floating_point()
    assert torch.is_complex(torch.tensor(1j))
    assert not torch.tensor(True).is_signed()
    assert torch.is_tensor(torch.ones(1))
    assert not torch.is_tensor(np.ones(1))
    assert torch.is_nonzero(torch.tensor(1))
    assert torch.numel(torch.ones(2, 3)) == 6
    assert torch.typename(torch.ones(1)) == "torch.FloatTensor"
    assert torch.typename(3) == "int"
    with pytest.raises(TypeError, match=r"is_floating_point\(\): argument 'input' \(position 1\) must be Tensor"):
        torch.is_floating_point(3)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("float", torch.float32),
        ("double", torch.float64),
        ("half", torch.float16),
        ("bfloat16", torch.bfloat16),
        ("int", torch.int32),
        ("long", torch.int64),
        ("short", torch.int16),
        ("char", torch.int8),
        ("byte", torch.uint8),
        ("bool", torch.bool),
        ("cfloat", torch.complex64),
        ("cdouble", torch.complex128),
    ],
)
def test_methods_named_after_dtypes(name, dtype, leaf):
    converted = getattr(leaf, name)()
    assert converted.dtype is dtype
    if dtype is torch.float32:
        assert converted is leaf
    elif dtype.is_floating_point or dtype.is_complex:
        assert converted.grad_fn.name() == "ToCopyBackward0"
    else:
        assert not converted.requires_grad


def test_to_takes_a_dtype_a_device_or_a_tensor(leaf):
    assert leaf.to() is leaf
    assert leaf.to("cpu") is leaf
    assert leaf.to(None) is leaf
    assert leaf.to(torch.float32, copy=True) is not leaf
    assert leaf.to(torch.device("cpu"), torch.float64).dtype is torch.float64
    assert leaf.to("cpu", torch.float64, non_blocking=True, copy=True).dtype is torch.float64
    assert leaf.to(torch.tensor(1)).dtype is torch.int64
    assert leaf.to(dtype=float).dtype is torch.float64
    assert leaf.to(float).dtype is torch.float64
    assert leaf.cpu() is leaf
    transposed = torch.ones(2, 3).T
    assert transposed.double().stride() == (1, 3)
    assert transposed.double(memory_format=torch.contiguous_format).stride() == (2, 1)
    assert transposed.to(memory_format=torch.preserve_format) is transposed


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((torch.float64, "cpu"), TypeError, r"to\(\) received an invalid combination of arguments"),
        (("cpu", 3), TypeError, r"to\(\) received an invalid combination of arguments"),
        ((1.5,), TypeError, r"to\(\) received an invalid combination of arguments"),
        (("cuda",), AssertionError, "Torch not compiled with CUDA enabled"),
        (("mps",), RuntimeError, "Rushlight has no device 'mps'"),
        (("foo",), RuntimeError, "Expected one of cpu, cuda,"),
        ((3,), RuntimeError, "Cannot access accelerator device when none is available"),
    ],
)
def test_to_refuses(arguments, error, words, leaf):
    with pytest.raises(error, match=words):
        leaf.to(*arguments)
    with pytest.raises(AssertionError, match="CUDA"):
        leaf.cuda()


def test_gradients_come_back_in_the_dtype_of_the_input(leaf):
    (leaf.double() * 2).sum().backward()
    assert leaf.grad.dtype is torch.float32
    assert leaf.grad.tolist() == [2.0] * 3


def test_a_conversion_to_integers_is_named_when_backward_misses_the_history(leaf):
    with pytest.raises(RuntimeError, match="a conversion to integers") as caught:
        leaf.long().sum().backward()
    assert "leaf.long().sum().backward()" in str(caught.value)


def test_numbers_that_do_not_fit_wrap_around_as_in_c():
    numbers = torch.tensor([1.5, -1.5, 300.7])
    assert numbers.byte().tolist() == [1, 255, 44]
    assert numbers.char().tolist() == [1, -1, 44]
    assert torch.tensor([300, -1]).byte().tolist() == [44, 255]
    assert torch.tensor([float("nan"), 0.5, 0]).bool().tolist() == [True, True, False]
    assert torch.tensor([0j, 1j]).bool().tolist() == [False, True]
    with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary part"):
        assert torch.tensor([1 + 2j]).float().tolist() == [1.0]


def test_type_tells_or_converts():
    tensor = torch.ones(2)
    assert tensor.type() == "torch.FloatTensor"
    for target in (torch.int64, torch.LongTensor, "torch.LongTensor"):
        assert tensor.type(target).dtype is torch.int64
    assert tensor.type("torch.Tensor").dtype is torch.float32
    assert tensor.type_as(torch.tensor(1)).dtype is torch.int64
    for wrong in (float, "foo"):
        with pytest.raises(ValueError, match=r"invalid type: '(float|foo)'"):
            tensor.type(wrong)


def test_data_shares_memory_but_not_the_history(leaf):
    result = leaf * 2
    result.data.mul_(3)
    assert result.tolist() == [3.0] * 3
    assert not result.data.requires_grad
    result.sum().backward()
    with pytest.raises(RuntimeError, match=r"\.data took it out of the graph"):
        leaf.data.sum().backward()


def test_data_can_be_replaced(leaf):
    before = id(leaf)
    leaf.data = torch.ones(5)
    assert id(leaf) == before
    assert leaf.requires_grad
    assert leaf.shape == (5,)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        leaf.data = 3
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        leaf.data = torch.arange(3)


def test_grad_is_checked_when_assigned(leaf):
    leaf.grad = torch.ones(3)
    assert leaf.grad.tolist() == [1.0] * 3
    del leaf.grad
    assert leaf.grad is None
    for wrong, error, words in (
        (
            torch.ones(2),
            RuntimeError,
            r"attempting to assign a gradient of size '\[2\]' to a tensor of size '\[3\]'",
        ),
        (torch.ones(3).double(), RuntimeError, "attempting to assign a gradient with dtype"),
        (3, TypeError, "assigned grad expected to be a Tensor or None but got grad of type int"),
        (leaf, RuntimeError, "can't assign Variable as its own grad"),
    ):
        with pytest.raises(error, match=words):
            leaf.grad = wrong


def test_grad_of_a_result_warns(leaf):
    with pytest.warns(UserWarning, match=r"The .grad attribute of a Tensor that is not a leaf Tensor"):
        assert (leaf * 2).grad is None


def test_a_parameter_becomes_an_array_where_nothing_is_recorded():
    w = torch.nn.Parameter(torch.ones(2))
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            array = w.numpy()
            assert np.shares_memory(np.asarray(w), array)
            assert (w * 2).numpy().tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match=r"^Can't call numpy\(\) on Tensor that requires grad"):
        w.numpy()
    with torch.no_grad(), torch.enable_grad(), pytest.raises(RuntimeError, match=r"^Can't call numpy\(\)"):
        np.asarray(w)
    with torch.no_grad(), pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        w.__dlpack__()
