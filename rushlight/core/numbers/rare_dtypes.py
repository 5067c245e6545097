"""Rare dtypes: floats of eight bits, which are kept but not computed with, and kinds that are known by name only."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import COMPLEX, FLOAT, INTEGER, dtype

UNDEFINED = {"Bits": "Bits types are undefined", "Q": "isSignedType not supported for quantized types"}


class RareDtype(dtype):
    """A dtype of torch's that few programs touch; one object for each, as for the others."""

    def __init__(self, name: str, scalar: str, category: int, itemsize: int, signed: bool | None = True):
        self.kept = name.startswith("float8")
        super().__init__(name, scalar, category, itemsize, signed is True)
        if signed is None:
            # asked for, it is an error in torch
            del self.__dict__["is_signed"]

    @property
    def numpy(self) -> np.dtype:
        """ml_dtypes' dtype for floats of eight bits; an error for what no tensor here can hold."""
        if self._numpy is None:
            self._numpy = self.load()
        return self._numpy

    def load(self) -> np.dtype:
        """The NumPy dtype, made known to the tables."""
        if not self.kept:
            raise NotImplementedError(f"tensors of {self!r} are not in Rushlight: {self.instead()}")
        import ml_dtypes

        found = np.dtype(getattr(ml_dtypes, self.name))
        dtypes.FROM_NUMPY[found] = self
        dtypes.DIFFERENTIABLE.add(found)
        dtypes.STORED.add(found)
        return found

    def instead(self) -> str:
        """What to use in place of a dtype that is a name only."""
        if self.category == COMPLEX:
            return "NumPy has no complex numbers of half precision; use torch.complex64"
        if self.scalar.startswith("Q"):
            return "quantization is left out; compute in torch.float32, or keep numbers in torch.int8"
        return "it is known by name only; use torch.int8, torch.uint8 or torch.float16"

    def to_complex(self) -> dtype:
        """The complex dtype with parts of this one, which only complex32 has: itself."""
        if self.category == COMPLEX:
            return self
        raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar}")

    def to_real(self) -> dtype:
        """The dtype of the parts of complex32; the others are real."""
        return dtypes.float16 if self.category == COMPLEX else self

    def __getattr__(self, name: str) -> Any:
        if name == "is_signed":
            raise RuntimeError(next(words for start, words in UNDEFINED.items() if self.scalar.startswith(start)))
        return super().__getattr__(name)


float8_e4m3fn = RareDtype("float8_e4m3fn", "Float8_e4m3fn", FLOAT, 1)
float8_e4m3fnuz = RareDtype("float8_e4m3fnuz", "Float8_e4m3fnuz", FLOAT, 1)
float8_e5m2 = RareDtype("float8_e5m2", "Float8_e5m2", FLOAT, 1)
float8_e5m2fnuz = RareDtype("float8_e5m2fnuz", "Float8_e5m2fnuz", FLOAT, 1)
float8_e8m0fnu = RareDtype("float8_e8m0fnu", "Float8_e8m0fnu", FLOAT, 1, signed=False)
float4_e2m1fn_x2 = RareDtype("float4_e2m1fn_x2", "Float4_e2m1fn_x2", FLOAT, 1)
complex32 = chalf = RareDtype("complex32", "ComplexHalf", COMPLEX, 4)

int1, int2, int3, int4, int5, int6, int7 = (RareDtype(f"int{bits}", f"Int{bits}", INTEGER, 1) for bits in range(1, 8))
uint1, uint2, uint3, uint4, uint5, uint6, uint7 = (
    RareDtype(f"uint{bits}", f"UInt{bits}", INTEGER, 1, signed=False) for bits in range(1, 8)
)
bit = uint1

bits1x8, bits2x4, bits4x2, bits8 = (
    RareDtype(f"bits{form}", f"Bits{form}", INTEGER, 1, signed=None) for form in ("1x8", "2x4", "4x2", "8")
)
bits16 = RareDtype("bits16", "Bits16", INTEGER, 2, signed=None)

