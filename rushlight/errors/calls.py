"""Explaining failed calls: torch's words for NumPy's complaint, the operands, where each was made, and a fix."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.creation.filled import does_not_hold
from rushlight.core.memory.capacity import no_room, overflowed, uncountable, wanted_bytes
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import common
from rushlight.core.object import views
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.errors import complaints
from rushlight.errors.explained import MISUSE, Operand, explained, given_words, is_late, stage_of, words_of
from rushlight.errors.fixes import one_dtype
from rushlight.errors.kinds import LinAlgError
from rushlight.errors.raised import is_ours, is_worded
from rushlight.errors.refusals import misfit, no_kernel
from rushlight.ops.machine.asked import not_a_tensor
from rushlight.ops.machine.calling import argument_words, missing, parser_name, public_name
from rushlight.ops.machine.kinds import NoOperand
from rushlight.ops.machine.option_kinds import kind_name, wrong_option
from rushlight.ops.machine.overlap import is_pointwise
from rushlight.ops.machine.rules import DtypeMismatch

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# what goes wrong inside when an argument is of a kind that nobody foresaw
INTERNAL = (AttributeError, NameError, LookupError, ZeroDivisionError, RecursionError, StopIteration)
SHOWN = 4


def recover(op: Op, arguments: tuple, arrays: list, error: Exception) -> Any:
    """Try again where only NumPy objects, or raise the error that torch's users expect."""
    if complaints.does_not_fit(error):
        # torch wraps most Python integers around, NumPy refuses them
        require_fitting(op, arrays)
        if (wrapped := wrap_integers(arrays)) is not None:
            try:
                return op.positional(*wrapped)
            except ValueError as other:  # what did not fit was not the only fault
                error = other
    raise explain(op, dict(zip(op.names, arguments, strict=True)), error)


