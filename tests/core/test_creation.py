"""Creation from data: torch's dtypes, shapes and refusals, and the history that is left behind."""

import warnings

import numpy as np
import pytest

import rushlight as torch


def told(tensor):
    """What a reader of the test wants to see of a tensor."""
    return tensor.tolist(), str(tensor.dtype).removeprefix("torch.")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (1, (1, "int64")),
        (1.5, (1.5, "float32")),
        (True, (True, "bool")),
        (1j, (1j, "complex64")),
        ([], ([], "float32")),
        ([[], []], ([[], []], "float32")),
        ([[], [1]], ([[], []], "float32")),
        ([1, 2.5], ([1.0, 2.5], "float32")),
        ([1, True], ([1, 1], "int64")),
        ([1.0, 1j], ([1, 1j], "complex64")),
        (range(3), ([0, 1, 2], "int64")),
        (bytearray(b"ab"), ([97, 98], "int64")),
        ([[1, 2], (3, 4)], ([[1, 2], [3, 4]], "int64")),
        (np.float64(1.5), (1.5, "float64")),
        (np.float32(1.5), (1.5, "float32")),
        (np.int32(1), (1, "int32")),
        ([np.float64(1.5), 1], ([1.5, 1.0], "float64")),
        ([np.float32(1.5)], ([1.5], "float32")),
        ([np.int64(1), 1.5], ([1.0, 1.5], "float32")),
        ([np.array([1, 2]), np.array([3, 4])], ([[1, 2], [3, 4]], "int64")),
        ([np.array([1, 2.0], np.float32), np.array([3, 4])], ([[1.0, 2.0], [3.0, 4.0]], "float32")),
        ([[3, 4], np.array([1.0, 2])], ([[3.0, 4.0], [1.0, 2.0]], "float64")),
        ([torch.tensor(1), torch.tensor(2.0)], ([1.0, 2.0], "float32")),
        ([torch.tensor([1]), torch.tensor([3])], ([1, 3], "int64")),
        ([2, torch.tensor(1.0, dtype=torch.float64)], ([2.0, 1.0], "float64")),
        ([torch.Size([1, 2])], ([[1, 2]], "int64")),
    ],
)
def test_tensor_infers_shape_and_dtype(data, expected):
    assert told(torch.tensor(data)) == expected


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (1.5, "int64", 1),
        ([-1], "uint8", [255]),
        ([1e300], "float32", [float("inf")]),
        ([1e10], "float16", [float("inf")]),
        ([2**70], "bool", [True]),
        ([0.5, 0], "bool", [True, False]),
        (2**70, "float64", 2.0**70),
        ([[1, 2], [3, 4]], "bfloat16", [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_tensor_converts_to_a_dtype(data, dtype, expected):
    made = torch.tensor(data, dtype=getattr(torch, dtype))
    assert told(made) == (expected, dtype)


@pytest.mark.parametrize(
    ("data", "dtype", "error", "words"),
    [
        ([[1, 2], [3]], None, ValueError, r"expected sequence of length 2 at dim 1 \(got 1\)"),
        ([[[1, 2]], [[3]]], None, ValueError, r"expected sequence of length 2 at dim 2 \(got 1\)"),
        ([[1], []], None, ValueError, r"expected sequence of length 1 at dim 1 \(got 0\)"),
        ([[1, 2], 3], None, TypeError, "not a sequence"),
        ([1, [2, 3]], None, TypeError, "'list' object cannot be interpreted as an integer"),
        ([1.0, [2, 3]], None, TypeError, "must be real number, not list"),
        ("a", None, TypeError, r"new\(\): invalid data type 'str'"),
        (["a"], None, ValueError, "too many dimensions 'str'"),
        ([1, "a"], None, TypeError, r"new\(\): invalid data type 'str'"),
        (None, None, RuntimeError, "Could not infer dtype of NoneType"),
        ({1: 2}, None, RuntimeError, "Could not infer dtype of dict"),
        (2**63, None, ValueError, "Overflow when unpacking long long"),
        ([2**70], None, ValueError, "Overflow when unpacking long long"),
        (300, "uint8", RuntimeError, "value cannot be converted to type uint8 without overflow"),
        ([2**40], "int32", RuntimeError, "value cannot be converted to type int32 without overflow"),
        (float("nan"), "int64", RuntimeError, "value cannot be converted to type int64 without overflow"),
        ([1j], "float32", TypeError, "must be real number, not complex"),
        ([np.array(1.5)], None, TypeError, "len\\(\\) of unsized object"),
        ([torch.zeros(2), torch.zeros(2)], None, ValueError, "only one element tensors"),
        ([torch.tensor([1, 2])], None, TypeError, "only integer tensors of a single element"),
        (np.array(["a"]), None, TypeError, "can't convert np.ndarray of type numpy.str_"),
        (np.arange(4)[::-1], None, ValueError, "At least one stride in the given numpy array is negative"),
        (np.zeros(2, ">f4"), None, ValueError, "given numpy array has byte order different"),
    ],
)
def test_tensor_refuses_in_torchs_words(data, dtype, error, words):
    with pytest.raises(error, match=words):
        torch.tensor(data, dtype=dtype and getattr(torch, dtype))


def nested(depth):
    return [] if depth == 0 else [nested(depth - 1)]


def test_lists_that_are_too_deep_are_refused():
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        torch.tensor(nested(200))
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        torch.tensor(endless)
    endless.insert(0, 1.0)
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        torch.tensor(endless)


def test_a_strange_dtype_is_refused():
    for dtype in (np.float32, "float32"):
        with pytest.raises(TypeError, match=r"argument 'dtype' must be torch.dtype"):
            torch.zeros(2, dtype=dtype)
    assert torch.zeros(2, dtype=float).dtype is torch.float64


def test_tensor_of_a_tensor_copies_it_and_recommends_clone():
    source = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match=r"sourceTensor.detach\(\).clone\(\)"):
        copy = torch.tensor(source)
    assert not copy.requires_grad
    assert copy.data_ptr() != source.data_ptr()
    with pytest.warns(UserWarning, match=r"rather than tensor.new_tensor"):
        source.new_tensor(source)


def test_tensor_of_tensors_with_history_warns_once_a_line_and_names_the_leaves():
    weight = torch.ones(3, 2, requires_grad=True)
    losses = [weight.sum() * 2, weight.sum()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            joined = torch.tensor(losses)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "Tensor of shape [3, 2], made at" in message
    assert "weight = torch.ones(3, 2, requires_grad=True)" in message
    assert "torch.stack([...])" in message
    assert not joined.requires_grad
    with pytest.raises(RuntimeError, match=r"torch.stack"):
        joined.sum().backward()


def test_a_number_from_item_remembers_where_it_left_the_graph():
    value = (torch.ones((), requires_grad=True) * 0.3).item()
    loss = torch.tensor([value, 0.5]).sum()
    with pytest.raises(RuntimeError, match=r"\.item\(\)") as caught:
        loss.backward()
    assert "value = (torch.ones((), requires_grad=True) * 0.3).item()" in str(caught.value)


def test_as_tensor_shares_where_it_can():
    array, tensor = np.ones(3), torch.ones(3)
    assert torch.as_tensor(tensor) is tensor
    shared = torch.as_tensor(array)
    array[0] = 5
    assert shared[0].item() == 5
    assert torch.as_tensor(array, dtype=torch.float32).dtype is torch.float32
    assert told(torch.as_tensor([1, 2])) == ([1, 2], "int64")


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_from_numpy_shares_memory_both_ways():
    array = np.zeros(2)
    tensor = torch.from_numpy(array)
    array[0] = 1
    tensor.add_(1)
    assert array.tolist() == [2.0, 1.0]
    array.shape = (2, 1)
    assert tensor.shape == (2,)


def test_from_numpy_refuses_what_is_no_array():
    for given, name in (([1], "list"), (np.float64(1), "numpy.float64")):
        with pytest.raises(TypeError, match=rf"expected np.ndarray \(got {name}\)"):
            torch.from_numpy(given)
    packed = np.zeros((2, 2), [("a", "f4"), ("b", "f8")])["b"]
    with pytest.raises(ValueError, match="strides not a multiple of the element byte size"):
        torch.from_numpy(packed)


def test_a_read_only_array_is_warned_about():
    array = np.ones(2)
    array.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        torch.from_numpy(array)


def test_asarray_copies_always_never_or_where_it_must():
    array = np.ones(2)
    assert torch.asarray(array).data_ptr() == array.ctypes.data
    assert torch.asarray(array, copy=True).data_ptr() != array.ctypes.data
    with pytest.raises(ValueError, match="can't alias arbitrary sequence into a tensor"):
        torch.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="can't alias tensor with dtype 'Double' into dtype 'Float'"):
        torch.asarray(array, dtype=torch.float32, copy=False)
    leaf = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="torch.asarray: unspecified requires_grad now defaults to obj.requires_grad"):
        assert torch.asarray(leaf) is leaf
    assert torch.asarray(leaf, copy=True, requires_grad=True).grad_fn.name() == "CloneBackward0"
    assert not torch.asarray(leaf, requires_grad=False).requires_grad
    assert torch.asarray([1.0], requires_grad=True).requires_grad
    assert torch.asarray(bytearray(b"abcd"), dtype=torch.int32).tolist() == [1684234849]
    assert torch.asarray(bytearray(b"ab"), dtype=torch.uint8, copy=True).tolist() == [97, 98]


