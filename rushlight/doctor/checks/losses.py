"""Losses: shapes that broadcast by accident, and losses that are given something other than they expect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checks.placing import in_one_statement, layer_place, line_of
from rushlight.doctor.events import Call, DistributionUsed, Raised
from rushlight.doctor.finding import ERROR, Finding
from rushlight.doctor.paths import VIEWS
from rushlight.doctor.trace import Record
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

PAIRED = "mse_loss l1_loss smooth_l1_loss huber_loss gaussian_nll_loss poisson_nll_loss soft_margin_loss".split()
CHECKED = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
ARITHMETIC = "add sub mul div eq ne minimum maximum".split()
REDUCTIONS = "mean sum norm std var nanmean".split()
# what keeps every element in its place
ELEMENTWISE = VIEWS | set(
    "add sub rsub mul div neg abs square pow exp log sqrt clamp clamp_min clamp_max minimum maximum relu detach where "
    "sigmoid tanh softplus logsigmoid log1p expm1 eq ne nan_to_num long int masked_fill log_prob data bool "
    "logical_not".split()
)
# what gives a tensor its last dimension of one by intention
EXPANDING = {"unsqueeze", "__getitem__", "view", "reshape", "unflatten", "expand", "unsqueeze_", "T", "t", "transpose"}


def is_outer(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether shapes are (N, 1) and (N,), also with dimensions before them: together they are (N, N)."""
    return len(one) == len(other) + 1 and one[-1] == 1 and one[:-1] == other and len(other) > 0 and other[-1] > 1


@check(
    "broadcast-outer",
    tier=1,
    severity=ERROR,
    on=(Call, DistributionUsed, Raised),
    names=[*PAIRED, *ARITHMETIC, *REDUCTIONS],
)
def broadcast_outer(watch: Watch, event: Call | DistributionUsed | Raised) -> Iterator[Finding]:
    """A column (N, 1) meets a row (N,) and becomes a table (N, N), of which a loss or a metric takes the mean."""
    if isinstance(event, Raised):
        yield from refused_shapes(event)
        return
    memory = watch.memory["broadcast-outer"]
    if isinstance(event, DistributionUsed):
        # with an event of one dimension, as Independent has it, the last one is summed
        if event.name == "log_prob" and isinstance(event.value, Tensor) and not event.distribution.event_shape:
            suspect(memory, event.record, tuple(event.distribution.batch_shape), event.value._array.shape)
        return
    if event.name not in REDUCTIONS and len(event.args) > 1:
        one, other = event.args[:2]
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            shapes = one._array.shape, other._array.shape
            if (is_outer(*shapes) or is_outer(*shapes[::-1])) and not is_meant(watch, event):
                suspect(memory, event.record, *shapes)
    if memory and isinstance(event.result, Tensor) and not event.result._array.shape:
        for each in reduced(event.record, memory):
            yield outer_finding(each, memory.pop(each.number), event)


def suspect(memory: dict, record: Record, one: tuple[int, ...], other: tuple[int, ...]) -> None:
    if len(memory) > 100:
        memory.clear()
    if (is_outer(one, other) or is_outer(other, one)) and record.carries:
        memory[record.number] = one, other


def is_meant(watch: Watch, event: Call) -> bool:
    """The column was made for this statement, or both sides are one tensor: a table of all pairs is wanted."""
    records = [watch.trace.of(each) for each in event.args[:2]]
    column = max(records, key=lambda each: len(each.shape))
    if column.name in EXPANDING and in_one_statement(column.place, event.place):
        return True
    return source_of(records[0]) is source_of(records[1])


def source_of(record: Record) -> Record:
    while (record.name in VIEWS or record.name in ("__getitem__", "detach")) and record.inputs:
        record = record.inputs[0]
    return record


def reduced(record: Record, memory: dict) -> list[Record]:
    """The suspects that a total was taken of, with nothing but elementwise calls between."""
    found: list[Record] = []
    stack, seen = [record], set[int]()
    while stack and len(seen) < 60:
        each = stack.pop()
        if each.number in seen:
            continue
        seen.add(each.number)
        if each.number in memory:
            found.append(each)
        if each is record or each.name in ELEMENTWISE or each.name in PAIRED:
            stack.extend(each.inputs)
    # the first of them is the cause of the others
    return sorted(found, key=lambda each: each.number)[:1]


def outer_finding(record: Record, shapes: tuple, event: Call) -> Finding:
    one, other = shapes
    size = other[-1] if len(other) < len(one) else one[-1]
    text = "" if record.place is None else location.source(record.place)
    return Finding(
        f"`{record.name}` of shapes {one} and {other} gave a table of {size} x {size}, each sample against all others, "
        f"and `{event.name}` mixes them all.",
        "Bring both to one shape first: prediction.squeeze(-1), or target.unsqueeze(-1).",
        record.place,
        evidence={"shapes": [list(one), list(other)], "source": text},
        related=[("where the table is reduced", event.place)],
    )


def refused_shapes(event: Raised) -> Iterator[Finding]:
    """Losses that refuse such shapes."""
    if event.call is None or event.call[0] not in CHECKED or len(event.call[1]) < 2:
        return
    one, other = (each._array.shape if isinstance(each, Tensor) else () for each in event.call[1][:2])
    if is_outer(one, other) or is_outer(other, one):
        yield Finding(
            f"`{event.call[0]}` was given shapes {one} and {other}, which would broadcast to all pairs.",
            "Bring both to one shape first: prediction.squeeze(-1), or target.unsqueeze(-1).",
            event.place,
        )


