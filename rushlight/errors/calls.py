"""Explaining failed calls: torch's words for NumPy's complaint, the operands, where each was made, and a fix."""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.creation.filled import overflow_words
from rushlight.core.memory.capacity import is_beyond, no_room, overflowed, uncountable, wanted_bytes
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import common
from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.errors.cures import cure, dtype_cure
from rushlight.errors.kinds import LinAlgError
from rushlight.ops.machine.asked import not_a_tensor
from rushlight.ops.machine.calling import argument_words, missing, parser_name
from rushlight.ops.machine.option_kinds import kind_name, wrong_option
from rushlight.ops.machine.overlap import is_pointwise
from rushlight.ops.machine.precedence import is_late, no_loop
from rushlight.ops.machine.rules import DtypeMismatch

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# what goes wrong inside when an argument is of a kind that nobody foresaw
INTERNAL = (AttributeError, NameError, LookupError, ZeroDivisionError, RecursionError, StopIteration)
SHOWN = 4
# words by which complaints are known: NumPy's and Python's about shapes, and about kinds of arguments
NUMPY_SHAPES = ("be broadcast", "not broadcast", "cannot broadcast", "non-broadcast", "reshape", "maximum")
PYTHON_SHAPES = ("values to unpack", "tuple index out", "list index out", "zip() argument", "indices for array")
PYTHON_KINDS = (
    "truth value of an array",
    "array element",
    "invalid literal",
    "malformed",
    "could not convert string",
    "arrays used as indices",
)
# what a tensor says that is asked to be a condition or a number, which an option that got one would have to be
NO_OPTION = ("Boolean value of Tensor with", "only one element tensors can be converted")
# words of a message that has its advice already
ADVICE = ("fix:", "convert", "use .", "pass dtype", "for example")


def recover(op: Op, arguments: tuple, arrays: list, error: Exception) -> Any:
    """Try again where only NumPy objects, or raise the error that torch's users expect."""
    if isinstance(error, OverflowError) and ("out of bounds for" in str(error) or "too large" in str(error)):
        # torch wraps most Python integers around, NumPy refuses them
        require_fitting(op, arrays)
        if (wrapped := wrap_integers(arrays)) is not None:
            return op.positional(*wrapped)
    raise explained(op, dict(zip(op.names, arguments, strict=True)), error)


def explained(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """The error for a failed call: in torch's words, then the operands and what would do."""
    lacking = missing(parser_name(op), given) or not_a_tensor(op.name, given)
    if lacking is not None:
        lacking.__suppress_context__ = True
        return lacking
    if not is_ours(error.__traceback__):
        return error
    found = wrong_option(op, given)
    if found is None:
        if getattr(error, "explained", False):
            return error
        found = translated(op, given, error)
    if isinstance(found, (RuntimeError, IndexError, ValueError)):
        found.args = ("\n  ".join([str(found), *told(op, given, str(found))]),)
    if found is not error:
        found.__cause__ = error if isinstance(error, INTERNAL) else None
        found.__suppress_context__ = True
    found.explained = True  # type: ignore[attr-defined]
    return found


def is_ours(trace: TracebackType | None) -> bool:
    """Whether an error was raised in rushlight or NumPy, and not in a function of the user's that we called."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return True
    path = trace.tb_frame.f_code.co_filename
    return location.ours[path] or "/numpy/" in path or "/scipy/" in path


def several_dtypes(op: Op, tensors: list[Tensor]) -> Exception:
    """The error for operands of several dtypes where one is wanted."""
    words = dtype_words(op, tensors)
    if tensors[0].dtype is dtypes.bool_ and words.startswith("expected scalar type") and op.name != "convolution":
        # these kernels are chosen by the first operand, and look at the others then
        kernel = "cross" if op.name == "linalg.cross" else "bmm"
        return NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    return RuntimeError(words)


def translated(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """An error of torch's for one of NumPy's or Python's."""
    words = str(error)
    tensors = [each for name, each in tensors_of(given).items() if name != "out"]
    pointwise = is_pointwise(op)
    if pointwise and isinstance(error, RuntimeError):
        # what a function checks itself comes first, then shapes; its kernel looks at dtypes and at numbers last
        return (misfit(tensors) if is_late(words) else None) or named_half(op, given, error)
    if isinstance(error, DtypeMismatch):
        return several_dtypes(op, tensors)
    if isinstance(error, np.exceptions.AxisError):
        return IndexError(axis_words(error))
    if isinstance(error, MemoryError):
        return no_room(wanted_bytes(error), f"in {short_name(op)}()")
    if is_beyond(error):
        return (
            uncountable()
            if op.is_view or "broadcast" in words
            else overflowed(spread_shape(tensors) if pointwise else None)
        )
    if isinstance(error, TypeError):
        if words.startswith("received an invalid combination"):
            return TypeError(f"{short_name(op)}() {words}")
        if words.startswith("numpy boolean subtract"):
            return RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
                "operator instead."
            )
        if no_loop(error):
            name = (
                common_dtype(op, given).scalar
                if pointwise
                else tensors[0].dtype.scalar
                if tensors
                else "these arguments"
            )
            refusal = NotImplementedError(f"\"{op.name}_cpu\" not implemented for '{name}'")
            return (misfit(tensors) if pointwise else None) or refusal
        return error if "argument" in words or words.startswith("torch.") else invalid(op, given, error)
    if isinstance(error, np.linalg.LinAlgError):
        return LinAlgError(f"{op.name.lstrip('_')}: The algorithm failed: {words}")
    if words.startswith(NO_OPTION):
        return invalid(op, given, error)
    if isinstance(error, (ValueError, IndexError)):
        if isinstance(error, ValueError) and any(each in words for each in NUMPY_SHAPES):
            return RuntimeError(broadcast_words(tensors) or words)
        if any(each in words for each in PYTHON_SHAPES):
            return RuntimeError(f"{short_name(op)}(): an argument has too few or too many dimensions ({words})")
        return invalid(op, given, error) if any(each in words for each in PYTHON_KINDS) else error
    return invalid(op, given, error) if isinstance(error, INTERNAL) else error


