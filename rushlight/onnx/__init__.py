"""torch.onnx: networks as ONNX files, which other programs run; names that programs import."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rushlight.core.surface.refusals import make_modules, names_refused, table
from rushlight.onnx import errors
from rushlight.onnx.errors import OnnxExporterError
from rushlight.onnx.exporting import Exporting, export
from rushlight.onnx.program import ONNXProgram

WHY = "torch.onnx.export writes networks by its own table of operations"
NAMES = table(
    """
    :
    ExportOptions ExportableModule InputObserver JitScalarType
    OperatorExportTypes=ONNX,ONNX_ATEN,ONNX_ATEN_FALLBACK,ONNX_FALLTHROUGH
    TensorProtoDataType=UNDEFINED,FLOAT,UINT8,INT8,UINT16,INT16,INT32,INT64,STRING,BOOL,FLOAT16,DOUBLE
    TrainingMode=EVAL,PRESERVE,TRAINING select_model_mode_for_export
    operators: reshape_from_tensor_shape shape_as_tensor
    symbolic_helper: _get_tensor_dim_size _get_tensor_sizes _is_none _maybe_get_const _unimplemented
    cast_pytorch_to_onnx
    symbolic_opset9: masked_fill softmax
    symbolic_opset10:
    symbolic_opset11: select squeeze unsqueeze
    symbolic_opset12: dropout
    symbolic_opset13:
    symbolic_registry:
    utils:
    verification:
    ops:
    """
)
OWN = [
    "ONNXProgram",
    "OnnxExporterError",
    "errors",
    "export",
    "is_in_onnx_export",
    "is_onnxrt_backend_supported",
    "register_custom_op_symbolic",
    "unregister_custom_op_symbolic",
]
__all__ = [*OWN, *NAMES[""]]
# functions that would write the nodes of custom operations, by name and version, for whoever exports some day
symbolics: dict[tuple[str, int], Callable] = {}
producer_name = "rushlight"


def is_in_onnx_export() -> bool:
    """Whether a network is being exported."""
    return Exporting.is_on


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable, opset_version: int) -> None:
    """Keep the function that would write a custom operation; packages say it when they are imported."""
    symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forget the function that would write a custom operation."""
    symbolics.pop((symbolic_name, opset_version), None)


def is_onnxrt_backend_supported() -> bool:
    """Whether ONNX Runtime can run a compiled function: no."""
    return False


def parse_args(*kinds: str) -> Callable:
    """Decorates a function that would write a node: the function itself, which nobody calls."""

    def decorate(function: Callable) -> Callable:
        return function

    return decorate


def quantized_args(*kinds: Any, **options: Any) -> Callable:
    """Decorates a function that would write a quantized node: the function itself."""
    return parse_args()


__getattr__ = names_refused("rushlight.onnx", NAMES[""], WHY)
make_modules("rushlight.onnx", {place: names for place, names in NAMES.items() if place}, WHY)
vars(sys.modules["rushlight.onnx.symbolic_helper"]).update(parse_args=parse_args, quantized_args=quantized_args)
vars(sys.modules["rushlight.onnx.utils"]).update(export=export)
for each in (export, ONNXProgram):
    each.__module__ = "rushlight.onnx"
