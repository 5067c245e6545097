"""Notes on tensors for torch's compiler, and the questions that it alone could answer."""

from __future__ import annotations

from typing import Any, NoReturn


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Nothing: sizes may change from call to call."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Nothing: sizes may change from call to call."""


def mark_static(t: Any, index: Any = None) -> None:
    """Nothing: no size is assumed."""


def mark_static_address(t: Any, guard: bool = False) -> None:
    """Nothing: no address is assumed."""


def graph_break(msg: str = "") -> None:
    """Nothing: there is no graph to break."""


def skip_frame(msg: str = "") -> None:
    """Nothing: no frame is compiled."""


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> NoReturn:
    """Refused: nothing is compiled, so there is nothing to explain."""
    raise NotImplementedError(
        "torch._dynamo.explain is not in Rushlight: programs run as they are, nothing is compiled"
    )


def export(f: Any, *extra_args: Any, **options: Any) -> NoReturn:
    """Refused: torch.fx.symbolic_trace records what a program does."""
    raise NotImplementedError(
        "torch._dynamo.export is not in Rushlight: torch.fx.symbolic_trace records what a program does"
    )
