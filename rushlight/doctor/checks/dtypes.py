"""Dtypes: float64 that came in unseen, small integers that wrap around, and fractions that a cast has cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checks import data_places
from rushlight.doctor.events import BatchTaken, Call, Raised
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.paths import VIEWS
from rushlight.doctor.trace import Record, tensors_in
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

DOUBLE, FLOAT = np.dtype(np.float64), np.dtype(np.float32)
# words of errors about dtypes
ABOUT_DTYPES = ("dtype", "double", "scalar type", "datatype", "float64")


@check("dtype-float64", tier=1, severity=ERROR, on=(Raised, BatchTaken))
def dtype_float64(watch: Watch, event: Raised | BatchTaken) -> Iterator[Finding]:
    """A call refused to mix float64 with float32; the float64 began on an earlier line."""
    if isinstance(event, BatchTaken):
        data_places.note(watch, event)
        return
    text = str(event.error).lower()
    if not isinstance(event.error, (RuntimeError, ValueError, TypeError)) or not any(
        words in text for words in ABOUT_DTYPES
    ):
        return
    given = doubles_given(watch, event)
    if given is None:
        return
    born = birth(watch.trace.of(given))
    place = data_places.place_of(watch, born) or event.place
    name = "a NumPy array" if born.name == "data" else f"`{born.name}`"
    at = "" if place is None else f" at {location.file_and_line(place)}"
    yield Finding(
        f"A tensor of shape {list(given.shape)} is float64 since {name}{at}, and meets float32 where both have to be "
        "alike.",
        "Write `.float()` behind it, dtype=torch.float32 inside, or array.astype(np.float32) before it.",
        place,
        related=[("the error", event.place)],
    )


def doubles_given(watch: Watch, event: Raised) -> Tensor | None:
    """The float64 tensor that a failed call was given beside one of float32."""
    tensors: list[Tensor] = []
    if event.call is not None:
        name, args, kwargs = event.call
        tensors = [each for each in tensors_in([*args, *kwargs.values()]) if each._array.dtype.kind == "f"]
        if name == "backward":
            tensors += recent_doubles(watch)
    doubles = [each for each in tensors if each._array.dtype == DOUBLE and not is_parameter(each)]
    if not doubles and event.call is None:
        doubles = recent_doubles(watch)
    if any(each._array.dtype == DOUBLE and is_parameter(each) for each in tensors):
        # the network itself is float64, so that is meant
        return None
    return doubles[0] if doubles else None


def is_parameter(tensor: Tensor) -> bool:
    return tensor.is_leaf and tensor.requires_grad


def recent_doubles(watch: Watch) -> list[Tensor]:
    """The float64 tensors of this step that live, oldest first."""
    found = [each.tensor() for each in watch.trace.current if each.dtype == DOUBLE and each.tensor is not None]
    return [each for each in found if each is not None]


def birth(record: Record) -> Record:
    """The first value that was float64 on the way to this one."""
    while True:
        before = next((each for each in record.inputs if each.dtype == DOUBLE), None)
        if before is None:
            return record
        record = before


NARROW = {np.dtype(each) for each in (np.uint8, np.int8, np.int16)}
EXACT: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "rsub": lambda one, other: other - one,
    "neg": np.negative,
    "pow": np.power,
    "square": np.square,
}
WRITES = [f"{name}_" for name in EXACT if name != "rsub"]
CASTS = ("to", "byte", "char", "short", "type", "long", "int")


@check("dtype-wraparound", tier=1, severity=ERROR, on=Call, names=[*EXACT, *WRITES, *CASTS])
def dtype_wraparound(watch: Watch, event: Call) -> Iterator[Finding]:
    """Arithmetic of small integers left their range and started again at the other end."""
    result = event.result
    if not isinstance(result, Tensor) or result._array.dtype not in NARROW:
        return
    wrong = wrapped(event, result._array)
    if wrong is not None and wrong.any():
        share = float(wrong.mean())
        kind = result._array.dtype
        bounds = np.iinfo(kind)
        yield Finding(
            f"`{event.name}` of {kind} left the range from {bounds.min} to {bounds.max} and wrapped around at "
            f"{share:.0%} of the elements.",
            "Convert first: x.float(), then compute.",
            event.place,
            evidence={"share": share},
        )


def wrapped(event: Call, array: np.ndarray) -> np.ndarray | None:
    """Which elements are not what whole numbers would give; None where that cannot be told."""
    if event.name in CASTS:
        source = event.args[0]._array
        return source != array if source.dtype.kind in "iu" and source.dtype != array.dtype else None
    given = event.args[:2] if event.before is None else (event.before, *event.args[1:2])
    found = [widened(each) for each in given]
    operands = [each for each in found if each is not None]
    if not operands or len(operands) < len(found):
        return None
    return np.asarray(EXACT[event.name.removesuffix("_")](*operands) != array)


def widened(value: Any) -> np.ndarray | None:
    """An operand in int64; floats have no part in this."""
    array = value._array if isinstance(value, Tensor) else np.asarray(value)
    return array.astype(np.int64) if array.dtype.kind in "iub" else None


# where the floats stand among the arguments of what writes them to a tensor that is there
WRITTEN = {"copy_": 1, "__setitem__": 2}
INTEGER_CASTS = (*CASTS, *WRITTEN, "tensor", "as_tensor", "type_as")
FLOAT_CASTS = VIEWS | {
    "float",
    "double",
    "to",
    "type",
    "half",
    "__getitem__",
    "stack",
    "cat",
    "index_select",
    "sub",
    "div",
}
MEETING = (
    "sub add mul div mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits"
).split()
ROUNDED = {"floor", "ceil", "round", "trunc", "floor_", "round_", "floor_divide", "clamp"}
# how much of its spread a value may lose: ten steps from 0 to 1 lose 0.17
TOLERATED = 0.2


@check("dtype-truncated", tier=2, severity=WARNING, on=Call, names=[*INTEGER_CASTS, *MEETING])
def dtype_truncated(watch: Watch, event: Call) -> Iterator[Finding]:
    """A cast to integers cut off the fractions that mattered, and the rest meets floats in a loss."""
    memory = watch.memory["dtype-truncated"]
    if event.name in MEETING:
        if memory and event.record.live:
            yield from met(watch, event)
        return
    result = event.result
    if not isinstance(result, Tensor) or result._array.dtype.kind not in "iu" or not event.args:
        return
    given = event.argument(WRITTEN.get(event.name, 0), "src")
    source = given_floats(given)
    if source is None or (isinstance(given, Tensor) and is_quantised(watch.trace.of(given))):
        return
    lost = np.abs(source - np.trunc(source)).mean()
    spread = source.std()
    if lost > TOLERATED * spread > 0 and len(np.unique(source[:1000])) > 3:
        memory[event.record.number] = event.name, float(lost), (float(source.min()), float(source.max())), event.place


def is_quantised(record: Record) -> bool:
    """Whether steps are wanted: of a scaled value or one that was rounded; what a network gave is a cut history."""
    while record.name in VIEWS and record.inputs:
        record = record.inputs[0]
    return record.carries or record.name in ROUNDED or (record.name == "mul" and len(record.inputs) == 1)


def given_floats(value: Any) -> np.ndarray | None:
    """The floats that a cast is given, as one row or as they are, if they have fractions."""
    if isinstance(value, Tensor):
        array = value._array
    elif isinstance(value, np.ndarray) or (isinstance(value, list) and value and not isinstance(value[0], Tensor)):
        array = np.asarray(value)
    else:
        return None
    if array.dtype.kind != "f" or array.size < 2 or not np.isfinite(array).all():
        return None
    return array if (array != np.trunc(array)).any() else None


def met(watch: Watch, event: Call) -> Iterator[Finding]:
    """Whether one side of a live call is what was cut."""
    memory = watch.memory["dtype-truncated"]
    for each in event.records:
        record = each
        for _ in range(8):
            record = data_places.source_of(watch, record) or record
            if record.number in memory or record.name not in FLOAT_CASTS or not record.inputs:
                break
            record = record.inputs[0]
        if record.number in memory:
            name, lost, (low, high), place = memory.pop(record.number)
            yield Finding(
                f"`{name}` cut off the fractions of values from {low:.3g} to {high:.3g} (by {lost:.2g} on average), "
                f"and `{event.name}` computes with what is left.",
                "Keep floats: `.float()` in place of the cast.",
                place,
                related=[("where it meets floats", event.place)],
                sure="likely",
            )
