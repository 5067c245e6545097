"""Rushlight: PyTorch's programming model on NumPy."""

from rushlight.core.settings import collection as _collection

# isort: split
import sys as _sys
from math import e, inf, nan, pi

from numpy import newaxis

from rushlight import autograd, random
from rushlight.autograd import hooks as _hooks
from rushlight.autograd import methods as _methods
from rushlight.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from rushlight.autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from rushlight.core.creation.creation import *
from rushlight.core.creation.filled import *
from rushlight.core.creation.legacy import *
from rushlight.core.creation.likeness import *
from rushlight.core.creation.ranges import *
from rushlight.core.memory.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    strided,
)
from rushlight.core.numbers.defaults import *
from rushlight.core.numbers.dtypes import (
    bfloat16,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from rushlight.core.numbers.dtypes import bool_ as bool
from rushlight.core.numbers.dtypes import complex64 as cfloat
from rushlight.core.numbers.dtypes import complex128 as cdouble
from rushlight.core.numbers.dtypes import float16 as half
from rushlight.core.numbers.dtypes import float32 as float
from rushlight.core.numbers.dtypes import float64 as double
from rushlight.core.numbers.dtypes import int16 as short
from rushlight.core.numbers.dtypes import int32 as int
from rushlight.core.numbers.dtypes import int64 as long
from rushlight.core.numbers.promotion import can_cast, promote_types, result_type
from rushlight.core.object import attributes as _attributes
from rushlight.core.object import pickling as _pickling
from rushlight.core.object import rare_methods as _rare_methods
from rushlight.core.object import storages as _storages
from rushlight.core.object.conversion import *
from rushlight.core.object.printing import get_printoptions, printoptions, set_printoptions
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.core.random.random import Generator
from rushlight.core.settings.device import device
from rushlight.core.settings.information import info
from rushlight.core.settings.threads import *
from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.core.surface.lazy import promise as _promise
from rushlight.ops.machine.bind import public as _public
from rushlight.ops.machine.late import FUNCTIONS as _LATE
from rushlight.ops.random.sampling import *
from rushlight.random import *

# the version of the project stands here alone: meson.build reads it, and pyproject.toml asks meson
__version__ = "0.2.0"

globals().update(_public(""))

# packages that are loaded when they are first asked for
_LAZY = (
    "accelerator",
    "amp",
    "ao",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "doctor",
    "export",
    "fft",
    "func",
    "functional",
    "futures",
    "fx",
    "hub",
    "jit",
    "library",
    "linalg",
    "masked",
    "memory",
    "monitor",
    "mps",
    "mtia",
    "multiprocessing",
    "nested",
    "nn",
    "onnx",
    "optim",
    "overrides",
    "package",
    "profiler",
    "quantization",
    "quasirandom",
    "return_types",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "xpu",
)
# names that few programs use, by the module they are loaded from
_ELSEWHERE = dict.fromkeys(
    "autocast autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype "
    "get_autocast_dtype get_autocast_gpu_dtype GradScaler is_autocast_cache_enabled is_autocast_cpu_enabled "
    "is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled "
    "set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype".split(),
    "amp",
)
_ELSEWHERE |= dict.fromkeys(
    "are_deterministic_algorithms_enabled compiled_with_cxx11_abi get_deterministic_debug_mode get_device_module "
    "get_float32_matmul_precision is_deterministic_algorithms_warn_only_enabled is_storage is_warn_always_enabled "
    "set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_warn_always "
    "use_deterministic_algorithms".split(),
    "core.settings.switches",
)
_ELSEWHERE |= dict.fromkeys(
    "_assert "
    "_check _check_is_size _has_compatible_shallow_copy_type _weight_norm as_strided_ conj_physical_ detach detach_ "
    "detach_copy get_device is_inference is_same_size layer_norm legacy_contiguous_format norm_except_dim rms_norm "
    "set_anomaly_enabled set_vital square_ sym_float sym_int sym_ite "
    "sym_max sym_min sym_not sym_sqrt sym_sum to_dlpack vander".split(),
    "core.surface.functions",
)
_ELSEWHERE |= dict.fromkeys(
    "_chunk_cat _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo _convolution _log_softmax "
    "_log_softmax_backward_data _safe_softmax _segment_reduce _softmax _softmax_backward_data "
    "_unsafe_index _unsafe_index_put _unsafe_masked_index _unsafe_masked_index_put_accumulate".split(),
    "ops.machine.inner",
)
_ELSEWHERE["_disable_dynamo"] = "_compile"
_ELSEWHERE |= dict.fromkeys(("DisableTorchFunction", "DisableTorchFunctionSubclass"), "core.surface.overriding")
_ELSEWHERE |= dict.fromkeys(
    "bit bits16 bits1x8 bits2x4 bits4x2 bits8 chalf complex32 float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz "
    "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu int1 int2 int3 int4 int5 int6 int7 qint32 qint8 quint2x4 quint4x2 "
    "quint8 uint1 uint2 uint3 uint4 uint5 uint6 uint7".split(),
    "core.numbers.rare_dtypes",
)
_ELSEWHERE |= dict.fromkeys(
    "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage "
    "FloatStorage HalfStorage IntStorage LongStorage ShortStorage Storage StorageBase TypedStorage "
    "UntypedStorage".split(),
    "storage",
)
_ELSEWHERE |= {"save": "serialization", "load": "serialization", "from_file": "storage"}
_ELSEWHERE |= {"OutOfMemoryError": "errors.kinds", "compile": "compiler.entry", "vmap": "func"}
_ELSEWHERE |= dict.fromkeys(
    "_assert _assert_async _check_tensor_all _check_tensor_all_with _check_with _shape_as_tensor".split(),
    "core.surface.assertions",
)
_ELSEWHERE |= dict.fromkeys("Event Stream".split(), "core.settings.streams")
_ELSEWHERE |= dict.fromkeys("SymBool SymFloat SymInt".split(), "core.surface.symbols")
_ELSEWHERE |= dict.fromkeys("jagged sparse_bsc sparse_bsr sparse_csc sparse_csr".split(), "core.memory.layout")
_ELSEWHERE |= dict.fromkeys(
    "AcceleratorError AliasDb AnyType Argument Block BoolType BufferDict CallStack ClassType Code CompilationUnit "
    "ComplexType DeviceObjType DictType EnumType ErrorReport FileCheck FloatType FunctionSchema FutureType "
    "Gradient Graph InferredType IntType InterfaceType JITException ListType LiteScriptModule ModuleDict Node "
    "NoneType NumberType OperatorInfo OptionalType ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter "
    "ScriptClass ScriptDict ScriptFunction ScriptList ScriptMethod ScriptModule ScriptModuleSerializer "
    "ScriptObject StreamObjType StringType SymBoolType SymIntType TensorType ThroughputBenchmark TracingState "
    "TupleType Type UnionType Use Value".split(),
    "_C",
)
_ELSEWHERE |= {"explain": "doctor.explaining", "graph": "doctor.graphs"}
_ELSEWHERE |= {"Future": "futures", "FatalError": "_C", "Tag": "core.surface.tags"}
# modules of torch's inside that packages import
_INNER = (
    "_C __config__ __future__ _custom_ops _dynamo _functorch _guards _inductor _jit_internal _library "
    "_ops _prims_common _subclasses _tensor _tensor_str _utils"
).split()


__getattr__ = _names_of("rushlight", (*_LAZY, *_INNER), _ELSEWHERE)
_promise("rushlight", _LATE)
# as in torch, where some programs write torch.torch
torch = _sys.modules[__name__]
_OURS = ("core", "errors", "native", "ops", "torch")
__all__ = [name for name in globals() if not name.startswith("_") and name not in _OURS]
__all__ += [*_LAZY, *(name for name in (*_ELSEWHERE, *_LATE) if not name.startswith("_"))]
_collection.resume()
