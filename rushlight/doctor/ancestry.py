"""Ancestry: what a loss was computed from, sorted by the calls that made it; looked up once for all checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from rushlight.doctor.events import Backward, Stepped
from rushlight.doctor.paths import VIEWS
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# calls after which a value is still the same quantity: shown otherwise, picked from, put together, added up or scaled
GATHERED = VIEWS | set(
    "sum mean neg add add_ sub sub_ rsub stack cat concat hstack vstack __getitem__ gather select clamp clip where "
    "index_select masked_select masked_fill unbind chunk split flip roll narrow neg_ nan_to_num __setitem_ squeeze_ "
    "min max minimum maximum mul_ div_ cumsum median detach repeat".split()
)
# calls that pick some elements
PICKING = {"gather", "__getitem__", "select", "index_select", "take_along_dim", "masked_select", "_chosen", "take"}
SOFT = {"softmax", "log_softmax"}
NETWORKS = set("linear matmul mm bmm mv addmm bilinear conv1d conv2d conv3d einsum embedding baddbmm".split())
PRODUCTS = {"mul", "mul_", "dot", "inner", "matmul", "vdot"}
SAMPLED = {"sample", "rsample", "sample_n", "multinomial", "bernoulli", "normal"}


class Ancestry:
    """The live records behind the roots of one backward, the newest first."""

    def __init__(self, roots: Iterable[Record]):
        found: dict[int, Record] = {}
        stack = [each for each in roots if each.live]
        while stack:
            each = stack.pop()
            if each.number not in found:
                found[each.number] = each
                stack.extend(one for one in each.inputs if one.live)
        self.records = [found[number] for number in sorted(found, reverse=True)]
        self.leaves_known: dict[int, frozenset[int]] = {}

    @cached_property
    def by_name(self) -> dict[str, list[Record]]:
        names: dict[str, list[Record]] = defaultdict(list)
        for each in self.records:
            names[each.name].append(each)
        return names

    def named(self, names: Iterable[str]) -> Iterator[Record]:
        """The records that calls of these names made."""
        for name in names:
            yield from self.by_name.get(name, ())

    def leaves(self, record: Record) -> frozenset[int]:
        """The numbers of the leaves that gradients reach from a record."""
        known = self.leaves_known.get(record.number)
        if known is None:
            known = self.leaves_known[record.number] = frozenset(
                each.number for each in live_behind(record) if each.name == "leaf"
            )
        return known

    @cached_property
    def scores(self) -> list[Record]:
        """The log-probabilities of values in it."""
        wanted = {"log_prob", "cross_entropy", "nll_loss", "log"} | PICKING
        return [each for each in self.named(wanted) if is_score(each)]


def ancestry_of(watch: Watch, backward: Backward) -> Ancestry:
    """What a backward went through; the last few are kept."""
    memory = watch.memory["ancestry"]
    found: Ancestry | None = memory.get(backward.number)
    if found is None:
        if len(memory) > 8:
            memory.clear()
        found = memory[backward.number] = Ancestry(backward.records)
    return found


def counted(watch: Watch, event: Stepped) -> list[Backward]:
    """The backwards whose gradients a step has used: those that nobody cleared before."""
    owned = {id(each) for each in event.optimizer.parameters}
    return [
        each
        for each in event.backwards
        if any(
            id(leaf) in owned and watch.lives.of_parameter(leaf).cleared_backward < each.number for leaf in each.leaves
        )
    ]


def live_behind(record: Record) -> Iterator[Record]:
    """The records through which gradients flow on from one, itself first."""
    seen: set[int] = set()
    stack = [record]
    while stack:
        each = stack.pop()
        if each.number not in seen:
            seen.add(each.number)
            yield each
            stack.extend(one for one in each.inputs if one.live)


def leaf_tensors(record: Record) -> list:
    """The parameters that gradients reach from a record."""
    found = [each.tensor() for each in live_behind(record) if each.name == "leaf" and each.tensor is not None]
    return [each for each in found if each is not None]


def through(record: Record, names: set[str]) -> Record:
    """What a value was before calls of these names, by their first argument."""
    while record.name in names and record.inputs:
        record = record.inputs[0]
    return record


def first_of(record: Record, names: set[str]) -> Record:
    """What a call's first argument was before calls of these names; records of long ago have forgotten it."""
    return through(record.inputs[0], names) if record.inputs else record


def is_score(record: Record) -> bool:
    """Whether a record is the log-probability of something that was chosen, or its negative."""
    if record.name == "log_prob":
        return True
    if record.name in ("cross_entropy", "nll_loss"):
        return record.shape != ()
    nearly = VIEWS | {"clamp", "clip", "add"}
    if record.name == "log":
        source = first_of(record, nearly)
        return source.name in PICKING and first_of(source, nearly).name == "softmax"
    if record.name in PICKING and len(record.inputs) > 1:
        source = through(record.inputs[0], VIEWS)
        if source.name == "log":
            source = first_of(source, nearly)
        return source.name in SOFT
    return False


def scores_in(record: Record) -> list[Record]:
    """The log-probabilities that a value consists of: added up, scaled by plain numbers, or as a ratio."""
    found: list[Record] = []
    seen: set[int] = set()
    stack = [record]
    while stack:
        each = stack.pop()
        if each.number in seen or not each.live:
            continue
        seen.add(each.number)
        if is_score(each):
            found.append(each)
        elif each.name in GATHERED or is_scaled(each) or is_ratio(each):
            stack.extend(each.inputs)
    return found


def is_scaled(record: Record) -> bool:
    """Whether a record is a product with, or quotient by, a plain number."""
    return record.name in ("mul", "div", "true_divide") and sum(one.live for one in record.inputs) == 1


def is_ratio(record: Record) -> bool:
    """`exp(new - old)`."""
    return record.name == "exp" and first_of(record, VIEWS).name in ("sub", "sum", "clamp")


def value_of(score: Record) -> Record | None:
    """What a log-probability is that of; None where the program computes it by hand."""
    return score.inputs[0] if score.name == "log_prob" and score.inputs else None


def is_pathwise(score: Record) -> bool:
    """Whether gradients also flow through the value that is scored, as after rsample().

    What a flow makes of data before a fixed density scores it is no such value.
    """
    value = value_of(score)
    if value is None or not value.live:
        return False
    return any(each.live for each in score.inputs[1:]) or any(each.name == "rsample" for each in live_behind(value))


def is_of_own_sample(score: Record) -> bool:
    """Whether the value that is scored was drawn by the program, and is no data."""
    value = value_of(score)
    if value is None or value.live:
        return False
    allowed = GATHERED | {"tensor", "as_tensor", "long", "int", "item", "numpy", "from_numpy", "data", "tolist"}
    seen: set[int] = set()
    stack = [value]
    while stack:
        each = stack.pop()
        if each.number not in seen:
            seen.add(each.number)
            if each.name in SAMPLED:
                return True
            if each.name in allowed:
                stack.extend(each.inputs)
    return False


def has_network(record: Record) -> bool:
    """Whether a layer of a network lies behind a value."""
    return any(each.name in NETWORKS or each.module is not None for each in live_behind(record))
