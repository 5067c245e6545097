"""Neural networks: modules with parameters, their functions and their initialisers."""

from rushlight.core.lazy import names_of
from rushlight.nn import functional, init, modules, utils
from rushlight.nn.modules import *
from rushlight.nn.parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

ELSEWHERE = {**modules.LATE, "factory_kwargs": "nn.factory"}
__getattr__ = names_of(
    "rushlight.nn", lazy=("_reduction", "attention", "common_types", "grad", "parallel"), elsewhere=ELSEWHERE
)
