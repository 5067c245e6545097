"""Neural networks: modules with parameters, their functions and their initialisers."""

from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.nn import functional, init, modules, parameter, utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

ELSEWHERE = {"factory_kwargs": "nn.factory"}
OF_QUANTIZATION = ("intrinsic", "qat", "quantizable", "quantized")
LATE = ("attention", "common_types", "grad", "parallel")
__all__ = [*modules.__all__, "Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]
__all__ += ["functional", "init", "modules", "parameter", "utils", *LATE, *ELSEWHERE]
__getattr__ = _names_of(
    "rushlight.nn", lazy=("_reduction", *OF_QUANTIZATION, *LATE), elsewhere={**modules.LATE, **ELSEWHERE}
)
