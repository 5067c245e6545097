"""Hooks in files: torch keeps the hooks of a module in an object of its own, which here is the function it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class WrappedHook:
    """A hook of a module out of a file of torch's: a function, and the module that it is called with, if any."""

    hook: Callable
    with_module: bool = False
    module: Any = None

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        self.with_module = bool(state.get("with_module"))
        self.module = state.get("module")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.hook(self.module, *args, **kwargs) if self.with_module else self.hook(*args, **kwargs)