def explain(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """The error for a failed call: in torch's words, then the operands and what would do."""
    lacking = missing(op, given) or not_a_tensor(op.name, given)
    if lacking is not None:
        lacking.__suppress_context__ = True
        return lacking
    if not is_ours(error):
        return error
    if not isinstance(error, TypeError) and op.name not in LOOKED_AT_FIRST:
        refuse_ambiguous_views(given)
    found = wrong_option(op, given)
    if found is None:
        words = words_of(error)
        if words is not None and words.operands is not None:
            return error
        found = translated(op, given, error)
    if isinstance(found, (RuntimeError, IndexError, ValueError)):
        show_operands(found, given)
    if found is not error:
        found.__cause__ = error if isinstance(error, INTERNAL) else None
        found.__suppress_context__ = True
    return found


# torch looks at the sizes for these before their inner steps look for a history
LOOKED_AT_FIRST = {"_part", "chunk", "flatten", "matmul", "movedim", "nn.functional.linear", "where", "_where"}


def refuse_ambiguous_views(given: dict[str, Any]) -> None:
    """Refuse views whose history was lost by a write to their base: torch does before it looks at a call."""
    for each in tensors_of(given).values():
        if state.grad and each._made is not None and each._base is not None:
            views.refresh(each)


def several_dtypes(op: Op, tensors: list[Tensor]) -> Exception:
    """The error for operands of several dtypes where one is wanted."""
    if op.name in ("matmul", "nn.functional.linear"):
        return product_dtypes(tensors, op.name != "matmul")
    if op.name == "bmm" and any([each._array.ndim != 3 for each in tensors]):
        return RuntimeError(f"batch{1 if tensors[0]._array.ndim != 3 else 2} must be a 3D tensor")
    first = tensors[0]
    other = next((each for each in tensors if each.dtype is not first.dtype), first)
    name = op.name
    if name in CELLS:
        # a cell begins with a linear layer
        name = "nn.functional.linear" if len(tensors) > CELLS[name] else "mm"
    return dtypes_differ(name, first.dtype, other.dtype, tensors)


def dtypes_differ(name: str, one: dtypes.dtype, two: dtypes.dtype, tensors: list[Tensor]) -> Exception:
    """The error of a function that got two dtypes, in the words of its kernel."""
    if one is dtypes.bool_ and name in CHOSEN_BY_FIRST:
        return no_kernel(CHOSEN_BY_FIRST[name], one.scalar)
    words = DTYPE_WORDS.get(name, DTYPE_WORDS["mm"])
    return explained(
        RuntimeError,
        words.format(one=c_name(one), two=c_name(two), One=one.scalar, Two=two.scalar),
        fix=one_dtype(*[each.dtype for each in tensors]),
    )


C_NAMES = {
    "Long": "long int",
    "Short": "short int",
    "Char": "signed char",
    "Byte": "unsigned char",
    "Half": "c10::Half",
    "BFloat16": "c10::BFloat16",
}


def c_name(kind: dtypes.dtype) -> str:
    """A dtype as C++ calls its numbers."""
    name = kind.scalar
    if name.startswith("Complex"):
        return f"c10::complex<{name.removeprefix('Complex').lower()}>"
    return C_NAMES.get(name, name.lower())


def translated(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """An error of torch's for one of NumPy's or Python's; what we raised ourselves has its words."""
    tensors = {name: each for name, each in tensors_of(given).items() if name != "out"}
    if is_pointwise(op) and isinstance(error, RuntimeError):
        # what a function checks itself comes first, then shapes; its kernel looks at dtypes and at numbers last
        return (first_misfit(tensors) if is_late(error) else None) or named_half(op, given, error)
    if isinstance(error, DtypeMismatch):
        return several_dtypes(op, list(tensors.values()))
    if isinstance(error, NoOperand):
        return TypeError(f"{short_name(op)}() {error}")
    if stage_of(error) == MISUSE:
        # an option that must be a condition or a number got a tensor
        return invalid(op, given, error)
    # a dtype in a tensor's place words what it lacks itself
    if is_worded(error) and not isinstance(getattr(error, "obj", None), dtypes.dtype):
        return error
    if isinstance(error, np.exceptions.AxisError):
        return IndexError(axis_words(error))
    if isinstance(error, MemoryError):
        return no_room(wanted_bytes(error), f"in {short_name(op)}()")
    if isinstance(error, np.linalg.LinAlgError):
        return LinAlgError(f"{op.name.lstrip('_')}: The algorithm failed: {error}")
    if isinstance(error, TypeError):
        return wrong_types(op, given, tensors, error)
    if isinstance(error, (ValueError, IndexError)):
        return wrong_values(op, given, tensors, error)
    return invalid(op, given, error) if isinstance(error, INTERNAL) else error


def wrong_types(op: Op, given: dict[str, Any], tensors: dict[str, Tensor], error: TypeError) -> Exception:
    """torch's error for a TypeError of NumPy's or Python's."""
    if complaints.subtracts_bools(error):
        return RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if complaints.has_no_loop(error):
        if is_pointwise(op):
            return first_misfit(tensors) or no_kernel(f"{op.name}_cpu", common_dtype(op, given).scalar)
        first = next(iter(tensors.values()), None)
        return no_kernel(f"{op.name}_cpu", first.dtype.scalar if first is not None else "these arguments")
    return error if complaints.is_about_arguments(error) else invalid(op, given, error)


def wrong_values(op: Op, given: dict[str, Any], tensors: dict[str, Tensor], error: Exception) -> Exception:
    """torch's error for a ValueError or IndexError of NumPy's or Python's."""
    if complaints.is_beyond(error):
        if op.is_view or complaints.is_beyond_a_view(error):
            return uncountable()
        return overflowed(spread_shape(list(tensors.values())) if is_pointwise(op) else None)
    if complaints.has_too_many_dims(error):
        return RuntimeError("only tensors with up to 64 dims are supported, as NumPy's arrays have")
    if complaints.is_about_shapes(error):
        return first_misfit(tensors) or RuntimeError(str(error))
    if complaints.is_about_ranks(error):
        return RuntimeError(f"{short_name(op)}(): an argument has too few or too many dimensions ({error})")
    return invalid(op, given, error) if complaints.is_about_kinds(error) or isinstance(error, INTERNAL) else error


def short_name(op: Op) -> str:
    return public_name(op.name.rpartition(".")[2])


def invalid(op: Op, given: dict[str, Any], error: Exception) -> TypeError:
    """What torch says about an argument that should be a tensor, or that fits no signature, with Python's reason."""
    name = parser_name(op)
    for place, (each, value) in enumerate(given.items()):
        # an AttributeError knows whose attribute was missing
        if value is getattr(error, "obj", given):
            return TypeError(f"{argument_words(op, each, place)} must be Tensor, not {kind_name(value)}")
    kinds = ", ".join(f"{name}={kind_name(value)}" for name, value in given.items() if value is not None)
    reason = str(error) or type(error).__name__
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}): {reason}")


# the numbers that do not wrap around; those under OPTIONS do not for any op
FITTED = {
    "_where": ("input", "other"), "clamp": ("min", "max"), "clamp_max": ("max",), "clamp_min": ("min",),
    "pow": ("exponent",),
}  # fmt: skip
OPTIONS = ("alpha", "beta", "value", "threshold")


def require_fitting(op: Op, arrays: list) -> None:
    """Refuse a number that the dtype of the tensors beside it does not hold."""
    kind = next((each.dtype for each in arrays if isinstance(each, np.ndarray) and each.dtype.kind in "iu"), None)
    for name in (*FITTED.get(op.name, ()), *OPTIONS):
        value = arrays[op.positions[name]] if name in op.positions else None
        if kind is not None and type(value) is int and not dtypes.fits(value, dtypes.from_numpy(kind)):
            raise does_not_hold(value, dtypes.from_numpy(kind))


def wrap_integers(arrays: list) -> list | None:
    """Python integers brought into the range of the arrays beside them, as C does."""
    kind = next((each.dtype for each in arrays if isinstance(each, np.ndarray)), None)
    if kind is None or any(type(each) is int and not -(2**63) <= each < 2**64 for each in arrays):
        return None
    return [
        np.array(each & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(kind) if type(each) is int else each for each in arrays
    ]


def axis_words(error: np.exceptions.AxisError) -> str:
    limit = error.ndim or 1
    return f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {error.axis})"


