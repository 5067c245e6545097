"""What TorchScript's functions and modules have besides being called: asked for here, each says why it is not there."""

from __future__ import annotations

import types
from typing import Any, NoReturn

READ = ("graph", "inlined_graph", "code", "code_with_constants", "schema", "graph_for", "get_debug_state")
WRITTEN = ("save", "save_to_buffer", "_save_for_lite_interpreter", "_save_to_buffer_for_lite_interpreter")
NAMES = frozenset((*READ, *WRITTEN))


def why_absent(name: str, kind: str) -> str:
    """Why a function or a module has no such thing, and what to do instead."""
    reason = (
        f".{name} is TorchScript's, which is not in Rushlight: torch.jit gives back the {kind} itself, which runs in "
        "Python"
    )
    if name in WRITTEN:
        return f"{reason}. Keep parameters with torch.save(module.state_dict(), file), and the code in a Python file"
    return f"{reason}. torch.fx.symbolic_trace({kind}) gives a graph and its code"


class Absent:
    """Stands for what a compiled function would have: whoever reads or calls it is told why there is nothing."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Say that it is not there."""
        raise NotImplementedError(why_absent(self._name, "function"))

    __call__ = __str__ = __iter__ = __len__ = __getitem__ = __contains__ = refuse

    def __repr__(self) -> str:
        return f"<no {self._name}: TorchScript is not in Rushlight>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            # Python asks for these, as inspect and copy do, and goes on without
            raise AttributeError(name)
        self.refuse()


def mark(function: Any) -> None:
    """Let a function of a program say what it does not have, now that it was scripted or traced."""
    # a function that was made by exec has no module
    if isinstance(function, types.FunctionType) and not str(function.__module__).startswith(("rushlight", "torch")):
        for name in NAMES:
            function.__dict__.setdefault(name, Absent(name))