def short_name(op: Op) -> str:
    return op.name.rpartition(".")[2].lstrip("_")


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
            raise RuntimeError(overflow_words(value, dtypes.from_numpy(kind)))


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


def misfit(tensors: list[Tensor]) -> RuntimeError | None:
    """The error of tensors that do not broadcast."""
    words = broadcast_words(tensors)
    return RuntimeError(words) if words else None


def named_half(op: Op, given: dict[str, Any], error: Exception) -> Exception:
    """The refusal of half precision, which was widened before the body saw it, under its own name."""
    if not str(error).endswith("not implemented for 'Float'"):
        return error
    words = str(error).replace("'Float'", f"'{common_dtype(op, given).scalar}'")
    return type(error)(words)


def common_dtype(op: Op, given: dict[str, Any]) -> dtypes.dtype:
    """The dtype that the operands have in common."""
    operands = [given[op.names[position]] for position in op.operands]
    return dtypes.from_numpy(common([getattr(each, "_array", each) for each in operands if each is not None])[1])


def broadcast_words(tensors: list[Tensor]) -> str | None:
    """Which sizes do not fit: torch's words for the first two tensors that do not broadcast."""
    for first, second in itertools.combinations(tensors, 2):
        one, two = first._array.shape, second._array.shape
        for back, (a, b) in enumerate(zip(reversed(one), reversed(two), strict=False)):
            if a != b and 1 not in (a, b):
                dim = max(len(one), len(two)) - 1 - back
                return (
                    f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
                )
    return None


def spread_shape(tensors: list[Tensor]) -> tuple[int, ...]:
    """The shape that the tensors broadcast to, of which no array need be possible."""
    shapes = [each._array.shape[::-1] for each in tensors]
    return tuple([max(sizes) for sizes in itertools.zip_longest(*shapes, fillvalue=1)])[::-1]


def dtype_words(op: Op, tensors: list[Tensor]) -> str:
    """Which operands differ in dtype, in the words of torch's kernel."""
    first = tensors[0]
    other = next((each for each in tensors if each.dtype is not first.dtype), first)
    one, two = first.dtype.scalar, other.dtype.scalar
    name = op.name
    if name in CELLS:
        # a cell begins with a linear layer
        name = "nn.functional.linear" if len(tensors) > CELLS[name] else "mm"
    elif name in ("matmul", "nn.functional.linear"):
        return product_words(tensors, name != "matmul")
    return DTYPE_WORDS.get(name, DTYPE_WORDS["mm"]).format(one=one.lower(), two=two.lower(), One=one, Two=two)


def product_words(tensors: list[Tensor], transposed: bool) -> str:
    """Of a product of two dtypes: torch looks at the shapes first, but for two vectors and where it adds a bias."""
    from rushlight.ops.products.linear import refuse_ranks
    from rushlight.ops.products.products import misfit

    one, two = tensors[0]._array.shape, tensors[1]._array.shape
    kinds = [each.dtype.scalar for each in tensors]
    if transposed:
        refuse_ranks(len(one), len(two))
        two = two[::-1]
        if len(tensors) == 3 and max(len(one), len(two)) > 1:
            words = DTYPE_WORDS["nn.functional.linear" if kinds[2] == kinds[1] else "addmm"]
            return words.format(One=kinds[0 if kinds[2] == kinds[1] else 2], Two=kinds[1])
    vectors = len(one) == len(two) == 1
    shapes = None if vectors else misfit(one, two)
    name = "dot" if vectors else "mv" if len(two) == 1 else "mm" if len(two) == 2 else "bmm"
    lower = [each.lower() for each in kinds]
    return shapes or DTYPE_WORDS[name].format(one=lower[0], two=lower[1], One=kinds[0], Two=kinds[1])


# the steps of recurrent cells, and how many tensors they have without a bias
CELLS = {"_rnn_step": 4, "_gru_step": 4, "_lstm_step": 5}
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
    "_contract": "expected scalar type {One} but found {Two}",
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


def told(op: Op, given: dict[str, Any], words: str) -> list[str]:
    """The lines below the words: each operand, the line that made it, and a likely fix."""
    tensors = tensors_of(given)
    labels = list(tensors)
    if words.startswith("The size of tensor a") and len(labels) == 2:
        labels = ["a", "b"]
    shown = zip(labels, tensors.values(), strict=True)
    lines = [f"{label}: {origin(each)}" for label, each in shown][:SHOWN]
    if tensors and not any(each in words for each in ADVICE):
        found = cure(words, list(tensors.values()))
        if found is None and ("same dtype" in words or "scalar type" in words):
            found = dtype_cure(list(tensors.values()))
        if found is not None:
            lines.append(f"fix: {found}")
    return lines


def origin(tensor: Tensor) -> str:
    """A tensor's shape and dtype, and the line that made it where that is known."""
    text = f"{tensor.dtype} of shape {list(tensor._array.shape)}"
    place = tensor._node.place if tensor._node is not None else tensor._created
    return text if place is None else f"{text}, made at {location.describe(place)}"
