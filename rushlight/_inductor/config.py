"""torch._inductor.config: settings that are kept and change nothing."""

import sys

from rushlight.compiler.config import Config

settings = Config(
    "torch._inductor.config",
    debug=False,
    fx_graph_cache=True,
    max_autotune=False,
    max_autotune_gemm=False,
    epilogue_fusion=True,
    coordinate_descent_tuning=False,
    coordinate_descent_check_all_directions=False,
    force_fuse_int_mm_with_mul=False,
    use_mixed_mm=False,
    conv_1x1_as_mm=False,
    shape_padding=True,
    freezing=False,
    cpp_wrapper=False,
    compile_threads=1,
    triton=Config("torch._inductor.config.triton", cudagraphs=False, unique_kernel_names=True),
    cpp=Config("torch._inductor.config.cpp", threads=-1, simdlen=None),
)
settings.__spec__, settings.__file__ = __spec__, __file__
sys.modules[__name__] = settings
