"""Dimensions: the batch taken for another dimension, so that samples are mixed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checks.placing import layer_place
from rushlight.doctor.events import Backward, Call, ModuleEntered, ModuleLeft
from rushlight.doctor.finding import WARNING, Finding
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# what takes sums over the samples on purpose: weights of a set, of the nodes of a graph
MIXING = set("matmul mm bmm einsum linear addmm mv dot baddbmm tensordot".split())
LOSSES = set(
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy kl_div "
    "binary_cross_entropy_with_logits".split()
)


def batch_of(watch: Watch) -> int | None:
    """How many samples the outermost module was given last."""
    return watch.memory["dimensions"].get("batch")


def note_batch(watch: Watch, event: ModuleEntered) -> None:
    if event.depth == 0:
        first = next((each for each in event.args if isinstance(each, Tensor) and each._array.ndim > 1), None)
        if first is not None:
            watch.memory["dimensions"]["batch"] = first._array.shape[0]


@check(
    "softmax-wrong-dim",
    tier=3,
    severity=WARNING,
    on=(ModuleEntered, Call, Backward),
    names=("softmax", "log_softmax"),
)
def softmax_wrong_dim(watch: Watch, event: ModuleEntered | Call | Backward) -> Iterator[Finding]:
    """A softmax over the samples of a batch: each class sums to 1 over the samples, not each sample over classes."""
    memory = watch.memory["softmax-wrong-dim"]
    if isinstance(event, ModuleEntered):
        note_batch(watch, event)
    elif isinstance(event, Call):
        shape = event.record.shape
        if len(shape) > 1 and shape[0] > 1 and over_first(event) and shape[0] == batch_of(watch):
            memory[event.record.number] = event.record
    elif memory:
        below = reached(event.records, memory)
        for record in [memory[number] for number in below]:
            if not feeds_mixing(watch, record):
                yield Finding(
                    f"`{record.name}` over dim=0 of shape {list(record.shape)} mixes the {record.shape[0]} samples of "
                    "the batch.",
                    "Take it over the classes: dim=-1.",
                    layer_place(watch, record),
                    related=[("where it is computed", record.place)],
                    sure="likely",
                )
        memory.clear()


def over_first(event: Call) -> bool:
    dim = event.argument(1, "dim")
    # without dim torch takes the first of one or three dimensions
    return dim in (0, -len(event.record.shape)) or (dim is None and len(event.record.shape) == 3)


def reached(roots: list[Record], wanted: dict[int, Record]) -> list[int]:
    found, stack, seen = [], list(roots), set()
    while stack:
        each = stack.pop()
        if each.number not in seen:
            seen.add(each.number)
            if each.number in wanted:
                found.append(each.number)
            stack.extend(each.inputs)
    return found


def feeds_mixing(watch: Watch, record: Record) -> bool:
    """Whether it weighs samples: it goes into a product, or is summed over the batch, before a loss takes it."""
    inside = {record.number}
    for each in watch.trace.current:
        if any(one.number in inside for one in each.inputs):
            if each.name in MIXING or (
                each.name in ("sum", "mean") and each.shape and each.shape[0] != record.shape[0]
            ):
                return True
            if each.name not in LOSSES and len(each.shape) > 0:
                inside.add(each.number)
    return False


@check("rnn-batch-first", tier=3, severity=WARNING, on=(ModuleLeft, Call), names=[*LOSSES, "__getitem__"], wait=2)
def rnn_batch_first(watch: Watch, event: ModuleLeft | Call) -> Iterator[Finding]:
    """A recurrent layer with batch_first=False is given the batch first, so it runs over samples instead of time."""
    memory = watch.memory["rnn-batch-first"]
    if isinstance(event, ModuleLeft):
        note_recurrent(watch, event)
    elif not memory:
        return
    elif event.name == "__getitem__":
        found = memory.get(event.records[0].number) if event.records else None
        is_output = found is not None and event.args[0]._array.shape[:-1] == found[1][:-1]
        if found is not None and is_output and takes_last_of_second(event.args[1]):
            module, given, place = found
            why = "`[:, -1]` takes the last step of dim 1 of its output"
            yield recurrent_finding(watch, module, given, place, why)
    else:
        target = event.argument(1, "target")
        shape = target._array.shape if isinstance(target, Tensor) else ()
        for module, given, place in list(memory.values()):
            steps, batch = given[:2]
            if shape and shape[0] == steps != batch and shape[1:2] != (batch,):
                yield recurrent_finding(watch, module, given, place, f"the loss has {steps} targets")
        memory.clear()


def note_recurrent(watch: Watch, event: ModuleLeft) -> None:
    from rushlight.nn.modules.rnn import RNNBase

    module = event.module
    if not isinstance(module, RNNBase) or module.batch_first or not event.args:
        return
    given = event.args[0]
    if isinstance(given, Tensor) and given._array.ndim == 3 and isinstance(event.result, tuple):
        output = watch.trace.of(event.result[0])
        if given._array.shape[0] > 1 and given._array.shape[1] > 1:
            watch.memory["rnn-batch-first"][output.number] = module, given._array.shape, event.place


def takes_last_of_second(index: Any) -> bool:
    return isinstance(index, tuple) and len(index) > 1 and index[0] == slice(None) and index[1] == -1


def recurrent_finding(watch: Watch, module: Any, given: tuple[int, ...], place: Any, why: str) -> Finding:
    kind = type(module).__name__
    return Finding(
        f"The {kind} runs over dim 0 of its input {list(given)}, which seems to be the batch: {why}.",
        f"Make it nn.{kind}(..., batch_first=True), or give it x.transpose(0, 1).",
        watch.lives.of_module(module).place or place,
        related=[("where it is called", place)],
        sure="likely",
    )


@check(
    "batch-mixing",
    tier=3,
    severity=WARNING,
    on=(ModuleEntered, Call),
    names=("view", "reshape"),
    wait=2,
)
def batch_mixing(watch: Watch, event: ModuleEntered | Call) -> Iterator[Finding]:
    """`view` where `transpose` was meant: elements of different samples end up in one row."""
    if isinstance(event, ModuleEntered):
        note_batch(watch, event)
        return
    # a record of several results has the shape of the last one
    before, after = event.args[0]._array.shape, event.result._array.shape
    if mixes(before, after, batch_of(watch)):
        yield Finding(
            f"`{event.name}` from {list(before)} to {list(after)} reads the elements in their old order: samples are "
            "mixed.",
            "Exchange dimensions with x.transpose(0, 1), and flatten afterwards: x.transpose(0, 1).reshape(...).",
            event.place,
            sure="likely",
        )


def mixes(before: tuple[int, ...], after: tuple[int, ...], batch: int | None) -> bool:
    """Whether a view exchanges the first two dimensions, or lays out rows of samples that were in the second one."""
    if len(before) < 2 or len(after) < 2 or before[0] == before[1] or 1 in before[:2]:
        return False
    if before[:2] == after[1::-1] and before[2:] == after[2:]:
        return True
    return (
        batch is not None and len(before) > 2 and before[1] == batch == after[0] != before[0] and before[0] % batch != 0
    )