def first_misfit(tensors: dict[str, Tensor]) -> RuntimeError | None:
    """The error of the first two tensors that do not broadcast; torch calls two a and b, of more we give the names."""
    for (one, first), (two, second) in itertools.combinations(tensors.items(), 2):
        names = ("a", "b") if len(tensors) == 2 else (one, two)
        refused = misfit(first._array.shape, second._array.shape, names)
        if refused is not None:
            return refused
    return None


def named_half(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """The refusal of half precision, which was widened before the body saw it, under its own name."""
    words = words_of(error)
    if words is None or words.refused is None or words.refused[1] != "Float":
        return error
    return no_kernel(words.refused[0], common_dtype(op, given).scalar, words.fix)


def common_dtype(op: Op, given: dict[str, Any]) -> dtypes.dtype:
    """The dtype that the operands have in common."""
    operands = [given[op.names[position]] for position in op.operands]
    return dtypes.from_numpy(common([getattr(each, "_array", each) for each in operands if each is not None])[1])


def spread_shape(tensors: list[Tensor]) -> tuple[int, ...]:
    """The shape that the tensors broadcast to, of which no array need be possible."""
    shapes = [each._array.shape[::-1] for each in tensors]
    return tuple([max(sizes) for sizes in itertools.zip_longest(*shapes, fillvalue=1)])[::-1]


def product_dtypes(tensors: list[Tensor], transposed: bool) -> Exception:
    """Of a product of two dtypes: torch looks at the shapes first, but for two vectors and where it adds a bias."""
    from rushlight.ops.products.linear import refuse_ranks
    from rushlight.ops.products.products import refusal

    one, two = tensors[0]._array.shape, tensors[1]._array.shape
    kinds = [each.dtype for each in tensors]
    if transposed:
        refuse_ranks(len(one), len(two))
        two = two[::-1]
        if len(one) > 2 and kinds[0] is not kinds[1] and not tensors[0].is_contiguous():
            # a product of stacks, to which the bias is added
            return dtypes_differ("bmm", kinds[0], kinds[1], tensors)
        if len(tensors) == 3 and max(len(one), len(two)) > 1:
            if kinds[2] is kinds[1]:
                return dtypes_differ("nn.functional.linear", kinds[0], kinds[1], tensors)
            return dtypes_differ("addmm", kinds[2], kinds[1], tensors)
    if len(one) == len(two) == 1:
        return dtypes_differ("dot", kinds[0], kinds[1], tensors)
    name = "mv" if len(two) == 1 else "mm" if len(two) == 2 else "bmm"
    return refusal(one, two) or dtypes_differ(name, kinds[0], kinds[1], tensors)


# the steps of recurrent cells, and how many tensors they have without a bias
CELLS = {"_rnn_step": 4, "_gru_step": 4, "_lstm_step": 5}
# kernels that are chosen by the first operand, and look at the others then
CHOSEN_BY_FIRST = {"linalg.cross": "cross", "bmm": "bmm", "cdist": "bmm"}
DTYPE_WORDS = {
    "nn.functional.linear": "mat1 and mat2 must have the same dtype, but got {One} and {Two}",
    "dot": "dot : expected both vectors to have same dtype, but found {One} and {Two}",
    "vdot": "dot : expected both vectors to have same dtype, but found {One} and {Two}",
    "mv": "addmv input tensors must have the same dtype, but got {Two}, {One}, and {Two}",
    "mm": "expected m1 and m2 to have the same dtype, but got: {one} != {two}",
    "addmm": "self and mat2 must have the same dtype, but got {One} and {Two}",
    "bmm": "expected scalar type {One} but found {Two}",
    "linalg.cross": "expected scalar type {One} but found {Two}",
    "cdist": "expected scalar type {One} but found {Two}",
    "convolution": "expected scalar type {One} but found {Two}",
}


def tensors_of(given: dict[str, Any]) -> dict[str, Tensor]:
    """The tensors among the arguments, by the names to show them under; those of a list with their place in it."""
    found = {}
    for name, value in given.items():
        if isinstance(value, Tensor):
            found[name] = value
        elif isinstance(value, (list, tuple)):
            found |= {f"{name}[{n}]": each for n, each in enumerate(value) if isinstance(each, Tensor)}
    return found


def show_operands(error: Exception, given: dict[str, Any]) -> None:
    """Let an error tell of the tensors of the call: shape, dtype, and the line that made each."""
    words = given_words(error)
    if words is not None:
        tensors = tensors_of(given)
        labels = words.names if len(words.names) == len(tensors) else tensors
        shown = itertools.islice(zip(labels, tensors.values(), strict=True), SHOWN)
        words.operands = [
            Operand(label, each.dtype, each._array.shape, each._created if each._node is None else each._node.place)
            for label, each in shown
        ]
