"""Randomness, data and logs: the same numbers again and again, and data in the wrong order or form."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import (
    BatchTaken,
    Call,
    ImageLogged,
    LoaderStarted,
    OptimizerMade,
    Restored,
    Seeded,
    Stepped,
)
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.paths import behind
from rushlight.doctor.trace import Record, tensors_in
from rushlight.errors.location import Location, line_number

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# floats of an image are expected between 0 and 1; standardised ones stay below this
BRIGHTEST = 20
CLASSIFYING = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
SUPERVISED = (*CLASSIFYING, "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
# losses, also those that are written out
COMPARING = (*SUPERVISED, "sub")


@check("rng-reseeded", tier=2, severity=WARNING, on=(Seeded, Restored, OptimizerMade))
def rng_reseeded(watch: Watch, event: Seeded | Restored | OptimizerMade) -> Iterator[Finding]:
    """The random generator is started from the same seed inside of the training loop."""
    memory = watch.memory["rng-reseeded"]
    if isinstance(event, OptimizerMade):
        # a new run may well begin as the last one did
        memory.clear()
    elif isinstance(event, Restored):
        if "last" in memory:
            memory.pop(memory.pop("last"), None)
    elif event.place is not None:
        key = event.place[0], line_number(event.place), event.seed
        steps = [each for each in memory.get(key, []) if each != watch.steps]
        memory[key], memory["last"] = [*steps, watch.steps], key
        if len(memory[key]) >= 3:
            yield Finding(
                f"The seed {event.seed} is set again and again while training: noise, dropout and shuffling are the "
                "same each time.",
                "Call `torch.manual_seed` once, before the training loop.",
                event.place,
                evidence={"seed": event.seed},
            )


class Restarts:
    """The iterators of one loader that were started on one line, and their first batches."""

    def __init__(self, place: Location | None):
        self.place = place
        self.started = 0
        self.trained = 0
        self.records: list[Record] = []
        self.first: np.ndarray | None = None
        self.same = True


@check("data-same-batch", tier=1, severity=ERROR, on=(LoaderStarted, BatchTaken, Stepped))
def data_same_batch(watch: Watch, event: LoaderStarted | BatchTaken | Stepped) -> Iterator[Finding]:
    """The loader is started anew for each batch, so that only its first batch is ever seen."""
    memory = watch.memory["data-same-batch"]
    lines: dict[Any, Restarts] = memory.setdefault("lines", {})
    if isinstance(event, LoaderStarted):
        if event.place is not None and batches_in(event.loader) > 1:
            key = id(event.loader), event.place[0], line_number(event.place)
            memory[id(event.iterator)] = key, 0
            lines.setdefault(key, Restarts(event.place)).started += 1
    elif isinstance(event, BatchTaken):
        yield from taken(watch, event, memory, lines)
    else:
        current = [each for each in lines.values() if each.records]
        if current:
            used = {one.number for each in event.backwards for record in each.records for one in behind(record)}
            for each in current:
                each.trained += any(record.number in used for record in each.records)
                each.records = []


def taken(watch: Watch, event: BatchTaken, memory: dict, lines: dict[Any, Restarts]) -> Iterator[Finding]:
    """A batch was taken: a second one of the same iterator clears its line."""
    key, before = memory.get(id(event.iterator), (None, 0))
    if key is None:
        return
    memory[id(event.iterator)] = key, before + 1
    here = lines[key]
    if before:
        here.same = False
        return
    tensors = list(tensors_in(event.batch))
    here.records = [watch.trace.of(each) for each in tensors]
    if tensors:
        first = tensors[0]._array
        if here.first is None:
            here.first = first.copy()
        elif is_shuffled(event.loader) and not np.array_equal(here.first, first):
            here.same = False
    if here.same and here.started >= 5 and here.trained >= 3:
        count = batches_in(event.loader)
        yield Finding(
            f"The loader is started anew for each step: only the first of its {count} batches is ever seen.",
            "Write `for batch in loader:`, or keep one iterator: `batches = iter(loader)` before the loop.",
            here.place,
            evidence={"batches": count, "started": here.started},
        )


def batches_in(loader: Any) -> int:
    """How many batches a loader has; 2 stands for many where it does not know."""
    try:
        return len(loader)
    except TypeError:
        return 2


def is_shuffled(loader: Any) -> bool:
    """Whether a loader may give its data in another order each time."""
    return type(getattr(loader, "sampler", None)).__name__ != "SequentialSampler"


@check("data-misaligned", tier=3, severity=WARNING, on=Call, names=("__getitem__", "index_select", *COMPARING))
def data_misaligned(watch: Watch, event: Call) -> Iterator[Finding]:
    """Inputs and labels were put in different random orders, so that they no longer belong together."""
    orders: dict[int, Order] = watch.memory["data-misaligned"].setdefault("orders", {})
    if event.name in COMPARING:
        # what the network gave comes first in losses, and on either side of a difference
        sides = sorted(event.records[:2], key=lambda each: not each.live)
        if len(sides) > 1 and orders and sides[0].live and not sides[1].live:
            given, wanted = (orders_behind(each, orders) for each in sides)
            if given and wanted and not {each.values for each in given} & {each.values for each in wanted}:
                place = max(given[0].record, wanted[0].record, key=lambda each: each.number).place
                yield Finding(
                    "The inputs and the labels of this loss were put in different random orders.",
                    "Draw one order for both: `order = torch.randperm(n); x, y = x[order], y[order]`.",
                    place,
                    related=[
                        ("the order of the inputs", given[0].record.place),
                        ("the order of the labels", wanted[0].record.place),
                        ("the loss", event.place),
                    ],
                    sure="likely",
                )
        return
    order = order_of(event)
    if order is not None:
        if len(orders) > 500:
            orders.clear()
        orders[event.record.number] = order


class Order:
    """A random order in which a tensor was read; two with the same values are one."""

    def __init__(self, record: Record, values: bytes):
        self.record = record
        self.values = values


def order_of(event: Call) -> Order | None:
    """The random order of an index, if it is one: a permutation, or a piece of `randperm`."""
    index = event.argument(2 if event.name == "index_select" else 1, "index")
    drawn: Record | None = None
    array: np.ndarray | None = None
    if isinstance(index, Tensor):
        drawn = next((each for each in behind(event.records[-1], 20) if each.name == "randperm"), None)
        array = index._array
    elif isinstance(index, (np.ndarray, list)):
        array = np.asarray(index)
    if array is None or array.ndim != 1 or array.dtype.kind not in "iu" or array.size < 4:
        return None
    if drawn is None:
        length = event.args[0]._array.shape[0] if event.args[0]._array.ndim else 0
        if array.size != length or (array[1:] > array[:-1]).all() or not (np.sort(array) == np.arange(length)).all():
            return None
    return Order(event.record, array.tobytes())


def orders_behind(record: Record, orders: dict[int, Order]) -> list[Order]:
    return [orders[each.number] for each in behind(record, 2000) if each.number in orders]


class Labels:
    """The labels of the batches of one loader or line."""

    def __init__(self) -> None:
        self.batches = 0
        self.single = 0
        self.seen: set[float] = set()

    def add(self, labels: np.ndarray) -> None:
        self.batches += 1
        found = np.unique(labels)
        self.single += len(found) == 1
        if len(self.seen) < 100:
            self.seen.update(float(each) for each in found[:100])

    @property
    def are_sorted(self) -> bool:
        return self.batches >= 5 and len(self.seen) > 1 and self.single > 0.8 * self.batches


@check("data-sorted", tier=3, severity=WARNING, on=(BatchTaken, Call), names=CLASSIFYING)
def data_sorted(watch: Watch, event: BatchTaken | Call) -> Iterator[Finding]:
    """Training goes through the data sorted by label, so that each class is forgotten while the next one is learned."""
    memory = watch.memory["data-sorted"]
    if isinstance(event, BatchTaken):
        memory["loader"] = weakref.ref(event.loader)
        return
    target = event.argument(1, "target")
    if not isinstance(target, Tensor) or not event.record.live or target._array.size < 4 or event.place is None:
        return
    if event.name not in ("cross_entropy", "nll_loss") and "loader" not in memory:
        # constant labels of real and fake are no data
        return
    here: Labels = memory.setdefault((event.place[0], line_number(event.place)), Labels())
    here.add(target._array)
    if here.are_sorted:
        loader = memory["loader"]() if "loader" in memory else None
        if loader is not None and is_shuffled(loader):
            return
        place = event.place if loader is None else watch.lives.loaders.get(loader) or event.place
        yield Finding(
            f"{here.single} of {here.batches} batches hold one class only.",
            "Shuffle the training data: `DataLoader(..., shuffle=True)`."
            if loader is not None
            else "Shuffle the training data in each epoch: `order = torch.randperm(n)`.",
            place,
            evidence={"batches": here.batches, "of one class": here.single},
            related=[("the loss", event.place)],
            sure="likely",
        )


@check("log-image-format", tier=2, severity=WARNING, on=ImageLogged)
def log_image_format(watch: Watch, event: ImageLogged) -> Iterator[Finding]:
    """An image is logged in another layout or range than the writer takes it for."""
    image = event.image
    array = image._array if isinstance(image, Tensor) else np.asarray(image)
    if array.dtype.kind not in "fiub" or not array.size:
        return
    written = event.dataformats.upper()
    channels = written.find("C")
    if 0 <= channels < array.ndim and len(written) == array.ndim and array.shape[channels] not in (1, 3, 4):
        likely = written.replace("C", "") + "C" if channels < written.find("W") else "CHW".rjust(len(written), "N")
        if array.shape[likely.find("C")] in (1, 3, 4):
            yield Finding(
                f"An image of shape {tuple(array.shape)} looks like {likely}, and is taken for {written}.",
                f'Say so: `{event.name}(tag, image, dataformats="{likely}")`.',
                event.place,
                evidence={"shape": list(array.shape)},
            )
            return
    if array.dtype != np.uint8 and array.dtype.kind != "b" and float(array.max()) > BRIGHTEST:
        kind = "float" if array.dtype.kind == "f" else str(array.dtype)
        yield Finding(
            f"The values of this {kind} image go up to {float(array.max()):.4g}, and all above 1 is white.",
            "Log numbers between 0 and 1, `image / 255`, or bytes: `image.to(torch.uint8)`.",
            event.place,
            evidence={"max": float(array.max())},
        )
