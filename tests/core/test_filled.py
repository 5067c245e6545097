"""Filled tensors, by shape and like another tensor: torch's sizes, options and refusals."""

import numpy as np
import pytest

import rushlight as torch


def told(tensor):
    """What a reader of the test wants to see of a tensor."""
    return tensor.tolist(), str(tensor.dtype).removeprefix("torch.")


@pytest.mark.parametrize("make", [torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn])
def test_sizes_come_in_many_forms(make):
    forms = [(2, 3), ((2, 3),), ([2, 3],), (torch.Size([2, 3]),), (np.int64(2), 3), (torch.tensor(2), 3)]
    assert all(make(*form).shape == (2, 3) for form in forms)
    assert make(size=(2, 3)).shape == (2, 3)
    assert make(()).shape == ()


@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        ((), TypeError, 'zeros\\(\\) missing 1 required positional arguments: "size"'),
        ((-1,), RuntimeError, "zeros: Dimension size must be non-negative"),
        ((2.0,), TypeError, r"zeros\(\): argument 'size' \(position 1\) must be tuple of ints, not float"),
        (
            (2, "a"),
            TypeError,
            'failed to unpack the object at pos 2 with error "type must be tuple of ints,but got str',
        ),
        (((2.0,),), TypeError, "must be tuple of ints, but found element of type float at pos 0"),
        ((True,), TypeError, "must be tuple of ints, not bool"),
        ((None,), TypeError, "must be tuple of ints, not NoneType"),
        ((torch.tensor(1.5),), TypeError, "must be tuple of ints, not Tensor"),
        ((2**62, 2**10), RuntimeError, "Storage size calculation overflowed with sizes="),
        ((2**50,), RuntimeError, "DefaultCPUAllocator: can't allocate memory"),
        ((1,) * 65, RuntimeError, "only tensors with up to 64 dims are supported"),
    ],
)
def test_wrong_sizes_are_refused(size, error, words):
    with pytest.raises(error, match=words):
        torch.zeros(*size)


def test_a_size_given_twice_is_refused():
    with pytest.raises(TypeError, match=r"zeros\(\) got multiple values for argument 'size'"):
        torch.zeros(2, size=(2,))
    with pytest.raises(TypeError, match="must be tuple of ints, not int"):
        torch.full(2, 3)


def test_options_of_creation():
    assert torch.ones(2, dtype=torch.int64, device="cpu", layout=torch.strided).tolist() == [1, 1]
    assert torch.zeros(2, requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require"):
        torch.zeros(2, dtype=torch.int64, requires_grad=True)
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        torch.zeros(2, pin_memory=True)
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        torch.tensor(2.0, pin_memory=True)
    with pytest.raises(NotImplementedError, match=r"no torch.sparse_coo tensors"):
        torch.zeros(2, layout=torch.sparse_coo)
    with pytest.raises(TypeError, match=r"must be torch.layout"):
        torch.zeros(2, layout="strided")
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.zeros(2, device="cuda")


def test_out_is_filled_and_takes_the_shape():
    out = torch.empty(3, dtype=torch.int64)
    assert torch.ones(2, out=out) is out
    assert told(out) == ([1, 1], "int64")
    assert told(torch.arange(3, out=torch.empty(3))) == ([0.0, 1.0, 2.0], "float32")
    with pytest.raises(RuntimeError, match=r"dtype Double does not match dtype of out parameter \(Float\)"):
        torch.zeros(2, out=torch.empty(2), dtype=torch.float64)
    with pytest.raises(TypeError, match="argument 'out' must be Tensor"):
        torch.zeros(2, out=3, dtype=torch.float32)


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (1, {}, ([1, 1], "int64")),
        (1.0, {}, ([1.0, 1.0], "float32")),
        (True, {}, ([True, True], "bool")),
        (1j, {}, ([1j, 1j], "complex64")),
        (torch.tensor(3.0), {}, ([3.0, 3.0], "float32")),
        (np.float64(3), {}, ([3.0, 3.0], "float32")),
        (-1, {"dtype": torch.uint8}, ([255, 255], "uint8")),
        (1.5, {"dtype": torch.int64}, ([1, 1], "int64")),
        (float("inf"), {"dtype": torch.float16}, ([float("inf")] * 2, "float16")),
    ],
)
def test_full_takes_its_dtype_from_the_value(value, options, expected):
    assert told(torch.full((2,), value, **options)) == expected


