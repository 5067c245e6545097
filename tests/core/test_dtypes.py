"""Dtypes, their limits, the default dtype, devices and other settings."""

import copy
import pickle

import pytest

import rushlight as torch


def test_aliases_are_the_same_objects():
    assert torch.float is torch.float32
    assert torch.double is torch.float64
    assert torch.half is torch.float16
    assert torch.long is torch.int64
    assert torch.int is torch.int32
    assert torch.short is torch.int16
    assert torch.cfloat is torch.complex64
    assert torch.cdouble is torch.complex128


def test_a_dtype_tells_what_it_is():
    assert repr(torch.float32) == str(torch.float32) == "torch.float32"
    assert (torch.float16.itemsize, torch.int64.itemsize, torch.complex128.itemsize) == (2, 8, 16)
    assert torch.bfloat16.is_floating_point
    assert torch.complex64.is_complex
    assert torch.int8.is_signed
    assert not (torch.uint8.is_signed or torch.bool.is_signed)
    assert isinstance(torch.float32, torch.dtype)


def test_dtypes_survive_copies_and_pickles():
    for value in (torch.float32, torch.bool, torch.strided, torch.channels_last):
        assert copy.deepcopy(value) is value or value in (torch.strided, torch.channels_last)
        assert pickle.loads(pickle.dumps(value)) is value


def test_complex_and_real_counterparts():
    assert torch.float32.to_complex() is torch.complex64
    assert torch.float64.to_complex() is torch.complex128
    assert torch.complex64.to_complex() is torch.complex64
    assert torch.complex128.to_real() is torch.float64
    assert torch.int64.to_real() is torch.int64
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Long"):
        torch.int64.to_complex()


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        (
            torch.float16,
            "resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05",
        ),
        (
            torch.bfloat16,
            "resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.1",
        ),
        (
            torch.float32,
            "resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1",
        ),
        (torch.complex128, "resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16"),
    ],
)
def test_limits_of_floats(dtype, text):
    assert repr(torch.finfo(dtype)).startswith(f"finfo({text}")


def test_limits():
    assert torch.finfo().dtype == "float32"
    assert torch.finfo(torch.float32) == torch.finfo(torch.complex64)
    assert len({torch.finfo(), torch.finfo(torch.float32)}) == 1
    assert torch.finfo(torch.float64).bits == 64
    assert repr(torch.iinfo(torch.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    assert torch.iinfo(torch.int64).max == 2**63 - 1
    assert len({torch.iinfo(torch.int8), torch.iinfo(torch.int8)}) == 1


@pytest.mark.parametrize(
    ("limits", "given", "words"),
    [
        (torch.finfo, torch.int64, r"torch.finfo\(\) requires a floating point input type"),
        (torch.finfo, "a", r"finfo\(\): argument 'type' \(position 1\) must be torch.dtype, not str"),
        (torch.iinfo, torch.float32, r"torch.iinfo\(\) requires an integer input type"),
        (torch.iinfo, torch.bool, "torch.bool is not supported by torch.iinfo"),
        (torch.iinfo, 3, r"iinfo\(\): argument 'type' \(position 1\) must be torch.dtype, not int"),
    ],
)
def test_limits_refuse(limits, given, words):
    with pytest.raises(TypeError, match=words):
        limits(given)


@pytest.fixture
def default_restored():
    yield
    torch.set_default_dtype(torch.float32)


def test_the_default_dtype_decides_for_floats(default_restored):
    torch.set_default_dtype(torch.float64)
    assert torch.get_default_dtype() is torch.float64
    assert torch.tensor(1.5).dtype is torch.zeros(1).dtype is torch.float64
    assert torch.tensor(1j).dtype is torch.complex128
    assert (torch.tensor([1]) / 2).dtype is torch.float64
    assert repr(torch.tensor(1.5)) == "tensor(1.5000)"
    assert repr(torch.tensor(1.5, dtype=torch.float32)) == "tensor(1.5000, dtype=torch.float32)"


def test_the_default_tensor_type(default_restored):
    with pytest.warns(UserWarning, match=r"torch.set_default_tensor_type.. is deprecated"):
        torch.set_default_tensor_type(torch.DoubleTensor)
    assert torch.get_default_dtype() is torch.float64


def test_only_floats_can_be_the_default():
    for wrong in (torch.int64, torch.complex64, "a", float):
        with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
            torch.set_default_dtype(wrong)


def test_devices_have_names_and_numbers():
    assert repr(torch.device("cpu")) == "device(type='cpu')"
    assert repr(torch.device("cuda:1")) == "device(type='cuda', index=1)"
    assert str(torch.device("cpu", 0)) == "cpu:0"
    assert torch.device(torch.device("cpu")) == torch.device("cpu")
    assert torch.device("cpu") != "cpu"
    assert len({torch.device("cpu"), torch.device(type="cpu")}) == 1
    assert pickle.loads(pickle.dumps(torch.device("cuda:1"))) == torch.device("cuda:1")
    with torch.device("cpu") as place:
        assert torch.ones(1).device == place


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("foo",), RuntimeError, "Expected one of cpu, cuda, .* device type at start of device string: foo"),
        (("cpu:",), RuntimeError, "Invalid device string: 'cpu:'"),
        (("cpu:-1",), RuntimeError, "Invalid device string: 'cpu:-1'"),
        (("cpu:0", 0), RuntimeError, "must not include an index because index was passed explicitly"),
        (("cpu", -1), RuntimeError, "Device index must not be negative"),
        (("cuda", "a"), TypeError, "argument 'index' \\(position 2\\) must be int, not str"),
        ((0,), RuntimeError, "Cannot access accelerator device when none is available"),
        ((1.5,), TypeError, "invalid combination of arguments"),
    ],
)
def test_devices_refuse(arguments, error, words):
    with pytest.raises(error, match=words):
        torch.device(*arguments)


def test_there_is_no_gpu():
    assert not torch.cuda.is_available()
    assert not torch.cuda.is_initialized()
    assert torch.cuda.device_count() == 0
    torch.cuda.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    torch.cuda.empty_cache()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.cuda.synchronize()
    with pytest.raises(RuntimeError, match=r"torch.cuda.Stream requires CUDA support"):
        torch.cuda.Stream()
    with pytest.raises(
        AttributeError, match=r"'jiterator': it is not in Rushlight: it is for devices other than the CPU"
    ):
        torch.cuda.jiterator  # noqa: B018
    assert not hasattr(torch.cuda, "__wrapped__")


def test_settings():
    torch.set_default_device("cpu")
    assert torch.get_default_device() == torch.device("cpu")
    with pytest.raises(AssertionError, match="CUDA"):
        torch.set_default_device("cuda")
    before = torch.get_num_threads(), torch.get_num_interop_threads()
    torch.set_num_threads(3)
    torch.set_num_interop_threads(2)
    assert (torch.get_num_threads(), torch.get_num_interop_threads()) == (3, 2)
    torch.set_num_threads(before[0])
    torch.set_num_interop_threads(before[1])
    with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
        torch.set_num_threads(0)
    with pytest.raises(RuntimeError, match="set_num_threads expects an int, but got str"):
        torch.set_num_threads("a")


def test_the_public_face():
    assert (torch.pi, torch.e, torch.inf) == (3.141592653589793, 2.718281828459045, float("inf"))
    assert torch.nan != torch.nan
    assert torch.newaxis is None
    assert "zeros" in torch.__all__
    assert not [name for name in torch.__all__ if not hasattr(torch, name)]
