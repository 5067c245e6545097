"""The dtypes: torch's names for the kinds of number a tensor may hold."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

BOOL, INTEGER, FLOAT, COMPLEX = range(4)
BY_NUMPY = frozenset(
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)


class dtype:
    """A kind of number, such as `float32`; there is one object for each.

    >>> torch.float32.itemsize, torch.float32.is_floating_point
    (4, True)
    >>> torch.float is torch.float32
    True
    """

    def __init__(self, name: str, scalar: str, category: int, itemsize: int, signed: bool = True):
        self.name = name
        self.scalar = scalar  # torch's other name for it, used in messages and in `FloatTensor`
        self.category = category
        self.itemsize = itemsize
        self.is_signed = signed
        self.is_floating_point = category == FLOAT
        self.is_complex = category == COMPLEX
        self._numpy = np.dtype(name) if name in BY_NUMPY else None

    @property
    def numpy(self) -> np.dtype:
        """The NumPy dtype of the arrays behind tensors of this dtype."""
        if self._numpy is None:
            self._numpy = load_bfloat16()
        return self._numpy

    @property
    def differentiable(self) -> bool:
        return self.category >= FLOAT

    def to_complex(self) -> dtype:
        """The complex dtype with parts of this one; itself if it is complex."""
        if self.category < FLOAT:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar}")
        if self.category == COMPLEX:
            return self
        if self is float16:
            from rushlight.core.numbers.rare_dtypes import complex32

            return complex32
        return promote_parts(self)

    @property
    def abbr(self) -> str:
        """torch's short name, such as `f32`."""
        if self.name in ABBREVIATIONS:
            return ABBREVIATIONS[self.name]
        if self.name.startswith(("float", "complex")):
            return self.name.replace("float", "f").replace("complex", "c").replace("_", "")
        from rushlight.core.numbers import rare_dtypes

        if self in ALL:
            return self.name.replace("uint", "u").replace("int", "i")
        return rare_dtypes.ABBREVIATIONS.get(self.name, self.name)

    def to_real(self) -> dtype:
        """The dtype of the parts of a complex one; itself if it is real."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def __getattr__(self, name: str) -> Any:
        # NumPy's mean of a list of tensors ends with `total.dtype.type(total / count)`; nobody else may see a `type`,
        # by which packages tell NumPy's dtypes from torch's
        if name == "type" and "numpy" in (caller := sys._getframe(1).f_code).co_filename and caller.co_name == "_mean":
            return keep
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'", name=name, obj=self)

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str | tuple:
        return by_name, (self.name,)


ABBREVIATIONS = {"bool": "b8", "bfloat16": "bf16"}


def promote_parts(kind: dtype) -> dtype:
    """The complex dtype that numbers of a real one are computed in: complex64 for those of half precision too."""
    return complex128 if kind.itemsize == 8 else complex64


def keep(value: object) -> object:
    """The value itself."""
    return value


bool_ = dtype("bool", "Bool", BOOL, 1, signed=False)
uint8 = dtype("uint8", "Byte", INTEGER, 1, signed=False)
int8 = dtype("int8", "Char", INTEGER, 1)
int16 = dtype("int16", "Short", INTEGER, 2)
int32 = dtype("int32", "Int", INTEGER, 4)
int64 = dtype("int64", "Long", INTEGER, 8)
uint16 = dtype("uint16", "UInt16", INTEGER, 2, signed=False)
uint32 = dtype("uint32", "UInt32", INTEGER, 4, signed=False)
uint64 = dtype("uint64", "UInt64", INTEGER, 8, signed=False)
float16 = dtype("float16", "Half", FLOAT, 2)
bfloat16 = dtype("bfloat16", "BFloat16", FLOAT, 2)
float32 = dtype("float32", "Float", FLOAT, 4)
float64 = dtype("float64", "Double", FLOAT, 8)
complex64 = dtype("complex64", "ComplexFloat", COMPLEX, 8)
complex128 = dtype("complex128", "ComplexDouble", COMPLEX, 16)

ALL = (
    bool_,
    uint8,
    int8,
    int16,
    int32,
    int64,
    uint16,
    uint32,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
)

# bfloat16 joins when it is first asked for: ml_dtypes is not imported before
FROM_NUMPY: dict[np.dtype, dtype] = {each._numpy: each for each in ALL if each._numpy is not None}
DIFFERENTIABLE: set[np.dtype] = {each for each, kind in FROM_NUMPY.items() if kind.differentiable}
# computed in float32 and rounded once, as torch does
HALF: set[np.dtype] = {np.dtype("float16")}
# floats of eight bits: kept, copied and converted, never computed with; they join when first asked for
STORED: set[np.dtype] = set()

default = float32


def load_bfloat16() -> np.dtype:
    """ml_dtypes' bfloat16, made known to the tables above."""
    import ml_dtypes

    found = np.dtype(ml_dtypes.bfloat16)
    FROM_NUMPY[found] = bfloat16
    DIFFERENTIABLE.add(found)
    HALF.add(found)
    return found