@pytest.mark.parametrize(
    ("value", "dtype", "error", "words"),
    [
        (300, torch.uint8, RuntimeError, "value cannot be converted to type uint8"),
        (1j, torch.float32, RuntimeError, "value cannot be converted to type float"),
        (float("nan"), torch.int64, RuntimeError, "value cannot be converted to type int64"),
        (1e50, torch.float32, RuntimeError, "value cannot be converted to type float"),
        (2**70, None, OverflowError, "int too big to convert"),
        ("a", None, TypeError, "argument 'fill_value' \\(position 2\\) must be Number, not str"),
        (torch.tensor([3.0]), None, TypeError, "must be Number, not Tensor"),
    ],
)
def test_full_refuses_what_does_not_fit(value, dtype, error, words):
    with pytest.raises(error, match=words):
        torch.full((2,), value, dtype=dtype)


@pytest.mark.parametrize(
    ("source", "stride"),
    [
        (lambda: torch.zeros(4, 6).T, (1, 6)),
        (lambda: torch.zeros(4, 6).T[::2], (1, 3)),
        (lambda: torch.zeros(4, 6, 5).permute(2, 0, 1)[:, ::2], (1, 30, 5)),
        (lambda: torch.zeros(4, 1).expand(4, 3), (3, 1)),
        (lambda: torch.zeros(1, 4).expand(3, 4), (4, 1)),
    ],
)
def test_like_functions_preserve_the_order_of_memory(source, stride):
    for make in (torch.zeros_like, torch.ones_like, torch.empty_like, torch.rand_like):
        assert make(source()).stride() == stride
    assert torch.full_like(source(), 2).stride() == stride
    flat = torch.zeros_like(source(), memory_format=torch.contiguous_format)
    assert flat.is_contiguous()


def test_channels_last_memory():
    made = torch.empty(2, 3, 4, 5, memory_format=torch.channels_last)
    assert made.stride() == (60, 1, 15, 3)
    assert torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last).stride() == (60, 1, 15, 3)
    assert torch.empty(1, 2, 3, 4, 5, memory_format=torch.channels_last_3d).stride() == (120, 1, 40, 10, 2)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        torch.empty(2, 3, memory_format=torch.channels_last)
    with pytest.raises(RuntimeError, match="unsupported memory format Preserve"):
        torch.empty(2, memory_format=torch.preserve_format)
    with pytest.raises(TypeError, match=r"must be torch.memory_format"):
        torch.empty(2, memory_format="channels_last")


def test_like_and_new_functions_take_the_dtype_of_a_tensor():
    whole = torch.zeros(2, dtype=torch.int64)
    assert told(torch.full_like(whole, 2.5)) == ([2, 2], "int64")
    assert told(torch.ones_like(whole, dtype=torch.float64)) == ([1.0, 1.0], "float64")
    assert told(whole.new_zeros(2)) == ([0, 0], "int64")
    assert told(whole.new_ones((2,), dtype=torch.bool)) == ([True, True], "bool")
    assert told(whole.new_full((1,), 7)) == ([7], "int64")
    assert told(whole.new_tensor([1.5])) == ([1], "int64")
    assert whole.new_empty(2, 3).shape == (2, 3)
    assert whole.new_empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    with pytest.raises(TypeError, match=r"zeros_like\(\): argument 'input' \(position 1\) must be Tensor"):
        torch.zeros_like(np.zeros(2))


def test_eye_and_scalar_tensor():
    assert torch.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert torch.eye(3, 2).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert torch.eye(2, m=0).shape == (2, 0)
    with pytest.raises(RuntimeError, match="n must be greater or equal to 0, got -1"):
        torch.eye(-1)
    with pytest.raises(TypeError, match=r"eye\(\): argument 'n' \(position 1\) must be int, not float"):
        torch.eye(2.5)
    assert told(torch.scalar_tensor(3)) == (3.0, "float32")


def test_strides_of_ones_own():
    assert torch.empty_strided((2, 3), (1, 2)).stride() == (1, 2)
    assert torch.empty_permuted((2, 3), (1, 0)).stride() == (1, 2)
    with pytest.raises(RuntimeError, match=r"dimensionality of sizes .2. must match"):
        torch.empty_strided((2, 3), (1,))
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        torch.empty_strided((2, 3), (-1, 2))
    with pytest.raises(RuntimeError, match="Duplicate dim not allowed"):
        torch.empty_permuted((2, 3), (0, 0))