qint8 = RareDtype("qint8", "QInt8", INTEGER, 1, signed=None)
quint8 = RareDtype("quint8", "QUInt8", INTEGER, 1, signed=None)
quint4x2 = RareDtype("quint4x2", "QUInt4x2", INTEGER, 1, signed=None)
quint2x4 = RareDtype("quint2x4", "QUInt2x4", INTEGER, 1, signed=None)
qint32 = RareDtype("qint32", "QInt32", INTEGER, 4, signed=None)

ALL = {name: value for name, value in globals().items() if isinstance(value, RareDtype)}
ABBREVIATIONS = {"bits1x8": "b1x8", "bits2x4": "b2x4", "bits4x2": "b4x2", "bits8": "b8x1", "bits16": "b16x1"}
NAMES_ONLY = ("float4_e2m1fn_x2", "int1", "int2", "int3", "int4", "int5", "int6", "int7")
# beyond the largest number: it itself in the first, infinity or nothing in the others
LARGEST = {"float8_e4m3fn": 448.0}


def refuse_promotion(one: dtype, other: dtype) -> dtype:
    """Promotion where one of two different dtypes is rare: complex numbers only."""
    for place, each in enumerate((one, other), 1):
        if not isinstance(each, dtype):
            raise TypeError(
                f"promote_types(): argument 'type{place}' (position {place}) must be torch.dtype, not "
                f"{type(each).__name__}"
            )
    for each in (one, other):
        if each.name.startswith("float8"):
            raise RuntimeError(
                f"Promotion for Float8 Types is not supported, attempted to promote {one.scalar} and {other.scalar}: "
                "convert with .float() first"
            )
        if each.scalar.startswith("Q"):
            raise RuntimeError(
                "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, "
                f"offending types: {one.scalar} {other.scalar}"
            )
        if each.scalar.startswith("Bits"):
            raise RuntimeError(f"Promotion from {one.scalar} and {other.scalar} is unsupported.")
        if each.name in NAMES_ONLY:
            raise RuntimeError(
                f"Promotion from {one.scalar} and {other.scalar} is unsupported: convert one of them first"
            )
    rest = other if isinstance(one, RareDtype) else one
    if complex32 not in (one, other):
        return rest if rest.category == FLOAT else refuse_unsigned(one, other)
    if any(each.name.startswith("uint") and each is not dtypes.uint8 for each in (one, other)):
        return refuse_unsigned(one, other)
    rest = other if one is complex32 else one
    if rest.category < FLOAT or rest is dtypes.float16:
        return complex32
    return rest if rest.category == COMPLEX else dtypes.promote_parts(rest)


def refuse_unsigned(one: dtype, other: dtype) -> NoReturn:
    """Unsigned dtypes other than uint8 promote to floating point ones only."""
    raise RuntimeError(
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{one.scalar} and {other.scalar}: convert one of the two first, for example with .to(torch.int64)"
    )


def limits_of(kind: dtype) -> tuple[float, ...]:
    """eps, max, min and the smallest normal number of a float of eight bits, as `finfo` shows them."""
    import ml_dtypes

    found: Any = ml_dtypes.finfo(kind.numpy)
    # torch's own number for this one, which has one bit less than that says
    eps = 0.125 if kind is float8_e5m2fnuz else float(found.eps)
    return eps, float(found.max), float(found.min), float(found.smallest_normal)


def store(array: np.ndarray, kind: np.dtype) -> np.ndarray:
    """An array in a dtype of eight bits, rounded as torch rounds."""
    wide = array.astype(np.float32)
    largest = LARGEST.get(kind.name)
    if largest is not None:
        wide = np.clip(wide, -largest, largest)
    if kind.name == "float8_e8m0fnu":
        # powers of two without a sign and without a zero, which torch leaves away and rounds up
        wide = np.maximum(np.abs(wide), np.float32(2.0**-127))
    found = wide.astype(kind)
    if kind.name == "float8_e5m2":
        # of the patterns that are no number, torch's
        lost = np.isnan(wide)
        found.view(np.uint8)[lost] = np.where(np.signbit(wide[lost]), 255, 127)
    return found
