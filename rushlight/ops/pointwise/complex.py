"""Complex: complex tensors from real ones, their parts, angles and conjugates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.memory.deferred import CONJUGATE, NEGATIVE, deferred, flips_of, raw
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers import dtypes
from rushlight.core.object.conversion import require_tensor
from rushlight.core.object.tensor import Tensor, method
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import zeros
from rushlight.ops.machine.inplace import written
from rushlight.ops.machine.layouts import COMMON, ROWS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE, PLAIN
from rushlight.ops.machine.writing import scalar_name
from rushlight.ops.pointwise.where import choose

pairs = cases(
    lambda make: [
        case(make.floats(3, 4, low=0.1), make.floats(3, 4)),
        case(make.floats(3, 1, low=0.1), make.floats(4)),
        case(make.floats(low=0.1, dtype="float64"), make.floats(3, dtype="float64")),
        case(make.floats(0), make.floats(0)),
        case(make.floats(3, low=0.1), make.floats(3, dtype="float64")),
        case(make.ints(3), make.ints(3)),
    ]
)


@op(dtype=SAME, batch=ELEMENTWISE, layout=COMMON, name="_complex", node="ComplexBackward0", samples=None)
def from_parts(real: Tensor, imag: Tensor, *, out=None):
    """Complex numbers with the given real and imaginary parts."""
    require_parts(real, imag)
    kind = np.promote_types(real.dtype, np.complex64)
    # in the order of the parts, in which it stays
    alike = real.shape == imag.shape and 0 not in real.strides
    found = np.empty_like(real, kind) if alike else np.empty(np.broadcast_shapes(real.shape, imag.shape), kind)
    found.real, found.imag = real, imag
    return found


from_parts.gradient(
    real=lambda grad: grad.real,
    imag=lambda grad: grad.imag,
)
# torch's node saves both parts, for their dtypes
from_parts.op.runs_once = True


@composed(samples=pairs, method=False)
def complex(real, imag, *, out=None):
    """Complex numbers with the given real and imaginary parts.

    >>> torch.complex(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 2.0]))
    tensor([1.+0.j, 0.+2.j])
    """
    if out is not None and isinstance(real, Tensor) and out.dtype is not dtypes.promote_parts(real.dtype):
        raise explained(
            RuntimeError,
            f"Expected object of scalar type {dtypes.promote_parts(real.dtype).scalar} but got scalar type "
            f"{out.dtype.scalar} for "
            "argument 'out'",
            fix=f"pass an out= of dtype {dtypes.promote_parts(real.dtype)}, or leave it out",
        )
    return from_parts(real, imag, out=out)


@op(dtype=SAME, batch=ELEMENTWISE, layout=COMMON, samples=pairs, method=False)
def polar(abs: Tensor, angle: Tensor, *, out=None):
    """Complex numbers with the given lengths and angles.

    >>> torch.polar(torch.tensor([1.0, 2.0]), torch.tensor([math.pi / 3, 0.0]))
    tensor([0.5000+0.8660j, 2.0000+0.0000j])
    """
    require_parts(abs, angle)
    if abs.dtype == np.float16:
        raise no_kernel("polar_cpu", "Half", fix="convert both parts with .float()")
    real, imag = abs * np.cos(angle), abs * np.sin(angle)
    found = np.empty(real.shape, "complex64" if abs.dtype == np.float32 else "complex128")
    found.real, found.imag = real, imag
    return found


polar.gradient(
    abs=lambda grad, angle: grad.real * angle.cos() + grad.imag * angle.sin(),
    angle=lambda grad, abs, angle: (grad.imag * angle.cos() - grad.real * angle.sin()) * abs,
)


def require_parts(first: np.ndarray, second: np.ndarray) -> None:
    """The two parts of complex numbers are floats of one dtype."""
    if first.dtype.kind != "f" or second.dtype.kind != "f":
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {scalar_name(first)} and "
            f"{scalar_name(second)}"
        )
    if first.dtype != second.dtype:
        raise explained(
            RuntimeError,
            f"Expected object of scalar type {scalar_name(first)} but got scalar type {scalar_name(second)} for second "
            "argument",
            fix=one_dtype(first.dtype, second.dtype),
        )


@composed(
    samples=cases(
        lambda make: [
            case(make.complexes(3, 4)),
            case(make.complexes(4, 2).T),
            case(make.complexes(dtype="complex128")),
            case(make.complexes(0, 3)),
            case(make.floats(3)),
        ]
    ),
    method=False,
)
def view_as_real(input):
    """A view of complex numbers as pairs of real ones, in a new last dimension.

    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([[ 1.,  2.],
            [ 3., -4.]])
    """
    if is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors. Call resolve_conj() first, which makes a "
            "copy; x.real and x.imag are views of a conjugate too."
        )
    return pairs_view(input)


@op(dtype=SAME, batch=PLAIN, view=True, name="_view_as_real", node="ViewAsRealBackward0", samples=None)
def pairs_view(input):
    if input.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return input[..., None].view(input.real.dtype)


pairs_view.gradient(input=lambda grad: view_as_complex(grad.contiguous()))


@op(
    dtype=SAME,
    batch=PLAIN,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 2)),
            case(make.floats(2, 3, 2, dtype="float64")),
            case(make.floats(2)),
            case(make.floats(3, 2, 4)[:, :, :2]),
            case(make.floats(2, 3).T),
            case(make.floats(3)),
            case(make.floats()),
            case(make.ints(3, 2)),
        ]
    ),
    method=False,
)
def view_as_complex(input):
    """A view of pairs of real numbers, in the last dimension, as complex ones.

    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0], [3.0, -4.0]]))
    tensor([1.+2.j, 3.-4.j])
    """
    if input.dtype.kind != "f":
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got a tensor of {input.dtype}"
        )
    if not input.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.dtype.itemsize == 2:
        raise RuntimeError("view_as_complex: complex32 is not in Rushlight; convert the tensor first, with .float()")
    size = input.itemsize
    if input.size and input.strides[-1] != size:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % (2 * size) for step in input.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return input.view(np.promote_types(input.dtype, np.complex64))[..., 0]


view_as_complex.gradient(input=lambda grad: view_as_real(grad.resolve_conj()))


@op(dtype=SAME, batch=ELEMENTWISE, view=True, name="_conj", node="ConjBackward0", samples=None)
def memory_to_conjugate(input):
    return input[...]


memory_to_conjugate.gradient(input=lambda grad: grad.conj())


@op(dtype=SAME, batch=ELEMENTWISE, view=True, name="_negated", node="NegViewBackward0", samples=None)
def memory_to_negate(input):
    return input[...]


memory_to_negate.gradient(input=lambda grad: -grad)


def flip(view: Tensor, which: int) -> Tensor:
    """Let a new view stand for the conjugate, or the negative, of what it stood for."""
    if type(view._array) is Lifted:
        array = view._array
        flip(array.inner, which)
        if array.aside is not None:
            flip(array.aside, which)
        return view
    view._array = deferred(raw(view._array), flips_of(view._array) ^ which)
    return view


@composed(samples=unary(complexes=True))
def conj(input):
    """A view of complex numbers that shows their conjugates; a real tensor is returned as it is.

    The conjugates are computed when they are read; writing to the view writes their conjugates to the input.

    >>> z = torch.tensor([1 + 2j, 3 - 4j])
    >>> z.conj(), z.conj().is_conj()
    (tensor([1.-2.j, 3.+4.j]), True)
    """
    return flip(memory_to_conjugate(input), CONJUGATE) if input.is_complex() else input


def neg_view(input: Tensor) -> Tensor:
    """A view that shows the negatives, which are computed when they are read."""
    return flip(memory_to_negate(input), NEGATIVE)


@op(dtype=SAME, batch=ELEMENTWISE, name="_conj_physical", inplace=True, node="ConjPhysicalBackward0", samples=None)
def conjugated(input, *, out=None):
    """The complex conjugate of each element."""
    return np.conjugate(input) if input.dtype.kind == "c" else input.copy()


conjugated.gradient(input=lambda grad: conj_physical(grad))


@composed(samples=unary(complexes=True))
def conj_physical(input, *, out=None):
    """The complex conjugate of each element; a real tensor is returned as it is.

    >>> torch.conj_physical(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1.-2.j, 3.+4.j])
    """
    return conjugated(input, out=out) if out is not None or input.is_complex() else input


@method
def conj_physical_(self):
    """The complex conjugate of each element, in place."""
    if self.is_complex():
        return conjugated.op.inplace(self)
    written(self)
    return self


@composed(samples=unary(complexes=True), method=False)
def real(input):
    """A view of the real parts; a real tensor is returned as it is.

    >>> z = torch.tensor([1 + 2j, 3 - 4j])
    >>> torch.real(z).zero_(), z
    (tensor([0., 0.]), tensor([0.+2.j, 0.-4.j]))
    """
    if not input.is_complex():
        return input
    return view_as_real(conj(input) if is_conj(input) else input).select(-1, 0)


@composed(samples=unary(complexes=True), method=False)
def imag(input):
    """A view of the imaginary parts.

    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
    """
    if not input.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if is_conj(input):
        return neg_view(view_as_real(conj(input))).select(-1, 1)
    return view_as_real(input).select(-1, 1)


Tensor.real = property(real, lambda self, value: real(self).copy_(value))
Tensor.imag = property(imag, lambda self, value: imag(self).copy_(value))


def by_kind(op: Any, arrays: list, result: np.ndarray) -> np.ndarray:
    """Angles of complex numbers are contiguous, those of real ones follow their input."""
    return (ROWS if arrays[0].dtype.kind == "c" else COMMON)(op, arrays, result)


@op(dtype=SAME, layout=by_kind, samples=unary(complexes=True), inplace=False)
def angle(input, *, out=None):
    """The angle of each complex number; 0 for positive and pi for negative real ones.

    >>> torch.angle(torch.tensor([1j, -1, 1 + 1j]))
    tensor([1.5708, 3.1416, 0.7854])
    """
    if input.dtype.kind == "c":
        return np.arctan2(input.imag, input.real)
    kind = input.dtype if input.dtype.kind not in "bui" else dtypes.default.numpy
    if input.dtype.kind in "bu":
        return np.zeros_like(input, kind)
    if input.dtype.kind == "i" and kind not in dtypes.HALF:
        found = np.less(input, 0).astype(kind)
        found *= math.pi
        return found
    return np.where(np.isnan(input), input, np.where(np.less(input, 0), math.pi, 0)).astype(kind)


angle.gradient(input=lambda grad, input: angle_gradient(grad, input) if input.is_complex() else zeros(grad))


def angle_gradient(grad: Tensor, input: Tensor) -> Tensor:
    return choose(input == 0, 0, grad * (input / (input.real * input.real + input.imag * input.imag)) * 1j)


def is_plain(input: Any) -> bool:
    """Whether it is a tensor whose numbers stand in memory as they are, which nearly all do."""
    return type(getattr(input, "_array", None)) is np.ndarray


@composed(samples=unary(complexes=True))
def resolve_conj(input):
    """The tensor itself, or a copy with the conjugates computed if it is a view that `conj` made.

    >>> view = torch.tensor([1 + 2j]).conj()
    >>> view.is_conj(), view.resolve_conj().is_conj()
    (True, False)
    """
    return input if is_plain(input) or not is_conj(input) else input.clone()


@composed(samples=unary(complexes=True))
def resolve_neg(input):
    """The tensor itself, or a copy with the signs changed if it is a view such as `x.conj().imag`.

    >>> view = torch.tensor([1 + 2j]).conj().imag
    >>> view.is_neg(), view.resolve_neg().is_neg()
    (True, False)
    """
    return input if is_plain(input) or not is_neg(input) else input.clone()


@composed(samples=unary(complexes=True))
def is_conj(input):
    """Whether it is a view that shows the conjugates of the numbers in memory.

    >>> z = torch.tensor([[1j, 2]])
    >>> torch.is_conj(z), torch.is_conj(z.conj()), torch.is_conj(z.conj().conj())
    (False, True, False)
    """
    if is_plain(input):
        return False
    return flips_of(require_tensor(input, "is_conj")._array) & CONJUGATE != 0


@composed(samples=unary(complexes=True))
def is_neg(input):
    """Whether it is a view that shows the negatives of the numbers in memory, as `x.conj().imag` does.

    >>> z = torch.tensor([1 + 2j])
    >>> torch.is_neg(z.imag), torch.is_neg(z.conj().imag), torch.is_neg(-z.imag)
    (False, True, False)
    """
    if is_plain(input):
        return False
    return flips_of(require_tensor(input, "is_neg")._array) & NEGATIVE != 0
