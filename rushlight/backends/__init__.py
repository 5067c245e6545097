"""Backends: what computes. NumPy's BLAS and our kernels do; flags for GPUs are kept, read back and change nothing."""

from rushlight.core.surface.lazy import names_of

fp32_precision = "none"

__all__ = [
    *("cpu", "cuda", "cudnn", "cusparselt", "kleidiai", "mha", "miopen", "mkl", "mkldnn", "mps", "nnpack", "openmp"),
    *("opt_einsum", "quantized", "xeon"),
]

__getattr__ = names_of("rushlight.backends", tuple(__all__))
