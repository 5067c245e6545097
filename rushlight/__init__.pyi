"""Rushlight: PyTorch's programming model on NumPy.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Iterable as _collections_Iterable
from typing import Any, Literal, overload

from numpy import ndarray as _numpy_ndarray
from typing_extensions import TypeIs

from rushlight import accelerator as accelerator
from rushlight import amp as amp
from rushlight import ao as ao
from rushlight import autograd as autograd
from rushlight import backends as backends
from rushlight import compiler as compiler
from rushlight import cpu as cpu
from rushlight import cuda as cuda
from rushlight import distributed as distributed
from rushlight import distributions as distributions
from rushlight import doctor as doctor
from rushlight import export as export
from rushlight import fft as fft
from rushlight import func as func
from rushlight import functional as functional
from rushlight import futures as futures
from rushlight import fx as fx
from rushlight import hub as hub
from rushlight import jit as jit
from rushlight import library as library
from rushlight import linalg as linalg
from rushlight import masked as masked
from rushlight import memory as memory
from rushlight import monitor as monitor
from rushlight import mps as mps
from rushlight import mtia as mtia
from rushlight import multiprocessing as multiprocessing
from rushlight import nested as nested
from rushlight import nn as nn
from rushlight import onnx as onnx
from rushlight import optim as optim
from rushlight import overrides as overrides
from rushlight import package as package
from rushlight import profiler as profiler
from rushlight import quantization as quantization
from rushlight import quasirandom as quasirandom
from rushlight import random as random
from rushlight import return_types as return_types
from rushlight import serialization as serialization
from rushlight import signal as signal
from rushlight import sparse as sparse
from rushlight import special as special
from rushlight import storage as storage
from rushlight import testing as testing
from rushlight import torch_version as torch_version
from rushlight import types as types
from rushlight import utils as utils
from rushlight import version as version
from rushlight import xpu as xpu
from rushlight._C import AcceleratorError as AcceleratorError
from rushlight._C import AliasDb as AliasDb
from rushlight._C import AnyType as AnyType
from rushlight._C import Argument as Argument
from rushlight._C import Block as Block
from rushlight._C import BoolType as BoolType
from rushlight._C import BufferDict as BufferDict
from rushlight._C import CallStack as CallStack
from rushlight._C import ClassType as ClassType
from rushlight._C import Code as Code
from rushlight._C import CompilationUnit as CompilationUnit
from rushlight._C import ComplexType as ComplexType
from rushlight._C import DeviceObjType as DeviceObjType
from rushlight._C import DictType as DictType
from rushlight._C import EnumType as EnumType
from rushlight._C import ErrorReport as ErrorReport
from rushlight._C import FatalError as FatalError
from rushlight._C import FileCheck as FileCheck
from rushlight._C import FloatType as FloatType
from rushlight._C import FunctionSchema as FunctionSchema
from rushlight._C import FutureType as FutureType
from rushlight._C import Gradient as Gradient
from rushlight._C import Graph as Graph
from rushlight._C import InferredType as InferredType
from rushlight._C import InterfaceType as InterfaceType
from rushlight._C import IntType as IntType
from rushlight._C import JITException as JITException
from rushlight._C import ListType as ListType
from rushlight._C import LiteScriptModule as LiteScriptModule
from rushlight._C import ModuleDict as ModuleDict
from rushlight._C import Node as Node
from rushlight._C import NoneType as NoneType
from rushlight._C import NumberType as NumberType
from rushlight._C import OperatorInfo as OperatorInfo
from rushlight._C import OptionalType as OptionalType
from rushlight._C import ParameterDict as ParameterDict
from rushlight._C import PyObjectType as PyObjectType
from rushlight._C import PyTorchFileReader as PyTorchFileReader
from rushlight._C import PyTorchFileWriter as PyTorchFileWriter
from rushlight._C import ScriptClass as ScriptClass
from rushlight._C import ScriptDict as ScriptDict
from rushlight._C import ScriptFunction as ScriptFunction
from rushlight._C import ScriptList as ScriptList
from rushlight._C import ScriptMethod as ScriptMethod
from rushlight._C import ScriptModule as ScriptModule
from rushlight._C import ScriptModuleSerializer as ScriptModuleSerializer
from rushlight._C import ScriptObject as ScriptObject
from rushlight._C import StreamObjType as StreamObjType
from rushlight._C import StringType as StringType
from rushlight._C import SymBoolType as SymBoolType
from rushlight._C import SymIntType as SymIntType
from rushlight._C import TensorType as TensorType
from rushlight._C import ThroughputBenchmark as ThroughputBenchmark
from rushlight._C import TracingState as TracingState
from rushlight._C import TupleType as TupleType
from rushlight._C import Type as Type
from rushlight._C import UnionType as UnionType
from rushlight._C import Use as Use
from rushlight._C import Value as Value
from rushlight.amp.autocast_mode import autocast as autocast
from rushlight.amp.grad_scaler import GradScaler as GradScaler
from rushlight.autograd.modes import enable_grad as enable_grad
from rushlight.autograd.modes import inference_mode as inference_mode
from rushlight.autograd.modes import no_grad as no_grad
from rushlight.autograd.modes import set_grad_enabled as set_grad_enabled
from rushlight.core.memory.layout import channels_last as channels_last
from rushlight.core.memory.layout import channels_last_3d as channels_last_3d
from rushlight.core.memory.layout import contiguous_format as contiguous_format
from rushlight.core.memory.layout import jagged as jagged
from rushlight.core.memory.layout import layout as _layout
from rushlight.core.memory.layout import layout as layout
from rushlight.core.memory.layout import memory_format as _memory_format
from rushlight.core.memory.layout import memory_format as memory_format
from rushlight.core.memory.layout import preserve_format as preserve_format
from rushlight.core.memory.layout import sparse_bsc as sparse_bsc
from rushlight.core.memory.layout import sparse_bsr as sparse_bsr
from rushlight.core.memory.layout import sparse_coo as sparse_coo
from rushlight.core.memory.layout import sparse_csc as sparse_csc
from rushlight.core.memory.layout import sparse_csr as sparse_csr
from rushlight.core.memory.layout import strided as strided
from rushlight.core.memory.public_storage import StorageBase as StorageBase
from rushlight.core.numbers.dtypes import bfloat16 as bfloat16
from rushlight.core.numbers.dtypes import complex64 as complex64
from rushlight.core.numbers.dtypes import complex128 as complex128
from rushlight.core.numbers.dtypes import dtype as _dtype
from rushlight.core.numbers.dtypes import dtype as dtype
from rushlight.core.numbers.dtypes import finfo as finfo
from rushlight.core.numbers.dtypes import float16 as float16
from rushlight.core.numbers.dtypes import float32 as float32
from rushlight.core.numbers.dtypes import float64 as float64
from rushlight.core.numbers.dtypes import iinfo as iinfo
from rushlight.core.numbers.dtypes import int8 as int8
from rushlight.core.numbers.dtypes import int16 as int16
from rushlight.core.numbers.dtypes import int32 as int32
from rushlight.core.numbers.dtypes import int64 as int64
from rushlight.core.numbers.dtypes import uint8 as uint8
from rushlight.core.numbers.dtypes import uint16 as uint16
from rushlight.core.numbers.dtypes import uint32 as uint32
from rushlight.core.numbers.dtypes import uint64 as uint64
from rushlight.core.numbers.promotion import promote_types as promote_types
from rushlight.core.numbers.rare_dtypes import bit as bit
from rushlight.core.numbers.rare_dtypes import bits1x8 as bits1x8
from rushlight.core.numbers.rare_dtypes import bits2x4 as bits2x4
from rushlight.core.numbers.rare_dtypes import bits4x2 as bits4x2
from rushlight.core.numbers.rare_dtypes import bits8 as bits8
from rushlight.core.numbers.rare_dtypes import bits16 as bits16
from rushlight.core.numbers.rare_dtypes import chalf as chalf
from rushlight.core.numbers.rare_dtypes import complex32 as complex32
from rushlight.core.numbers.rare_dtypes import float4_e2m1fn_x2 as float4_e2m1fn_x2
from rushlight.core.numbers.rare_dtypes import float8_e4m3fn as float8_e4m3fn
from rushlight.core.numbers.rare_dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from rushlight.core.numbers.rare_dtypes import float8_e5m2 as float8_e5m2
from rushlight.core.numbers.rare_dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from rushlight.core.numbers.rare_dtypes import float8_e8m0fnu as float8_e8m0fnu
from rushlight.core.numbers.rare_dtypes import int1 as int1
from rushlight.core.numbers.rare_dtypes import int2 as int2
from rushlight.core.numbers.rare_dtypes import int3 as int3
from rushlight.core.numbers.rare_dtypes import int4 as int4
from rushlight.core.numbers.rare_dtypes import int5 as int5
from rushlight.core.numbers.rare_dtypes import int6 as int6
from rushlight.core.numbers.rare_dtypes import int7 as int7
from rushlight.core.numbers.rare_dtypes import qint8 as qint8
from rushlight.core.numbers.rare_dtypes import qint32 as qint32
from rushlight.core.numbers.rare_dtypes import quint2x4 as quint2x4
from rushlight.core.numbers.rare_dtypes import quint4x2 as quint4x2
from rushlight.core.numbers.rare_dtypes import quint8 as quint8
from rushlight.core.numbers.rare_dtypes import uint1 as uint1
from rushlight.core.numbers.rare_dtypes import uint2 as uint2
from rushlight.core.numbers.rare_dtypes import uint3 as uint3
from rushlight.core.numbers.rare_dtypes import uint4 as uint4
from rushlight.core.numbers.rare_dtypes import uint5 as uint5
from rushlight.core.numbers.rare_dtypes import uint6 as uint6
from rushlight.core.numbers.rare_dtypes import uint7 as uint7
from rushlight.core.object import results
from rushlight.core.object.size import Size as Size
from rushlight.core.object.tensor import Tensor as Tensor
from rushlight.core.random.streams import Generator as Generator
from rushlight.core.settings.device import device as _device
from rushlight.core.settings.device import device as device
from rushlight.core.settings.streams import Event as Event
from rushlight.core.settings.streams import Stream as Stream
from rushlight.core.surface.overriding import DisableTorchFunction as DisableTorchFunction
from rushlight.core.surface.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from rushlight.core.surface.symbols import SymBool as SymBool
from rushlight.core.surface.symbols import SymFloat as SymFloat
from rushlight.core.surface.symbols import SymInt as SymInt
from rushlight.core.surface.tags import Tag as Tag
from rushlight.doctor.explaining import Explanation as _Explanation
from rushlight.doctor.graphs import Graph as _Graph
from rushlight.errors.kinds import OutOfMemoryError as OutOfMemoryError
from rushlight.futures import Future as Future
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions
from rushlight.storage import BFloat16Storage as BFloat16Storage
from rushlight.storage import BoolStorage as BoolStorage
from rushlight.storage import ByteStorage as ByteStorage
from rushlight.storage import CharStorage as CharStorage
from rushlight.storage import ComplexDoubleStorage as ComplexDoubleStorage
from rushlight.storage import ComplexFloatStorage as ComplexFloatStorage
from rushlight.storage import DoubleStorage as DoubleStorage
from rushlight.storage import FloatStorage as FloatStorage
from rushlight.storage import FloatStorage as Storage
from rushlight.storage import HalfStorage as HalfStorage
from rushlight.storage import IntStorage as IntStorage
from rushlight.storage import LongStorage as LongStorage
from rushlight.storage import ShortStorage as ShortStorage
from rushlight.storage import TypedStorage as TypedStorage
from rushlight.storage import UntypedStorage as UntypedStorage
from rushlight.types import Device, Number, _bool, _complex, _float, _int

__all__ = [
    "AcceleratorError",
    "AliasDb",
    "AnyType",
    "Argument",
    "BFloat16Storage",
    "BFloat16Tensor",
    "Block",
    "BoolStorage",
    "BoolTensor",
    "BoolType",
    "BufferDict",
    "ByteStorage",
    "ByteTensor",
    "CallStack",
    "CharStorage",
    "CharTensor",
    "ClassType",
    "Code",
    "CompilationUnit",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "ComplexType",
    "DeviceObjType",
    "DictType",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "DoubleStorage",
    "DoubleTensor",
    "EnumType",
    "ErrorReport",
    "Event",
    "FatalError",
    "FileCheck",
    "FloatStorage",
    "FloatTensor",
    "FloatType",
    "FunctionSchema",
    "Future",
    "FutureType",
    "Generator",
    "GradScaler",
    "Gradient",
    "Graph",
    "HalfStorage",
    "HalfTensor",
    "InferredType",
    "IntStorage",
    "IntTensor",
    "IntType",
    "InterfaceType",
    "JITException",
    "ListType",
    "LiteScriptModule",
    "LongStorage",
    "LongTensor",
    "ModuleDict",
    "Node",
    "NoneType",
    "NumberType",
    "OperatorInfo",
    "OptionalType",
    "OutOfMemoryError",
    "ParameterDict",
    "PyObjectType",
    "PyTorchFileReader",
    "PyTorchFileWriter",
    "ScriptClass",
    "ScriptDict",
    "ScriptFunction",
    "ScriptList",
    "ScriptMethod",
    "ScriptModule",
    "ScriptModuleSerializer",
    "ScriptObject",
    "ShortStorage",
    "ShortTensor",
    "Size",
    "Storage",
    "StorageBase",
    "Stream",
    "StreamObjType",
    "StringType",
    "SymBool",
    "SymBoolType",
    "SymFloat",
    "SymInt",
    "SymIntType",
    "Tag",
    "Tensor",
    "TensorType",
    "ThroughputBenchmark",
    "TracingState",
    "TupleType",
    "Type",
    "TypedStorage",
    "UnionType",
    "UntypedStorage",
    "Use",
    "Value",
    "abs",
    "abs_",
    "absolute",
    "accelerator",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addmv_",
    "addr",
    "adjoint",
    "affine_grid_generator",
    "alias_copy",
    "all",
    "allclose",
    "alpha_dropout",
    "alpha_dropout_",
    "amax",
    "amin",
    "aminmax",
    "amp",
    "angle",
    "any",
    "ao",
    "arange",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "are_deterministic_algorithms_enabled",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_",
    "as_strided_copy",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autocast",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "autograd",
    "avg_pool1d",
    "backends",
    "baddbmm",
    "bartlett_window",
    "batch_norm",
    "batch_norm_update_stats",
    "bernoulli",
    "bfloat16",
    "bilinear",
    "bincount",
    "binomial",
    "bit",
    "bits16",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "cdouble",
    "ceil",
    "ceil_",
    "celu",
    "celu_",
    "cfloat",
    "chain_matmul",
    "chalf",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clear_autocast_cache",
    "clip",
    "clip_",
    "clone",
    "column_stack",
    "combinations",
    "compile",
    "compiled_with_cxx11_abi",
    "compiler",
    "complex",
    "complex128",
    "complex32",
    "complex64",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "conj_physical_",
    "constant_pad_nd",
    "contiguous_format",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "copysign",
    "corrcoef",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cpu",
    "cross",
    "cuda",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "default_generator",
    "deg2rad",
    "deg2rad_",
    "det",
    "detach",
    "detach_",
    "detach_copy",
    "device",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "distributed",
    "distributions",
    "div",
    "divide",
    "doctor",
    "dot",
    "double",
    "dropout",
    "dropout_",
    "dsplit",
    "dstack",
    "dtype",
    "e",
    "eig",
    "einsum",
    "embedding",
    "embedding_bag",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "enable_grad",
    "eq",
    "equal",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expand_copy",
    "explain",
    "expm1",
    "expm1_",
    "export",
    "eye",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "fft",
    "fill",
    "fill_",
    "finfo",
    "fix",
    "fix_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float",
    "float16",
    "float32",
    "float4_e2m1fn_x2",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float_power",
    "floor",
    "floor_",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "fork_rng",
    "frac",
    "frac_",
    "frexp",
    "from_dlpack",
    "from_file",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "func",
    "functional",
    "futures",
    "fx",
    "gather",
    "gcd",
    "gcd_",
    "ge",
    "geqrf",
    "ger",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "get_default_device",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_device",
    "get_device_module",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "get_printoptions",
    "get_rng_state",
    "gradient",
    "graph",
    "greater",
    "greater_equal",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "group_norm",
    "gru",
    "gru_cell",
    "gt",
    "half",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "hash_tensor",
    "heaviside",
    "histc",
    "histogram",
    "histogramdd",
    "hsplit",
    "hstack",
    "hub",
    "hypot",
    "i0",
    "i0_",
    "igamma",
    "igammac",
    "iinfo",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "inf",
    "inference_mode",
    "info",
    "initial_seed",
    "inner",
    "instance_norm",
    "int",
    "int1",
    "int16",
    "int2",
    "int3",
    "int32",
    "int4",
    "int5",
    "int6",
    "int64",
    "int7",
    "int8",
    "inverse",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "is_complex",
    "is_conj",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_tensor",
    "is_warn_always_enabled",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "jagged",
    "jit",
    "kaiser_window",
    "kron",
    "kthvalue",
    "layer_norm",
    "layout",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "le",
    "legacy_contiguous_format",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "library",
    "linalg",
    "linspace",
    "load",
    "lobpcg",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "long",
    "lstm",
    "lstm_cell",
    "lstsq",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "masked",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "matrix_rank",
    "max",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "memory",
    "memory_format",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "monitor",
    "moveaxis",
    "movedim",
    "mps",
    "msort",
    "mtia",
    "mul",
    "multinomial",
    "multiply",
    "multiprocessing",
    "mv",
    "mvlgamma",
    "nan",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "native_batch_norm",
    "native_channel_shuffle",
    "native_dropout",
    "native_group_norm",
    "native_layer_norm",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "nested",
    "newaxis",
    "nextafter",
    "nn",
    "no_grad",
    "nonzero",
    "nonzero_static",
    "norm",
    "norm_except_dim",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "onnx",
    "optim",
    "orgqr",
    "ormqr",
    "outer",
    "overrides",
    "package",
    "pairwise_distance",
    "pca_lowrank",
    "pdist",
    "permute",
    "permute_copy",
    "pi",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "preserve_format",
    "printoptions",
    "prod",
    "profiler",
    "promote_types",
    "put",
    "qint32",
    "qint8",
    "qr",
    "quantile",
    "quantization",
    "quasirandom",
    "quint2x4",
    "quint4x2",
    "quint8",
    "rad2deg",
    "rad2deg_",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random",
    "randperm",
    "range",
    "ravel",
    "real",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "remainder",
    "renorm",
    "repeat_interleave",
    "reshape",
    "resize_as_",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "return_types",
    "rms_norm",
    "rnn_relu",
    "rnn_relu_cell",
    "rnn_tanh",
    "rnn_tanh_cell",
    "roll",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "rsqrt_",
    "rsub",
    "save",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "segment_reduce",
    "select",
    "select_copy",
    "select_scatter",
    "selu",
    "selu_",
    "serialization",
    "set_anomaly_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "set_vital",
    "set_warn_always",
    "sgn",
    "short",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signal",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "slice_copy",
    "slice_scatter",
    "slogdet",
    "softmax",
    "solve",
    "sort",
    "sparse",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "special",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "squeeze_copy",
    "stack",
    "std",
    "std_mean",
    "stft",
    "storage",
    "strided",
    "sub",
    "subtract",
    "sum",
    "svd",
    "svd_lowrank",
    "swapaxes",
    "swapdims",
    "sym_float",
    "sym_int",
    "sym_ite",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_sqrt",
    "sym_sum",
    "symeig",
    "t",
    "t_copy",
    "take",
    "take_along_dim",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensor",
    "tensor_split",
    "tensordot",
    "testing",
    "thread_safe_generator",
    "threshold",
    "threshold_",
    "tile",
    "to_dlpack",
    "topk",
    "torch_version",
    "trace",
    "transpose",
    "transpose_copy",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "trunc_",
    "typename",
    "types",
    "uint1",
    "uint16",
    "uint2",
    "uint3",
    "uint32",
    "uint4",
    "uint5",
    "uint6",
    "uint64",
    "uint7",
    "uint8",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold_copy",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "use_deterministic_algorithms",
    "utils",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "version",
    "view_as_complex",
    "view_as_complex_copy",
    "view_as_real",
    "view_as_real_copy",
    "view_copy",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "xlogy_",
    "xpu",
    "zero_",
    "zeros",
    "zeros_like",
]
__version__: str

class BFloat16Tensor(Tensor): ...
class BoolTensor(Tensor): ...
class ByteTensor(Tensor): ...
class CharTensor(Tensor): ...
class DoubleTensor(Tensor): ...
class FloatTensor(Tensor): ...
class HalfTensor(Tensor): ...
class IntTensor(Tensor): ...
class LongTensor(Tensor): ...
class ShortTensor(Tensor): ...

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def abs_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acos_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def acosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor: ...
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]: ...
def add(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addmv_(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def adjoint(input: Tensor) -> Tensor: ...
def affine_grid_generator(theta: Tensor, size: Sequence[_int], align_corners: _bool) -> Tensor: ...
def alias_copy(input: Tensor, *args: Tensor, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def all(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def allclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> _bool: ...
def alpha_dropout(input: Tensor, p: Number, train: _bool) -> Tensor: ...
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def amax(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def amin(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def aminmax(
    input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: Sequence[Tensor] | None = None
) -> results.aminmax: ...
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def any(
    input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
@overload
def arange(
    end: Number | Tensor,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def arange(
    start: Number | Tensor,
    end: Number | Tensor,
    step: Number | Tensor = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccos_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arccosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsin_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arcsinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctan_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def arctanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def are_deterministic_algorithms_enabled() -> _bool: ...
def argmax(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def argmin(input: Tensor, dim: _int | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def argsort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = False,
    axis: _int | Sequence[_int] | None = None,
) -> Tensor: ...
def argwhere(input: Tensor) -> Tensor: ...
def as_strided(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_(
    input: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_strided_copy(input: Tensor, *args: Sequence[_int], out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None
) -> Tensor: ...
def as_tensor(data: Any, *, dtype: _dtype | None = None, device: Device = None) -> Tensor: ...
def asarray(
    obj: Any,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    copy: _bool | None = None,
    requires_grad: _bool | None = None,
) -> Tensor: ...
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asin_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def asinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atan_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def atanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def atleast_1d(input: Tensor) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(input: Tensor) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(input: Tensor) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(*tensors: Tensor) -> tuple[Tensor, ...]: ...
def autocast_decrement_nesting() -> _int: ...
def autocast_increment_nesting() -> _int: ...
def avg_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    ceil_mode: _bool = False,
    count_include_pad: _bool = True,
) -> Tensor: ...
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def bartlett_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = False,
) -> Tensor: ...
def batch_norm_update_stats(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: _float
) -> tuple[Tensor, Tensor]: ...
def bernoulli(
    input: Tensor, p: _float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor: ...
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor: ...
def bitwise_and(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_left_shift(
    input: Tensor | _int, other: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_or(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def bitwise_right_shift(
    input: Tensor | _int, other: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def bitwise_xor(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def blackman_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def block_diag(*tensors: Tensor) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...

bool: _dtype

def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size: ...
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]: ...
def broadcast_to(input: Tensor, size: Sequence[_int]) -> Tensor: ...
def bucketize(
    input: Tensor | _float,
    boundaries: Tensor,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def can_cast(from_: _dtype, to: _dtype) -> _bool: ...
def cartesian_prod(*tensors: Tensor) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def cdist(
    x1: Tensor, x2: Tensor, p: Number = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor: ...

cdouble: _dtype

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ceil_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def celu(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor: ...
def celu_(input: Tensor, alpha: Number = 1.0, inplace: _bool = False) -> Tensor: ...

cfloat: _dtype

def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor: ...
def channel_shuffle(input: Tensor, groups: _int) -> Tensor: ...
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def clamp(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clamp_(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clamp_max(input: Tensor, max: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def clamp_max_(input: Tensor, max: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def clamp_min(input: Tensor, min: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def clamp_min_(input: Tensor, min: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def clear_autocast_cache() -> None: ...
def clip(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clip_(
    input: Tensor,
    min: Tensor | Number | _complex | None = None,
    max: Tensor | Number | _complex | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def clone(input: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor: ...
def compile(
    model: Callable | None = None,
    *,
    fullgraph: _bool = False,
    dynamic: _bool | None = None,
    backend: str | Callable | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: _bool = False,
    recompile_limit: _int | None = None,
    isolate_recompiles: _bool = False,
    shapes_spec: Any = None,
) -> Any: ...
def compiled_with_cxx11_abi() -> _bool: ...
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def conj(input: Tensor) -> Tensor: ...
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def conj_physical_(input: Tensor) -> Tensor: ...
def constant_pad_nd(input: Tensor, pad: Sequence[_int], value: Number = 0) -> Tensor: ...
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | str | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | str | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | str | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    groups: _int = 1,
) -> Tensor: ...
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor: ...
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
    dilation: _int | Sequence[_int] = 1,
) -> Tensor: ...
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: _int | Sequence[_int] = 1,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    transposed: _bool = False,
    output_padding: _int | Sequence[_int] = 0,
    groups: _int = 1,
) -> Tensor: ...
def copysign(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor: ...
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cos_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor: ...
def count_nonzero(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor: ...
def cov(
    input: Tensor, *, correction: Number | None = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor: ...
def cross(
    input: Tensor,
    other: Tensor,
    dim: _int | None = None,
    *,
    axis: _int | Sequence[_int] | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def cummax(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> results.cummax: ...
def cummin(input: Tensor, dim: _int, *, out: Sequence[Tensor] | None = None) -> results.cummin: ...
def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor: ...
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: _int = -1) -> Tensor: ...

default_generator: Generator

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def deg2rad_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def det(input: Tensor) -> Tensor: ...
def detach(input: Tensor) -> Tensor: ...
def detach_(input: Tensor) -> Tensor: ...
def detach_copy(input: Tensor) -> Tensor: ...
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def diagflat(input: Tensor, offset: _int = 0) -> Tensor: ...
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diagonal_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor: ...
def diff(
    input: Tensor,
    n: _int = 1,
    dim: _int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor: ...
def div(
    input: Tensor, other: Tensor | Number | _complex, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor: ...
def divide(
    input: Tensor, other: Tensor | Number | _complex, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor: ...
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor: ...

double: _dtype

def dropout(input: Tensor, p: Number, train: _bool) -> Tensor: ...
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def dsplit(
    input: Tensor,
    indices_or_sections: _int | Sequence[_int] | Tensor | None = None,
    *,
    indices: Sequence[_int] | None = None,
    sections: _int | None = None,
) -> tuple[Tensor, ...]: ...
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...

e: _float

def eig(*arguments: Any, **options: Any) -> Any: ...
def einsum(*args: Any) -> Tensor: ...
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False
) -> Tensor: ...
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: _bool = False,
    mode: _int = 0,
    sparse: _bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: _bool = False,
    padding_idx: _int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def empty(
    *sizes: _int | Sequence[_int],
    size: Sequence[_int] | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def empty_permuted(
    size: Sequence[_int],
    physical_layout: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def empty_strided(
    size: Sequence[_int],
    stride: Sequence[_int],
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def eq(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> _bool: ...
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erf_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfc_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp2_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def exp_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def expand_copy(input: Tensor, *args: Sequence[_int], out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def explain(subject: Any, loss: Tensor | None = None) -> _Explanation: ...
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def expm1_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def eye(
    n: _int,
    m: _int | None = None,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def feature_alpha_dropout(input: Tensor, p: Number, train: _bool) -> Tensor: ...
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def feature_dropout(input: Tensor, p: Number, train: _bool) -> Tensor: ...
def feature_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def fill(input: Tensor, value: Tensor | Number | _complex) -> Tensor: ...
def fill_(input: Tensor, value: Tensor | Number | _complex) -> Tensor: ...
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fix_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor: ...
def flip(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor: ...
def flipud(input: Tensor) -> Tensor: ...

float: _dtype

def float_power(
    input: Tensor | Number | _complex, exponent: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def floor_divide(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def fmod(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def fork_rng(
    devices: _collections_Iterable[Any] | None = None,
    enabled: _bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]: ...
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def frac_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> results.frexp: ...
def from_dlpack(ext_tensor: Any, *, device: Device = None, copy: _bool | None = None) -> Tensor: ...
def from_file(
    filename: str,
    shared: _bool | None = None,
    size: _int | None = 0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def from_numpy(array: _numpy_ndarray) -> Tensor: ...
def frombuffer(
    buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False
) -> Tensor: ...
def full(
    size: Sequence[_int],
    fill_value: Number | _complex,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def full_like(
    input: Tensor,
    fill_value: Number | _complex,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def gather(
    input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def gcd_(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ge(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> results.geqrf: ...
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def get_autocast_cpu_dtype() -> _dtype: ...
def get_autocast_dtype(device_type: str) -> _dtype: ...
def get_autocast_gpu_dtype() -> _dtype: ...
def get_default_device() -> _device: ...
def get_default_dtype() -> _dtype: ...
def get_deterministic_debug_mode() -> _int: ...
def get_device(input: Tensor) -> _int: ...
def get_device_module(device: Device = None) -> Any: ...
def get_float32_matmul_precision() -> str: ...
def get_num_interop_threads() -> _int: ...
def get_num_threads() -> _int: ...
def get_printoptions() -> dict: ...
def get_rng_state() -> Tensor: ...
def gradient(
    input: Tensor,
    *,
    spacing: Number | Sequence[Number] | Sequence[Tensor] | None = None,
    dim: _int | Sequence[_int] | None = None,
    edge_order: _int = 1,
) -> tuple[Tensor, ...]: ...
def graph(tensor: Tensor) -> _Graph: ...
def greater(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def greater_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool
) -> Tensor: ...
def group_norm(
    input: Tensor,
    num_groups: _int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enabled: _bool = True,
) -> Tensor: ...
def gru(
    *input: Tensor | _float | Sequence[Tensor], **options: LinearCrossEntropyOptions | None
) -> tuple[Tensor, Tensor]: ...
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
def gt(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...

half: _dtype

def hamming_window(
    window_length: _int,
    periodic: _bool = True,
    alpha: Number = 0.54,
    beta: Number = 0.46,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann_window(
    window_length: _int,
    periodic: _bool = True,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor: ...
def hash_tensor(
    input: Tensor, dim: _int | Sequence[_int] = (), *, keepdim: _bool = False, mode: _int = 0, out: Tensor | None = None
) -> Tensor: ...
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def histc(
    input: Tensor, bins: _int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None
) -> Tensor: ...
def histogram(
    input: Tensor,
    bins: Tensor | _int = 100,
    *,
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> results.histogram: ...
def histogramdd(
    input: Tensor,
    bins: _int | Sequence[Tensor | _int],
    range: Sequence[_float] | None = None,
    weight: Tensor | None = None,
    density: _bool = False,
) -> results.histogramdd: ...
def hsplit(
    input: Tensor,
    indices_or_sections: _int | Sequence[_int] | Tensor | None = None,
    *,
    indices: Sequence[_int] | None = None,
    sections: _int | None = None,
) -> tuple[Tensor, ...]: ...
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def i0_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def imag(input: Tensor) -> Tensor: ...
def index_add(
    input: Tensor, dim: _int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def index_copy(input: Tensor, dim: _int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def index_fill(
    input: Tensor, dim: _int, index: Tensor, value: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_put_(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: _bool = False) -> Tensor: ...
def index_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...

inf: _float

def info() -> dict[str, Any]: ...
def initial_seed() -> _int: ...
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: _bool,
    momentum: _float,
    eps: _float,
    cudnn_enabled: _bool = False,
) -> Tensor: ...

int: _dtype

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def is_anomaly_check_nan_enabled() -> _bool: ...
def is_anomaly_enabled() -> _bool: ...
def is_autocast_cache_enabled() -> _bool: ...
def is_autocast_cpu_enabled() -> _bool: ...
def is_autocast_enabled(device_type: str = "cuda") -> _bool: ...
def is_complex(input: Tensor) -> _bool: ...
def is_conj(input: Tensor) -> _bool: ...
def is_deterministic_algorithms_warn_only_enabled() -> _bool: ...
def is_floating_point(input: Tensor) -> _bool: ...
def is_grad_enabled() -> _bool: ...
def is_inference(input: Tensor) -> _bool: ...
def is_inference_mode_enabled() -> _bool: ...
def is_neg(input: Tensor) -> _bool: ...
def is_nonzero(input: Tensor) -> _bool: ...
def is_same_size(input: Tensor, other: Tensor) -> _bool: ...
def is_signed(input: Tensor) -> _bool: ...
def is_storage(obj: Any) -> _bool: ...
def is_tensor(obj: Any) -> TypeIs[Tensor]: ...
def is_warn_always_enabled() -> _bool: ...
def isclose(
    input: Tensor, other: Tensor, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False
) -> Tensor: ...
def isfinite(input: Tensor) -> Tensor: ...
def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: _bool = False,
    invert: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def isinf(input: Tensor) -> Tensor: ...
def isnan(input: Tensor) -> Tensor: ...
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def isreal(input: Tensor) -> Tensor: ...
def istft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    normalized: _bool = False,
    onesided: _bool | None = None,
    length: _int | None = None,
    return_complex: _bool = False,
) -> Tensor: ...
def kaiser_window(
    window_length: _int,
    periodic: _bool = True,
    beta: Number = 12.0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def kthvalue(
    input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> results.kthvalue: ...
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[_int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: _float = 1e-05,
    cudnn_enable: _bool = True,
) -> Tensor: ...
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lcm_(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def ldexp_(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def le(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...

legacy_contiguous_format: _memory_format

def lerp(input: Tensor, end: Tensor, weight: Tensor | _float, *, out: Tensor | None = None) -> Tensor: ...
def less(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def less_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def linspace(
    start: Number | _complex | Tensor,
    end: Number | _complex | Tensor,
    steps: _int,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: _bool | None = None,
    mmap: _bool | None = None,
    **pickle_load_args: Any,
) -> Any: ...
def lobpcg(
    A: Tensor,
    k: _int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: _int | None = None,
    iK: Tensor | None = None,
    niter: _int | None = None,
    tol: _float | None = None,
    largest: _bool | None = None,
    method: str | None = None,
    tracker: Callable[..., None] | None = None,
    ortho_iparams: dict[str, _int] | None = None,
    ortho_fparams: dict[str, _float] | None = None,
    ortho_bparams: dict[str, _bool] | None = None,
) -> tuple[Tensor, Tensor]: ...
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log10_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log1p_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log2_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def log_softmax(
    input: Tensor, dim: _int | None = None, dtype: _dtype | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor: ...
def logdet(input: Tensor) -> Tensor: ...
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logit_(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor: ...
def logspace(
    start: Number | _complex | Tensor,
    end: Number | _complex | Tensor,
    steps: _int,
    base: _float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def logsumexp(
    input: Tensor, dim: _int | Sequence[_int], keepdim: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...

long: _dtype

def lstm(
    *input: Tensor | _float | Sequence[Tensor], **options: LinearCrossEntropyOptions | None
) -> tuple[Tensor, Tensor, Tensor]: ...
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]: ...
def lstsq(*arguments: Any, **options: Any) -> Any: ...
def lt(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
@overload
def lu(input: Tensor, pivot: _bool = True, get_infos: Literal[False] = False) -> tuple[Tensor, Tensor]: ...
@overload
def lu(input: Tensor, pivot: _bool = True, *, get_infos: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: _bool = True,
    unpack_pivots: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> results.lu_unpack: ...
def manual_seed(seed: _int) -> Generator: ...
def masked_fill(
    input: Tensor, mask: Tensor, value: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
def matrix_rank(*arguments: Any, **options: Any) -> Any: ...
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> results.max: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool1d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any: ...
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: Literal[False] = False,
) -> Tensor: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool3d(
    input: Tensor,
    kernel_size: _int | Sequence[_int],
    stride: _int | Sequence[_int] | None = None,
    padding: _int | Sequence[_int] = 0,
    dilation: _int | Sequence[_int] = 1,
    ceil_mode: _bool = False,
    return_indices: _bool = False,
) -> Any: ...
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def median(input: Tensor) -> Tensor: ...
@overload
def median(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> results.median: ...
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]: ...
@overload
def min(input: Tensor) -> Tensor: ...
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> results.min: ...
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mode(
    input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> results.mode: ...
def moveaxis(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor: ...
def movedim(input: Tensor, source: _int | Sequence[_int], destination: _int | Sequence[_int]) -> Tensor: ...
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mul(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def multinomial(
    input: Tensor,
    num_samples: _int,
    replacement: _bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multiply(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def mvlgamma(input: Tensor, p: Number, *, out: Tensor | None = None) -> Tensor: ...

nan: _float

def nan_to_num(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def nan_to_num_(
    input: Tensor,
    nan: _float | None = None,
    posinf: _float | None = None,
    neginf: _float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def nanmean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
@overload
def nanmedian(input: Tensor) -> Tensor: ...
@overload
def nanmedian(
    input: Tensor, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None
) -> results.nanmedian: ...
def nanquantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def nansum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def narrow(input: Tensor, dim: _int, start: Tensor | _int, length: _int) -> Tensor: ...
def narrow_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: _bool,
    momentum: _float,
    eps: _float,
    *,
    out: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor: ...
def native_dropout(input: Tensor, p: Number, train: _bool | None) -> tuple[Tensor, Tensor]: ...
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: _int, C: _int, HxW: _int, group: _int, eps: _float
) -> tuple[Tensor, Tensor, Tensor]: ...
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None, bias: Tensor | None, eps: _float
) -> tuple[Tensor, Tensor, Tensor]: ...
def ne(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def neg_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def negative_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...

newaxis: None

def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: _int, fill_value: Number = -1, out: Tensor | None = None) -> Tensor: ...
def norm(
    input: Tensor,
    p: Number | str | None = "fro",
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
) -> Tensor: ...
def norm_except_dim(v: Tensor, pow: _int = 2, dim: _int = 0) -> Tensor: ...
@overload
def normal(
    mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor: ...
@overload
def normal(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(
    mean: _float,
    std: _float,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def not_equal(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def numel(input: Tensor) -> _int: ...
def ones(
    *sizes: _int | Sequence[_int],
    size: Sequence[_int] | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def orgqr(input: Tensor, input2: Tensor) -> Tensor: ...
def ormqr(
    input: Tensor,
    input2: Tensor,
    input3: Tensor,
    left: _bool = True,
    transpose: _bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: Number = 2.0, eps: _float = 1e-06, keepdim: _bool = False
) -> Tensor: ...
def pca_lowrank(
    A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2
) -> tuple[Tensor, Tensor, Tensor]: ...
def pdist(input: Tensor, p: Number = 2.0) -> Tensor: ...
def permute(input: Tensor, dims: Sequence[_int]) -> Tensor: ...
def permute_copy(input: Tensor, *args: Sequence[_int], out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...

pi: _float

def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor: ...
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor: ...
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor: ...
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor: ...
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def positive(input: Tensor) -> Tensor: ...
def pow(
    input: Tensor | Number | _complex, exponent: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def prelu(input: Tensor, weight: Tensor) -> Tensor: ...
def printoptions(
    precision: _int | None = None,
    threshold: _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    profile: str | None = None,
    sci_mode: _bool | None = None,
) -> Iterator: ...
def prod(
    input: Tensor,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def put(
    input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False, *, out: Tensor | None = None
) -> Tensor: ...
def qr(input: Tensor, some: _bool = True, *, out: Sequence[Tensor] | None = None) -> results.qr: ...
def quantile(
    input: Tensor,
    q: Tensor | _float,
    dim: _int | None = None,
    keepdim: _bool = False,
    *,
    interpolation: str = "linear",
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rad2deg_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rand(
    *sizes: _int | Sequence[_int],
    size: Sequence[_int] | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint(
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint(
    low: _int,
    high: _int,
    size: Sequence[_int],
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor,
    low: _int,
    high: _int,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randn(
    *sizes: _int | Sequence[_int],
    size: Sequence[_int] | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
def randperm(
    n: _int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def range(
    start: Number = 0,
    end: Number | None = None,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def ravel(input: Tensor) -> Tensor: ...
def real(input: Tensor) -> Tensor: ...
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def reciprocal_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def relu(input: Tensor, inplace: _bool = False) -> Tensor: ...
def relu_(input: Tensor, inplace: _bool = False) -> Tensor: ...
def remainder(
    input: Tensor | Number | _complex, other: Tensor | Number | _complex, *, out: Tensor | None = None
) -> Tensor: ...
def renorm(input: Tensor, p: Number, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor: ...
@overload
def repeat_interleave(
    input: Tensor, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None
) -> Tensor: ...
@overload
def repeat_interleave(repeats: Tensor, *, output_size: _int | None = None) -> Tensor: ...
def reshape(input: Tensor, shape: Sequence[_int]) -> Tensor: ...
def resize_as_(self, other: Tensor, *, memory_format: _memory_format | None = None) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor: ...
def resolve_neg(input: Tensor) -> Tensor: ...
def result_type(tensor1: Any, tensor2: Any) -> _dtype: ...
def rms_norm(
    input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _float | None = None
) -> Tensor: ...
def rnn_relu(
    *input: Tensor | _float | Sequence[Tensor], **options: LinearCrossEntropyOptions | None
) -> tuple[Tensor, Tensor]: ...
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
def rnn_tanh(
    *input: Tensor | _float | Sequence[Tensor], **options: LinearCrossEntropyOptions | None
) -> tuple[Tensor, Tensor]: ...
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor: ...
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ()) -> Tensor: ...
def rot90(input: Tensor, k: _int = 1, dims: Sequence[_int] = (0, 1)) -> Tensor: ...
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def round_(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor: ...
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def rrelu(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor: ...
def rrelu_(
    input: Tensor,
    lower: _float = 0.125,
    upper: _float = 0.3333333333333333,
    training: _bool = False,
    generator: Generator | None = None,
) -> Tensor: ...
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def rsub(input: Tensor, other: Tensor | Number | _complex, *, alpha: Number = 1) -> Tensor: ...
def save(
    obj: object,
    f: Any,
    pickle_module: Any = ...,
    pickle_protocol: _int = 2,
    _use_new_zipfile_serialization: _bool = True,
    _disable_byteorder_record: _bool = False,
) -> None: ...
def scalar_tensor(
    s: Number | _complex | Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def scatter(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor | _float | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def scatter_reduce(
    input: Tensor,
    dim: _int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: _bool = True,
    out: Tensor | None = None,
) -> Tensor: ...
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | _float,
    *,
    out_int32: _bool = False,
    right: _bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def seed() -> _int: ...
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Sequence[_int] | None = None,
    offsets: Tensor | None = None,
    axis: _int | Sequence[_int] | None = 0,
    unsafe: _bool = False,
    initial: _float | None = None,
) -> Tensor: ...
def select(input: Tensor, dim: _int, index: _int) -> Tensor: ...
def select_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor: ...
def selu(input: Tensor, inplace: _bool = False) -> Tensor: ...
def selu_(input: Tensor, inplace: _bool = False) -> Tensor: ...
def set_anomaly_enabled(enabled: _bool, check_nan: _bool = True) -> None: ...
def set_autocast_cache_enabled(enabled: _bool) -> None: ...
def set_autocast_cpu_dtype(dtype: _dtype) -> None: ...
def set_autocast_cpu_enabled(enabled: _bool) -> None: ...
def set_autocast_dtype(device_type: str, dtype: _dtype) -> None: ...
def set_autocast_enabled(*arguments: Any) -> None: ...
def set_autocast_gpu_dtype(dtype: _dtype) -> None: ...
def set_default_device(device: Device) -> None: ...
def set_default_dtype(d: _dtype) -> None: ...
def set_default_tensor_type(t: Any) -> None: ...
def set_deterministic_debug_mode(debug_mode: _int | str) -> None: ...
def set_float32_matmul_precision(precision: str) -> None: ...
def set_flush_denormal(mode: _bool) -> _bool: ...
def set_num_interop_threads(n: _int) -> None: ...
def set_num_threads(n: _int) -> None: ...
def set_printoptions(
    precision: _int | None = None,
    threshold: _float | None = None,
    edgeitems: _int | None = None,
    linewidth: _int | None = None,
    profile: str | None = None,
    sci_mode: _bool | None = None,
) -> None: ...
def set_rng_state(new_state: Tensor) -> None: ...
def set_vital(*args: Any) -> None: ...
def set_warn_always(b: _bool) -> None: ...
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...

short: _dtype

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sigmoid_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sin_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinc_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def slice_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: _int = 0,
    start: _int | None = None,
    end: _int | None = None,
    step: _int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor: ...
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> results.slogdet: ...
def softmax(
    input: Tensor, dim: _int | None = None, dtype: _dtype | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def solve(*arguments: Any, **options: Any) -> Any: ...
def sort(
    input: Tensor,
    dim: _int = -1,
    descending: _bool = False,
    *,
    stable: _bool = False,
    out: Sequence[Tensor] | None = None,
) -> results.sort: ...
def split(
    tensor: Tensor,
    split_size_or_sections: _int | Sequence[_int] | None = None,
    dim: _int = 0,
    *,
    split_size: _int | Sequence[_int] | None = None,
) -> tuple[Tensor, ...]: ...
def split_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> tuple[Tensor, ...]: ...
def split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def split_with_sizes_copy(
    input: Tensor, *args: Sequence[_int], out: Tensor | None = None, **kwargs: Tensor
) -> tuple[Tensor, ...]: ...
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def sqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def square_(input: Tensor) -> Tensor: ...
def squeeze(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor: ...
def squeeze_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def std(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def std_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> tuple[Tensor, Tensor]: ...
def stft(
    input: Tensor,
    n_fft: _int,
    hop_length: _int | None = None,
    win_length: _int | None = None,
    window: Tensor | None = None,
    center: _bool = True,
    pad_mode: str = "reflect",
    normalized: _bool = False,
    onesided: _bool | None = None,
    return_complex: _bool | None = None,
    align_to_window: _bool | None = None,
) -> Tensor: ...
def sub(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def subtract(
    input: Tensor, other: Tensor | Number | _complex, *, alpha: Number = 1, out: Tensor | None = None
) -> Tensor: ...
def sum(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(
    input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: Sequence[Tensor] | None = None
) -> results.svd: ...
def svd_lowrank(A: Tensor, q: _int = 6, niter: _int = 2, M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]: ...
def swapaxes(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def sym_float(a: Any) -> _float: ...
def sym_int(a: Any) -> _int: ...
def sym_ite(b: _bool, t: Any, f: Any) -> Any: ...
def sym_max(a: _float, b: _float) -> _float: ...
def sym_min(a: _float, b: _float) -> _float: ...
def sym_not(a: Any) -> _bool: ...
def sym_sqrt(a: Any) -> _float: ...
def sym_sum(args: Sequence[_int]) -> _int: ...
def symeig(*arguments: Any, **options: Any) -> Any: ...
def t(input: Tensor) -> Tensor: ...
def t_copy(input: Tensor, *args: Tensor, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def take_along_dim(input: Tensor, indices: Tensor, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor: ...
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tan_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def tensor(
    data: Any,
    *,
    dtype: _dtype | None = None,
    device: Device = None,
    requires_grad: _bool = False,
    pin_memory: _bool = False,
) -> Tensor: ...
def tensor_split(
    input: Tensor,
    indices_or_sections: _int | Sequence[_int] | Tensor | None = None,
    dim: _int = 0,
    *,
    indices: Tensor | Sequence[_int] | None = None,
    sections: _int | None = None,
) -> tuple[Tensor, ...]: ...
def tensordot(
    a: Tensor, b: Tensor, dims: Tensor | _int | Sequence[_int | Sequence[_int]] = 2, out: Tensor | None = None
) -> Tensor: ...
def thread_safe_generator() -> Generator | None: ...
def threshold(input: Tensor, threshold: Number, value: Number, inplace: _bool = False) -> Tensor: ...
def threshold_(input: Tensor, threshold: Number, value: Number, inplace: _bool = False) -> Tensor: ...
def tile(input: Tensor, dims: _int | Sequence[_int]) -> Tensor: ...
def to_dlpack(tensor: Tensor) -> Any: ...
def topk(
    input: Tensor,
    k: _int,
    dim: _int = -1,
    largest: _bool = True,
    sorted: _bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> results.topk: ...
def trace(input: Tensor) -> Tensor: ...
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor: ...
def transpose_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: _int = -1) -> Tensor: ...
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Number | None = None, dim: _int = -1) -> Tensor: ...
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: _bool = True,
    transpose: _bool = False,
    unitriangular: _bool = False,
    *,
    out: Sequence[Tensor] | None = None,
) -> results.triangular_solve: ...
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def tril_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor: ...
def triu_indices(
    row: _int,
    col: _int,
    offset: _int = 0,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
) -> Tensor: ...
def true_divide(input: Tensor, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def trunc_(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def typename(obj: Any) -> str: ...
def unbind(input: Tensor, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unbind_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> tuple[Tensor, ...]: ...
def unflatten(input: Tensor, dim: _int, sizes: Sequence[_int]) -> Tensor: ...
def unfold_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor,
    sorted: _bool = True,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    dim: _int | None = None,
) -> Any: ...
@overload
def unique_consecutive(
    input: Tensor,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: _int | None = None,
) -> Tensor: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
) -> Any: ...
def unravel_index(indices: Tensor, shape: _int | Sequence[_int]) -> tuple[Tensor, ...]: ...
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split(input: Tensor, split_size: _int | Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[_int], dim: _int = 0) -> tuple[Tensor, ...]: ...
def unsqueeze(input: Tensor, dim: _int) -> Tensor: ...
def unsqueeze_copy(input: Tensor, *args: _int, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def use_deterministic_algorithms(mode: _bool, *, warn_only: _bool = False) -> None: ...
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor: ...
def var(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def var_mean(
    input: Tensor,
    dim: _int | Sequence[_int] | None = None,
    unbiased: _bool | None = None,
    keepdim: _bool = False,
    *,
    correction: Number | None = None,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
) -> tuple[Tensor, Tensor]: ...
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def view_as_complex(input: Tensor) -> Tensor: ...
def view_as_complex_copy(input: Tensor, *args: Tensor, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def view_as_real(input: Tensor) -> Tensor: ...
def view_as_real_copy(input: Tensor, *args: Tensor, out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def view_copy(input: Tensor, *args: Sequence[_int], out: Tensor | None = None, **kwargs: Tensor) -> Tensor: ...
def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: _int | None = None,
) -> Callable[..., Any]: ...
def vsplit(
    input: Tensor,
    indices_or_sections: _int | Sequence[_int] | Tensor | None = None,
    *,
    indices: Sequence[_int] | None = None,
    sections: _int | None = None,
) -> tuple[Tensor, ...]: ...
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor: ...
def xlogy(input: Tensor | Number, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def xlogy_(input: Tensor | Number, other: Tensor | Number | _complex, *, out: Tensor | None = None) -> Tensor: ...
def zero_(input: Tensor) -> Tensor: ...
def zeros(
    *sizes: _int | Sequence[_int],
    size: Sequence[_int] | None = None,
    out: Tensor | None = None,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    pin_memory: _bool = False,
    requires_grad: _bool = False,
    memory_format: _memory_format | None = None,
) -> Tensor: ...
