"""torch._dynamo.config: settings that are kept and change nothing."""

import sys

from rushlight.compiler.config import Config

settings = Config(
    "torch._dynamo.config",
    cache_size_limit=8,
    recompile_limit=8,
    accumulated_cache_size_limit=256,
    accumulated_recompile_limit=256,
    suppress_errors=False,
    verbose=False,
    disable=False,
    automatic_dynamic_shapes=True,
    assume_static_by_default=True,
    capture_scalar_outputs=False,
    capture_dynamic_output_shape_ops=False,
    capture_func_transforms=True,
    optimize_ddp=True,
    guard_nn_modules=True,
    inline_inbuilt_nn_modules=True,
    allow_unspec_int_on_nn_module=False,
    compiled_autograd=False,
    specialize_int=False,
    error_on_recompile=False,
    log_level=None,
    reorderable_logging_functions=set(),
    skip_fwd_side_effects_in_bwd_under_checkpoint=False,
)
settings.__spec__, settings.__file__ = __spec__, __file__
sys.modules[__name__] = settings
