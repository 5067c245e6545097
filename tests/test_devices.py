"""Devices that are not there: the questions are answered as PyTorch's build for the CPU does."""

import pytest

import rushlight as torch


def test_there_is_no_gpu_memory():
    assert torch.cuda.memory_allocated() == torch.cuda.max_memory_reserved() == 0
    assert torch.cuda.memory_stats() == {}
    assert torch.cuda.get_rng_state_all() == torch.cuda.get_arch_list() == []
    assert not torch.cuda.is_bf16_supported()
    with pytest.warns(FutureWarning, match="has been renamed"):
        assert torch.cuda.memory_cached() == 0


@pytest.mark.parametrize("name", ["current_device", "get_device_name", "mem_get_info", "current_stream", "init"])
def test_questions_about_a_gpu_are_refused(name):
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        getattr(torch.cuda, name)()


def test_choosing_a_gpu_is_refused():
    torch.cuda.set_device(-1)
    with torch.cuda.device(None), torch.cuda.device_of(torch.ones(1)), torch.cuda.stream(None):
        pass
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.cuda.set_device(0)
    with pytest.raises(RuntimeError, match="compiled without CUDA support"), torch.cuda.device(0):
        pass


def test_types_of_gpu_tensors_have_no_instances():
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    with pytest.raises(TypeError, match=r"type torch.cuda.FloatTensor not available"):
        torch.cuda.FloatTensor(2)
    with pytest.raises(RuntimeError, match="requires CUDA support"):
        torch.cuda.Event()


def test_there_is_no_accelerator():
    assert not torch.accelerator.is_available()
    assert torch.accelerator.current_accelerator() is None
    assert torch.accelerator.device_count() == torch.mps.device_count() == torch.xpu.device_count() == 0
    with torch.accelerator.device_index(None):
        pass
    with pytest.raises(RuntimeError, match="Cannot access accelerator device when none is available"):
        torch.accelerator.synchronize()


def test_the_cpu_answers():
    assert torch.cpu.is_available()
    assert torch.cpu.device_count() == 1
    torch.cpu.synchronize()
    assert torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")


def test_flags_of_cudnn_are_kept():
    assert not torch.backends.cudnn.is_available()
    assert torch.backends.cudnn.version() is None
    torch.backends.cudnn.deterministic = True
    with torch.backends.cudnn.flags(benchmark=True):
        assert torch.backends.cudnn.benchmark
        assert not torch.backends.cudnn.deterministic
    assert torch.backends.cudnn.deterministic
    assert torch.backends.cudnn.enabled
    torch.backends.cudnn.deterministic = False


def test_flags_of_cuda_are_kept():
    assert not torch.backends.cuda.is_built()
    torch.backends.cuda.matmul.allow_tf32 = True
    with torch.backends.cuda.sdp_kernel(enable_flash=False):
        assert not torch.backends.cuda.flash_sdp_enabled()
    assert torch.backends.cuda.flash_sdp_enabled()
    torch.backends.cuda.matmul.allow_tf32 = False


def test_other_backends():
    assert not torch.backends.mps.is_available()
    assert not torch.backends.mkldnn.is_available()
    assert not torch.backends.openmp.is_available()
    assert isinstance(torch.backends.mkl.is_available(), bool)
    assert not torch.backends.opt_einsum.is_available()


def test_the_version_is_that_of_a_build_for_the_cpu():
    assert torch.version.__version__ == "2.13.0"
    assert torch.version.cuda is None
    assert not torch.version.debug


@pytest.mark.parametrize("name", ["cuda", "xpu", "mps", "mtia"])
def test_a_device_that_is_not_there_says_so(name):
    place = getattr(torch, name)
    assert not place.is_available() and place.device_count() == 0 and place.manual_seed(0) is None


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.xpu.current_device(), AssertionError, "Torch not compiled with XPU enabled"),
        (lambda: torch.xpu.device(0).__enter__(), RuntimeError, "Torch not compiled with XPU enabled"),
        (lambda: torch.xpu.Stream(), RuntimeError, "Torch not compiled with XPU enabled"),
        (lambda: torch.mps.synchronize(), RuntimeError, "Cannot execute synchronize\\(\\) without MPS backend"),
        (lambda: torch.mtia.current_device(), RuntimeError, "without MTIA backend"),
        (lambda: torch.cuda.cudart(), AssertionError, "Torch not compiled with CUDA enabled"),
        (lambda: torch.cuda.comm.broadcast(None, []), AssertionError, "Torch not compiled with CUDA enabled"),
        (lambda: torch.cuda.nvtx.range_push("x"), RuntimeError, "NVTX functions not installed"),
        (lambda: torch.cuda.nvtx.range("x").__enter__(), RuntimeError, "NVTX functions not installed"),
        (lambda: torch.cuda.graph(None), RuntimeError, "requires CUDA support"),
    ],
)
def test_work_on_a_device_that_is_not_there_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_memory_of_a_device_that_is_not_there_is_none():
    assert torch.xpu.memory_allocated() == torch.cuda.memory.memory_allocated() == torch.mtia.memory_allocated() == 0
    assert torch.xpu.memory_stats() == {} and torch.cuda.random.get_rng_state_all() == []
    assert torch.cuda.reset_max_memory_allocated() is None and not torch.cuda.is_current_stream_capturing()


def test_libraries_that_are_not_used_say_so():
    backends = torch.backends
    assert not backends.nnpack.is_available() and not backends.cusparselt.is_available()
    assert backends.quantized.supported_engines == [] and backends.cusparselt.version() is None
    assert backends.mha.get_fastpath_enabled()
    backends.mha.set_fastpath_enabled(False)
    assert not backends.mha.get_fastpath_enabled()
    backends.mha.set_fastpath_enabled(True)


def test_no_process_was_forked_beside_a_gpu():
    assert torch.cuda._is_in_bad_fork() is False
