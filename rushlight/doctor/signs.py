"""Signs: whether a loss grows or falls with a value that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rushlight.doctor.ancestry import GATHERED, Ancestry
from rushlight.doctor.trace import Record

# calls that grow with each of their arguments
GROWING = (
    GATHERED | set("exp log log1p expm1 sqrt softplus relu sigmoid tanh logsumexp logaddexp logsigmoid".split())
) - {
    *("sub", "sub_", "rsub", "neg", "neg_", "mul_", "div_", "detach"),
}
FALLING = {"neg", "neg_", "nll_loss"}


@dataclass(slots=True)
class Influence:
    """The sign of a derivative of the loss, 0 where it is not known; `plain` means no other values scale it."""

    sign: int
    plain: bool


def influences(ancestry: Ancestry, roots: list[Record]) -> dict[int, Influence]:
    """With which sign each live record enters the loss, by their numbers."""
    found = {each.number: Influence(1, True) for each in roots}
    # newest first: whoever uses a value comes before it
    for record in ancestry.records:
        here = found.get(record.number)
        if here is None:
            continue
        for each, sign, plain in effects(record):
            if not each.live:
                continue
            next_sign, next_plain = here.sign * sign, here.plain and plain
            known = found.get(each.number)
            if known is None:
                found[each.number] = Influence(next_sign, next_plain)
            else:
                known.sign = known.sign if known.sign == next_sign else 0
                known.plain = known.plain and next_plain
    return found


def effects(record: Record) -> Iterator[tuple[Record, int, bool]]:
    """For each input of a call: the sign with which it enters the result, and whether only plain numbers scale it."""
    inputs = record.inputs
    name = record.name.rstrip("_")
    if name in ("mul", "div", "true_divide"):
        for place, each in enumerate(inputs):
            others = [other for other in inputs if other is not each]
            if place and name != "mul":
                yield each, 0, False
            elif record.factor is not None:
                yield each, sign_of(record.factor), name != "mul" or is_written(record)
            elif len(others) == 1:
                yield each, uniform_sign(others[0]), others[0].value is not None and not others[0].carries
            else:
                yield each, 0, False
    elif name in ("sub", "rsub"):
        by = -1 if name == "rsub" else 1
        scale = 1 if record.factor is None or len(inputs) < 2 else sign_of(record.factor)
        for place, each in enumerate(inputs):
            yield each, -by * scale if place else by, True
    elif name == "add":
        scale = 1 if record.factor is None or len(inputs) < 2 else sign_of(record.factor)
        for place, each in enumerate(inputs):
            yield each, scale if place else 1, True
    else:
        sign = 1 if record.name in GROWING else -1 if record.name in FALLING else 0
        for each in inputs:
            yield each, sign, sign != 0


def is_written(record: Record) -> bool:
    """Whether the plain number of a product stands in the program, and is no reward that came along."""
    written = () if record.place is None else record.place[0].co_consts
    return record.factor in written or (record.factor is not None and -record.factor in written)


def sign_of(number: float) -> int:
    return (number > 0) - (number < 0)


def uniform_sign(record: Record) -> int:
    """The sign of a value whose elements have all the same, or 0."""
    if record.value is not None:
        return sign_of(record.value)
    tensor = None if record.tensor is None else record.tensor()
    if tensor is None or not tensor._array.size:
        return 0
    if (tensor._array >= 0).all():
        return 1
    return -1 if (tensor._array <= 0).all() else 0