NORMALISED = {"softmax", "sigmoid", "softmax_", "sigmoid_"}
# what leaves probabilities probabilities
PASSING = VIEWS | {"clamp", "clamp_min", "clamp_max", "dropout", "__getitem__", "index_select", "detach", "data"}
JOINED = {"cat", "stack", "concat", "hstack", "vstack"}


def made_by(record: Record, names: set[str]) -> Record | None:
    """The call of one of these names that gave a value, behind what only shows or joins it."""
    for _ in range(12):
        if record.name in names:
            return record
        if record.name in PASSING and record.inputs:
            record = record.inputs[0]
        elif record.name in JOINED and record.inputs:
            found = [made_by(each, names) for each in record.inputs]
            return None if None in found else found[0]
        else:
            return None
    return None


@check(
    "loss-expects-logits",
    tier=1,
    severity=ERROR,
    on=(Call, DistributionUsed),
    names=("cross_entropy", "binary_cross_entropy_with_logits"),
)
def loss_expects_logits(watch: Watch, event: Call | DistributionUsed) -> Iterator[Finding]:
    """A loss or distribution that takes logits is given what went through softmax or sigmoid already."""
    if isinstance(event, DistributionUsed):
        given = vars(event.distribution).get("logits")
        wanted = f"{type(event.distribution).__name__}(logits=...)"
    else:
        given, wanted = event.argument(0, "input"), f"`{event.name}`"
    if not isinstance(given, Tensor):
        return
    record = watch.trace.of(given)
    if record.name == "_normalized_logits" and record.inputs:
        record = record.inputs[0]
    made = made_by(record, NORMALISED)
    if made is None or not made.carries:
        return
    instead = (
        "" if isinstance(event, Call) else f" or give it as probs: {type(event.distribution).__name__}(probs=...)."
    )
    yield Finding(
        f"{wanted} wants logits; here `{made.name}` was applied before, and twice leaves little of the gradient.",
        f"Leave `{made.name}` out" + (instead or "."),
        layer_place(watch, made),
        related=[("what takes it", event.place), ("where it is computed", made.place)],
    )


@check("loss-expects-logprobs", tier=1, severity=ERROR, on=Call, names=("nll_loss", "kl_div", "ctc_loss", "nll_loss2d"))
def loss_expects_logprobs(watch: Watch, event: Call) -> Iterator[Finding]:
    """A loss that takes logarithms of probabilities is given probabilities or logits."""
    given = event.argument(0, "input", event.kwargs.get("log_probs"))
    if not isinstance(given, Tensor) or given._array.dtype.kind != "f" or not given._array.size:
        return
    most = float(given._array.max())
    record = watch.trace.of(given)
    if most > 1e-3 and made_by(record, {"log", "log_softmax", "log_prob", "logsumexp", "logsigmoid"}) is None:
        made = made_by(record, NORMALISED)
        what = f"`{made.name}` makes probabilities" if made is not None else f"it is given values of up to {most:.3g}"
        yield Finding(
            f"`{event.name}` wants logarithms of probabilities, which are at most 0; {what}.",
            "Write F.log_softmax(logits, dim=-1)"
            + (", or F.cross_entropy on the logits." if "nll" in event.name else "."),
            event.place if made is None else layer_place(watch, made),
            related=[("the loss", event.place)],
        )
        return
    target = event.argument(1, "target")
    if event.name == "kl_div" and isinstance(target, Tensor) and not event.kwargs.get("log_target"):
        least = float(target._array.min(initial=0))
        if least < -1e-3 and not (len(event.args) > 5 and event.args[5]):
            yield Finding(
                f"The target of `kl_div` is to be probabilities, but goes down to {least:.3g}: these are logarithms.",
                "Write F.kl_div(log_p, log_q, log_target=True), or give it log_q.exp().",
                event.place,
            )


@check(
    "loss-single-class",
    tier=1,
    severity=ERROR,
    on=Call,
    names=("cross_entropy", "nll_loss", "binary_cross_entropy"),
    wait=2,
)
def loss_single_class(watch: Watch, event: Call) -> Iterator[Finding]:
    """The softmax over one class is always 1: the loss is 0, or does not change, whatever the network says."""
    given = event.argument(0, "input")
    if not isinstance(given, Tensor) or given._array.ndim < 2:
        return
    memory = watch.memory["loss-single-class"]
    line = line_of(event.place)
    if event.name == "binary_cross_entropy":
        made = made_by(watch.trace.of(given), {"softmax"})
        single = made is not None and 1 in made.shape and np.ptp(given._array) == 0 and bool((given._array == 1).all())
    else:
        single = given._array.shape[1] == 1
    if not single:
        # one candidate now and then is no single class
        memory[line] = True
    elif line not in memory:
        yield Finding(
            f"`{event.name}` is given one class (an output of shape {list(given._array.shape)}), and softmax over one "
            "class is always 1: no gradient comes from it.",
            "Use F.binary_cross_entropy_with_logits(output.squeeze(1), target.float()), or two outputs.",
            event.place,
        )