def test_frombuffer_reads_a_buffer():
    buffer = bytearray(b"abcdabcd")
    tensor = torch.frombuffer(buffer, dtype=torch.int32, offset=4)
    assert tensor.tolist() == [1684234849]
    buffer[4] = 0
    assert tensor.tolist() == [1684234752]
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        torch.frombuffer(b"abcd", dtype=torch.uint8)


@pytest.mark.parametrize(
    ("buffer", "options", "words"),
    [
        (bytearray(8), {"count": 3}, r"requested buffer length \(3 \* 4 bytes\) after offset \(0 bytes\)"),
        (bytearray(8), {"count": 0}, r"both buffer length \(8\) and count \(0\) must not be 0"),
        (bytearray(9), {}, r"buffer length \(9 bytes\) after offset \(0 bytes\) must be a multiple"),
        (bytearray(8), {"offset": 8}, r"offset \(8 bytes\) must be non-negative and no greater"),
        ([1], {}, "object does not implement Python buffer protocol"),
    ],
)
def test_frombuffer_refuses(buffer, options, words):
    with pytest.raises(ValueError, match=words):
        torch.frombuffer(buffer, dtype=torch.int32, **options)


def test_dlpack_goes_both_ways():
    array = np.ones(3)
    tensor = torch.from_dlpack(array)
    array[0] = 2
    assert tensor[0].item() == 2
    back = np.from_dlpack(torch.zeros(2))
    assert back.tolist() == [0, 0]
    assert torch.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
    assert torch.from_dlpack(tensor, copy=True).data_ptr() != tensor.data_ptr()
    assert tensor.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        np.from_dlpack(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        torch.from_dlpack([1])
