"""What public packages read of torch's inside: `_C`, `_utils`, `__config__`, `_tensor_str`, `return_types`."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import _C, _utils


@pytest.mark.parametrize(
    ("args", "options", "expected"),
    [
        (("cpu",), {}, ("cpu", None, False, None)),
        ((torch.float32,), {}, (None, torch.float32, False, None)),
        (("cpu", torch.float16, True), {}, ("cpu", torch.float16, True, None)),
        ((torch.zeros(1),), {}, ("cpu", torch.float32, False, None)),
        ((torch.zeros(1),), {"non_blocking": True}, ("cpu", torch.float32, True, None)),
        ((), {"memory_format": torch.channels_last}, (None, None, False, torch.channels_last)),
        ((), {"dtype": torch.int8, "device": "cpu"}, ("cpu", torch.int8, False, None)),
    ],
)
def test_the_arguments_of_to_are_read_as_torch_reads_them(args, options, expected):
    device, *rest = _C._nn._parse_to(*args, **options)
    assert (device if device is None else device.type, *rest) == expected


def test_classes_are_those_of_the_library():
    assert isinstance(torch.zeros(1), _C.TensorBase) and isinstance(torch.zeros(1), _C._TensorBase)
    assert _C._TensorMeta is type(torch.Tensor) and _C.Size is torch.Size and _C.Generator is torch.Generator
    assert _C.device is torch.device and _C.default_generator is torch.default_generator
    assert isinstance(torch.zeros(1).untyped_storage(), _C.StorageBase)


def test_questions_are_answered_truthfully():
    assert _C._get_tracing_state() is None and not _C._is_tracing() and _C._log_api_usage_once("x") is None
    assert not _C._has_distributed() and not _C._has_cuda and not _C._has_mkldnn and _C.has_lapack
    assert _C._cuda_getDeviceCount() == 0 and not _C._cuda_isInBadFork()
    assert _C._get_accelerator() == torch.device("cpu") and _C._get_default_device() == "cpu"
    assert _C._get_privateuse1_backend_name() == "privateuseone"
    assert not _C._are_functorch_transforms_active() and not _C._functorch.is_batchedtensor(torch.zeros(1))
    assert _C._functorch.maybe_get_level(torch.zeros(1)) == -1
    assert not _C._jit_set_profiling_executor(True) and not _C._jit_can_fuse_on_cpu()
    with pytest.raises(RuntimeError, match="No wrappers present"):
        _C._functorch.get_unwrapped(torch.zeros(1))
    with pytest.raises(AttributeError, match=r"module 'torch\._C' has no attribute '_distributed_c10d'"):
        _C._distributed_c10d  # noqa: B018


def test_small_functions_do_what_they_say():
    x = torch.ones(3)
    assert _C._is_alias_of(x, x[1:]) and not _C._is_alias_of(x, x.clone())
    assert _C._infer_size((2, 1), (3,)) == torch.Size([2, 3])
    assert _C._disabled_torch_function_impl(torch.add, (), (1, x)).tolist() == [2.0, 2.0, 2.0]
    assert _C._VariableFunctions.tanh is torch.tanh and _C._nn.gelu is torch.nn.functional.gelu
    assert _C._add_docstr(lambda: None, "text").__doc__ == "text"
    _C._set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    _C._set_grad_enabled(True)


def test_dispatch_keys_are_torchs():
    keys = _C._dispatch_keys(torch.zeros(1))
    assert repr(keys) == "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)"
    assert keys.has(_C.DispatchKey.CPU) and not keys.has(_C.DispatchKey.CUDA)
    assert str(_C.DispatchKey.AutocastCUDA) == "DispatchKey.AutocastCUDA"
    assert repr(_C.DispatchKeySet(_C.DispatchKey.CPU).add(_C.DispatchKey.Python).remove(_C.DispatchKey.CPU)) == (
        "DispatchKeySet(Python)"
    )
    assert (keys - keys) == _C.DispatchKeySet() and (keys & keys) == (keys | keys) == keys
    assert _C._dispatch_key_name(_C.DispatchKey.Meta) == "Meta"


def test_configuration_is_told_in_words():
    from rushlight import __config__

    assert __config__.show().startswith("PyTorch built with:\n") and "USE_CUDA=0" in _C._show_config()
    assert f"at::get_num_threads() : {torch.get_num_threads()}" in __config__.parallel_info() == _C._parallel_info()


def test_named_results_have_types():
    assert isinstance(torch.max(torch.ones(2, 2), 0), torch.return_types.max)
    assert isinstance(torch.topk(torch.ones(3), 2), torch.return_types.topk)
    assert isinstance(torch.linalg.svd(torch.eye(2)), torch.return_types.linalg_svd)
    with pytest.raises(AttributeError, match="nonsense"):
        torch.return_types.nonsense  # noqa: B018


def test_printing_under_its_inner_names():
    from rushlight import _tensor_str

    assert _tensor_str.PRINT_OPTS.threshold == 1000 and _tensor_str._str(torch.ones(2)) == "tensor([1., 1.])"
    assert _tensor_str._tensor_str(torch.ones(2), 0) == "[1., 1.]"
    _tensor_str.PRINT_OPTS.precision = 2
    assert repr(torch.tensor([1 / 3])) == "tensor([0.33])"
    torch.set_printoptions(profile="default")
    assert _tensor_str._add_suffixes("[1.]", ["dtype=x"], 7, False) == "[1.], dtype=x)"


def test_helpers_of_utils():
    assert _utils._get_available_device_type() is None and _utils._get_device_module("cpu") is torch.cpu
    assert _utils._get_device_index(3) == 3 and _utils._get_device_index("cpu", allow_cpu=True) == -1
    with pytest.raises(ValueError, match="Expected a non cpu device"):
        _utils._get_device_index("cpu")
    with pytest.raises(RuntimeError, match="does not have a corresponding module"):
        _utils._get_device_module("nonsense")
    a, b = torch.ones(1), torch.ones(1, dtype=torch.int64)
    assert _utils._reorder_tensors_as([a, b], [b, a]) == (b, a)
    try:
        raise KeyError("here")
    except KeyError:
        wrapped = _utils.ExceptionWrapper(where="in a worker")
    with pytest.raises(KeyError, match="Caught KeyError in a worker"):
        wrapped.reraise()


def test_assertions_raise_what_torch_raises():
    torch._assert(True, "fine")
    with pytest.raises(AssertionError, match="told"):
        torch._assert(False, "told")
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        torch._assert_async(torch.tensor(False))
    with pytest.raises(ValueError, match="mine"):
        torch._check_with(ValueError, False, lambda: "mine")
    with pytest.raises(RuntimeError, match="Expected cond to be True, but got False"):
        torch._check_tensor_all(torch.tensor([True, False]))
    assert torch._shape_as_tensor(torch.zeros(2, 3)).tolist() == [2, 3]


def test_streams_and_events_of_the_cpu():
    stream = torch.Stream()
    first, last = torch.Event(enable_timing=True), torch.Event(enable_timing=True)
    first.record(stream)
    stream.record_event(last)
    assert first.elapsed_time(last) >= 0 and stream.query() and stream == torch.cpu.current_stream()
    assert repr(stream) == "torch.Stream device_type=cpu, device_index=-1, stream_id=0"
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
        torch.Event().elapsed_time(last)
    with torch.cpu.stream(stream):
        assert np.asarray(torch.ones(1)).item() == 1.0


def test_events_are_given_to_their_handlers():
    from datetime import datetime

    from rushlight import monitor

    seen = []
    handle = monitor.register_event_handler(seen.append)
    event = monitor.Event("name", datetime(2020, 1, 1), {"a": 1})
    monitor.log_event(event)
    monitor.unregister_event_handler(handle)
    monitor.log_event(event)
    assert seen == [event]
    counter = monitor.Stat("s", [monitor.Aggregation.SUM, monitor.Aggregation.MEAN], 2)
    counter.add(1.0)
    assert counter.count == 1
    counter.add(3.0)
    assert counter.get() == {monitor.Aggregation.SUM: 4.0, monitor.Aggregation.MEAN: 2.0}


def test_nothing_is_captured_with_pretended_tensors():
    from rushlight._subclasses.fake_tensor import FakeTensor, is_fake

    assert not is_fake(torch.ones(1)) and not isinstance(torch.ones(1), FakeTensor)
    assert torch._guards.active_fake_mode() is None and torch._guards.detect_fake_mode([]) is None
    with pytest.raises(NotImplementedError, match="programs are not captured"):
        FakeTensor()


def test_questions_about_dtypes_and_shapes():
    common = torch._prims_common
    assert common.is_float_dtype(torch.float16) and common.is_integer_dtype(torch.uint8)
    assert common.is_boolean_dtype(torch.bool) and common.is_complex_dtype(torch.complex64)
    assert common.corresponding_real_dtype(torch.complex64) is torch.float32
    assert common.corresponding_complex_dtype(torch.float64) is torch.complex128
    assert common.get_higher_dtype(torch.int64, torch.ones(1)) is torch.float32
    assert common.make_contiguous_strides_for((2, 3, 4)) == (12, 4, 1)
    assert common.make_contiguous_strides_for((2, 3, 4), row_major=False) == (12, 1, 3)
    assert common.is_contiguous_or_false(torch.ones(2, 3)) and not common.is_contiguous(torch.ones(2, 3).T)


def test_a_mode_is_known_to_be_there():
    assert not _C._is_torch_function_mode_enabled()
    with torch.overrides.TorchFunctionMode():
        assert _C._is_torch_function_mode_enabled()


def test_remote_references_can_be_asked_for():
    assert not isinstance(torch.ones(1), _C._distributed_rpc.PyRRef)
    with pytest.raises(Exception, match="remote procedure calls are left out"):
        _C._distributed_rpc.PyRRef()
