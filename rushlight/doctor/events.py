"""Events: what a watched program does, as the checks get to see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.location import Location
from rushlight.errors.lost import leaves_behind

if TYPE_CHECKING:
    from rushlight.doctor.clues import Clue
    from rushlight.doctor.lives import OptimizerLife
    from rushlight.doctor.trace import Record


class Event:
    """Something that happened on a user's line."""

    place: Location | None


@dataclass(slots=True)
class Call(Event):
    """A function or method of tensors has returned; `records` are those of its arguments, in their order."""

    name: str
    function: Callable
    args: tuple
    kwargs: dict[str, Any]
    result: Any
    place: Location | None
    record: Record
    records: list[Record]
    # what a write has changed, where that are a few small integers
    before: Any = None

    def argument(self, position: int, name: str, default: Any = None) -> Any:
        """An argument by its place or its name."""
        return self.args[position] if len(self.args) > position else self.kwargs.get(name, default)


@dataclass
class Backward(Event):
    """A backward, or `autograd.grad`, has run from `roots`; `fills` says whether it filled `.grad`."""

    roots: list[Tensor]
    records: list[Record]
    place: Location | None
    number: int
    step: int
    fills: bool = True
    # newer nodes have larger numbers: none of its nodes has this one
    newest: int = 0
    kwargs: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def leaves(self) -> list[Tensor]:
        """The leaves that it reached."""
        return leaves_behind(self.roots)

    def nodes(self) -> Iterator[Any]:
        """The nodes that it goes through, each once; without recursion."""
        seen: set[int] = set()
        stack: list[Any] = [each.grad_fn for each in self.roots]
        while stack:
            node = stack.pop()
            if node is not None and not isinstance(node, Tensor) and id(node) not in seen:
                seen.add(id(node))
                yield node
                stack.extend(node.edges)

    def let_go(self) -> None:
        """Its step is over: nothing of its graph is kept alive for the sake of what is known of it."""
        if self.roots:
            _ = self.leaves
            self.roots = []


@dataclass(slots=True)
class BackwardStarting(Event):
    """A backward, or `autograd.grad`, is about to run."""

    backward: Backward
    place: Location | None


@dataclass(slots=True)
class NotFinite(Event):
    """For the first time a loss, or a gradient of a finite loss, is NaN or infinite; `place` is the backward's line.

    `origin` is the line, name, words and repair of the call that it came from, where that is known; `leaf` is the
    parameter that is not finite itself, or whose gradient is not.
    """

    what: str
    value: float
    origin: Origin | None
    leaf: Tensor | None
    place: Location | None


@dataclass(slots=True)
class Origin:
    """The call from which NaN or infinity came; of a gradient, the call whose gradient it is."""

    name: str
    place: Location | None
    clue: Clue | None
    record: Record | None = None


@dataclass(slots=True)
class Stepping(Event):
    """An optimizer is about to move its parameters; `backwards` have run since its last step."""

    optimizer: OptimizerLife
    place: Location | None
    backwards: list[Backward]


@dataclass(slots=True)
class Stepped(Event):
    """An optimizer has moved its parameters."""

    optimizer: OptimizerLife
    place: Location | None
    backwards: list[Backward]


@dataclass(slots=True)
class Cleared(Event):
    """Gradients were cleared: by zero_grad of an optimizer or module, `p.grad = None` or `p.grad.zero_()`."""

    parameters: list[Tensor]
    place: Location | None


@dataclass(slots=True)
class OptimizerMade(Event):
    """An optimizer was made."""

    optimizer: OptimizerLife
    place: Location | None


@dataclass(slots=True)
class ModuleEntered(Event):
    """A module is about to compute; `depth` modules are around it."""

    module: Any
    args: tuple
    depth: int
    place: Location | None


@dataclass(slots=True)
class ModuleLeft(Event):
    """A module has computed."""

    module: Any
    args: tuple
    result: Any
    depth: int
    place: Location | None


@dataclass(slots=True)
class Switched(Event):
    """`train()` or `eval()` was called on a module."""

    module: Any
    training: bool
    place: Location | None


@dataclass(slots=True)
class Assigned(Event):
    """A module's attribute was set, `before` is what stood there."""

    module: Any
    name: str
    value: Any
    before: Any
    place: Location | None


@dataclass(slots=True)
class Loaded(Event):
    """`load_state_dict` was called on a module or an optimizer."""

    target: Any
    state: Any
    place: Location | None


@dataclass(slots=True)
class Seeded(Event):
    """`manual_seed` was called."""

    seed: int
    place: Location | None


@dataclass(slots=True)
class Restored(Event):
    """The random generator goes on from where it stood before, as after `fork_rng`."""

    place: Location | None


@dataclass(slots=True)
class LoaderStarted(Event):
    """An iterator over a data loader was made."""

    loader: Any
    iterator: Any
    place: Location | None


@dataclass(slots=True)
class BatchTaken(Event):
    """A data loader gave a batch."""

    loader: Any
    iterator: Any
    batch: Any
    place: Location | None


@dataclass(slots=True)
class CategoricalMade(Event):
    """A categorical distribution is made from what its author calls probabilities; `error` says why it could not be."""

    probs: Tensor
    record: Record
    error: BaseException | None
    place: Location | None


@dataclass(slots=True)
class DistributionUsed(Event):
    """A method of a distribution has returned: sample, rsample, log_prob, entropy, cdf ..., by `name`."""

    distribution: Any
    name: str
    value: Any
    result: Any
    place: Location | None
    record: Record


@dataclass(slots=True)
class GradientRead(Event):
    """The program read `.grad` of a tensor."""

    tensor: Tensor
    gradient: Tensor | None
    place: Location | None


@dataclass(slots=True)
class AttributeSet(Event):
    """The program set an attribute of a tensor: `requires_grad`, or one that tensors do not have."""

    tensor: Tensor
    name: str
    value: Any
    place: Location | None


@dataclass(slots=True)
class Clipped(Event):
    """Gradients of these parameters were clipped, by norm or by value; `limit` is the largest that was allowed."""

    parameters: list[Tensor]
    place: Location | None
    limit: Any = None


@dataclass(slots=True)
class ArraysJoined(Event):
    """NumPy is about to make one array of a list of them."""

    name: str
    arrays: list
    place: Location | None


@dataclass(slots=True)
class StateTaken(Event):
    """`state_dict` of a module has returned."""

    module: Any
    state: Any
    place: Location | None


@dataclass(slots=True)
class Scheduled(Event):
    """A learning rate scheduler has made a step."""

    scheduler: Any
    place: Location | None


@dataclass(slots=True)
class ParameterMade(Event):
    """An nn.Parameter was made; `module` is the innermost module that was computing, if one was."""

    parameter: Tensor
    module: Any
    place: Location | None


@dataclass(slots=True)
class ImageLogged(Event):
    """`add_image` or `add_images` of a SummaryWriter was called with these arguments."""

    name: str
    image: Any
    dataformats: str
    error: BaseException | None
    place: Location | None


@dataclass(slots=True)
class Raised(Event):
    """The program ended with an error; `call` is what raised it, as (name, args, kwargs), where that was a call."""

    error: BaseException
    place: Location | None
    call: tuple | None


@dataclass(slots=True)
class Finished(Event):
    """The program has ended by itself."""

    place: Location | None = None