def by_name(name: str) -> dtype:
    """The dtype of a name, also a rare one."""
    found = next((each for each in ALL if each.name == name), None)
    if found is None:
        from rushlight.core.numbers import rare_dtypes

        return rare_dtypes.ALL[name]
    return found


# torch takes Python's own types for these
PYTHON_TYPES: dict[object, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}


def checked(given: object) -> dtype:
    """A `dtype=` argument: a dtype, or a Python type that stands for one."""
    if isinstance(given, dtype):
        return given
    found = PYTHON_TYPES.get(given) if isinstance(given, type) else None
    if found is None:
        raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(given).__name__}: {given!r}")
    return found


LARGEST_FLOAT = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


def fits(value: complex, kind: dtype) -> bool:
    """Whether torch converts a Python number to a dtype without calling it an overflow."""
    if kind.category == BOOL:
        return True
    if isinstance(value, complex):
        parts = kind.to_real()
        return fits(value.real, parts) and (fits(value.imag, parts) if kind.is_complex else value.imag == 0)
    if kind.category != INTEGER:
        largest = LARGEST_FLOAT.get(kind.to_real().name, math.inf)
        return not (isinstance(value, int) or math.isfinite(value)) or abs(value) <= largest
    limits = np.iinfo(kind.numpy)
    # a negative integer wraps around in uint8 and kin, a negative float does not
    wraps = isinstance(value, int) and not kind.is_signed
    lowest = max(-int(limits.max), -(2**63)) if wraps else limits.min
    return bool(lowest <= value <= limits.max)


def from_numpy(kind: np.dtype) -> dtype:
    """Our dtype for NumPy's; a TypeError for those that have none."""
    found = FROM_NUMPY.get(kind)
    if found is None:
        if kind.name == "bfloat16" or kind.name.startswith("float8_"):
            # known once its NumPy dtype has been asked for
            known = by_name(kind.name)
            return FROM_NUMPY[known.numpy]
        if not kind.isnative:
            raise ValueError(
                "given numpy array has byte order different from the native byte order. "
                "Conversion between byte orders is currently not supported."
            )
        raise TypeError(
            f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. The only "
            f"supported types are: {', '.join(each.name for each in reversed(ALL))}. "
            "Convert it first, for example with array.astype(numpy.int64)."
        )
    return found


def python_type(given: Any) -> Any:
    """The dtype that a type of Python stands for; anything else as it is, a list too."""
    return PYTHON_TYPES.get(given, given) if isinstance(given, type) else given


class finfo:
    """Limits of a floating point dtype.

    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    >>> torch.finfo(torch.float16).max
    65504.0
    """

    def __init__(self, type: dtype | None = None):
        kind = default if type is None else python_type(type)
        if not isinstance(kind, dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {kind.__class__.__name__}")
        if kind.category < FLOAT:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{kind!r}'")
        if kind.itemsize == 1:
            self.set_rare(kind)
            return
        if kind is bfloat16:
            import ml_dtypes

            limits: Any = ml_dtypes.finfo(kind.numpy)
        elif kind.itemsize == 4 and kind.category == COMPLEX:
            limits = np.finfo(np.float16)
        else:
            limits = np.finfo(kind.numpy)
        self.dtype = kind.to_real().name
        self.bits = int(limits.bits)
        for name in ("eps", "max", "min", "tiny", "smallest_normal", "resolution"):
            setattr(self, name, float(getattr(limits, name)))
        # the power of ten itself, not its neighbour in a short format
        self.resolution = float(f"{float(limits.resolution):.0e}")

    def set_rare(self, kind: dtype) -> None:
        """The limits of a float of eight bits; there are none for pairs of four."""
        from rushlight.core.numbers import rare_dtypes

        if not kind.name.startswith("float8"):
            raise NotImplementedError(f"\"epsilon\" not implemented for '{kind.scalar}'")
        self.dtype, self.bits, self.resolution = kind.name, 8, 1.0
        self.eps, self.max, self.min, self.tiny = rare_dtypes.limits_of(kind)
        self.smallest_normal = self.tiny

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and (self.dtype, self.bits) == (other.dtype, other.bits)

    def __hash__(self) -> int:
        return hash((self.dtype, self.bits))

    def __repr__(self) -> str:
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in fields)}, dtype={self.dtype})"


# the integers behind quantized numbers
QUANTIZED = {"qint8": "int8", "qint32": "int32", "quint8": "uint8", "quint4x2": "uint8", "quint2x4": "uint8"}


class iinfo:
    """Limits of an integer dtype.

    >>> torch.iinfo(torch.int8).min, torch.iinfo(torch.int8).max
    (-128, 127)
    """

    def __init__(self, type: dtype):
        type = python_type(type)
        if not isinstance(type, dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type.category not in (BOOL, INTEGER):
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type!r}'")
        if type.category == BOOL:
            raise TypeError("torch.bool is not supported by torch.iinfo: it has no range of integers")
        if type not in ALL and not type.scalar.startswith("Q"):
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type!r}'")
        limits = np.iinfo(QUANTIZED.get(type.name) or type.numpy)
        self.dtype, self.bits = type.name, int(limits.bits)
        self.max, self.min = int(limits.max), int(limits.min)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
