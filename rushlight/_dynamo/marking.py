"""Notes on tensors for torch's compiler, and the questions that it alone could answer."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.settings.state import state
from rushlight.errors.breaks import refuse


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Nothing: sizes may change from call to call."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Nothing: sizes may change from call to call."""


def mark_static(t: Any, index: Any = None) -> None:
    """Nothing: no size is assumed."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Nothing: no address is assumed."""


def graph_break(msg: str = "") -> None:
    """An error where a graph must not break; else nothing: a chain ends where it has to."""
    if state.whole:
        refuse(f"graph_break() was called: {msg}" if msg else "graph_break() was called")


def skip_frame(msg: str = "") -> None:
    """Nothing: no frame is compiled."""


def export(f: Any, *extra_args: Any, **options: Any) -> NoReturn:
    """Refused: torch.fx.symbolic_trace records what a program does."""
    raise NotImplementedError(
        "torch._dynamo.export is not in Rushlight: torch.fx.symbolic_trace records what a program does"
    )
