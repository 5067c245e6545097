"""What a compiled function does: which calls run as one pass, and what ended each chain, with the user's lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rushlight.compiler.region import compiled
from rushlight.errors.location import Location, describe
from rushlight.native import extension

END = "the end of the function"


@dataclass(frozen=True)
class Step:
    """A call that was put off."""

    name: str
    place: Location | None


@dataclass(frozen=True)
class Chain:
    """Calls that ran as one pass, how many of their results went to memory, and what ended them where."""

    steps: tuple[Step, ...]
    kept: int
    reason: str
    place: Location | None

    @property
    def is_break(self) -> bool:
        return self.reason != END

    def __str__(self) -> str:
        names = ", ".join(step.name for step in self.steps)
        first = next((step.place for step in self.steps if step.place is not None), None)
        passes = f"{names}: one pass, {self.kept} of {len(self.steps)} results written, from {describe(first)}"
        return f"{passes}\n    ended by {self.reason}" + (f", {describe(self.place)}" if self.is_break else "")


@dataclass
class ExplainOutput:
    """The chains of one run of a function; with the names that torch's answer has."""

    chains: list[Chain] = field(default_factory=list)
    result: Any = None

    @property
    def break_reasons(self) -> list[Chain]:
        """The chains that something else than the function's end has ended."""
        return [chain for chain in self.chains if chain.is_break]

    @property
    def graphs(self) -> list[Chain]:
        return self.chains

    @property
    def graph_count(self) -> int:
        return len(self.chains)

    @property
    def graph_break_count(self) -> int:
        return len(self.break_reasons)

    @property
    def op_count(self) -> int:
        return sum(len(chain.steps) for chain in self.chains)

    @property
    def out_guards(self) -> list:
        """None: the function itself runs each time."""
        return []

    @property
    def compile_times(self) -> None:
        """None: nothing is compiled ahead."""
        return None

    @property
    def ops_per_graph(self) -> list[list[str]]:
        return [[step.name for step in chain.steps] for chain in self.chains]

    def __str__(self) -> str:
        head = (
            f"Graph Count: {self.graph_count}\nGraph Break Count: {self.graph_break_count}\nOp Count: {self.op_count}"
        )
        if not self.chains:
            why = "native code is off" if extension is None else "no large pointwise call was made"
            return f"{head}\n  nothing was fused: {why}"
        return "\n".join([head, *(f"  {number}. {chain}" for number, chain in enumerate(self.chains, 1))])


def explain(f: Callable, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """What `torch.compile(f)` fuses, and where and why its chains end: `explain(f)(x)` runs it once.

    >>> found = torch._dynamo.explain(lambda x: (x * 2 + 1).relu())(torch.ones(100_000))
    >>> found.graph_break_count
    0
    """
    function = getattr(f, "_torchdynamo_orig_callable", f)

    def inner(*args: Any, **kwargs: Any) -> ExplainOutput:
        events: list[tuple] = []
        if extension is not None:
            extension.set_pending_log(events)
        try:
            result = compiled(function)(*args, **kwargs)
        finally:
            if extension is not None:
                extension.set_pending_log(None)
        return ExplainOutput(list(chains_of(events)), result)

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner


def chains_of(events: list[tuple]) -> Any:
    """The chains in what native code noted: steps, and what made them run."""
    steps: list[Step] = []
    for kind, name, place, _, kept in events:
        if kind == "step":
            steps.append(Step(name, place))
        else:
            yield Chain(tuple(steps), kept, name, place)
            steps = []
