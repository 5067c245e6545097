"""The wrapper that torch.compile puts around a module, and the decorators of torch's compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.compiler.marks import Unchanged, disable, is_compiling
from rushlight.compiler.region import run_compiled
from rushlight.native import extension
from rushlight.nn.modules.module import Module

__all__ = ["OptimizedModule", "disable", "innermost_fn", "is_compiling", "optimize", "set_eval_frame"]


class OptimizedModule(Module):
    """A module around another, `_orig_mod`, which it calls; its parameters have that name in front."""

    _orig_mod: Module
    _opt_mod_attributes = frozenset({"_orig_mod", "dynamo_ctx", "training"})

    def __init__(self, mod: Module, dynamo_ctx: Any):
        super().__init__()
        self._orig_mod = mod
        self.dynamo_ctx = dynamo_ctx
        self.__dict__["training"] = mod.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module inside gives, compiled; `dynamo_ctx` says whether its graph must not break."""
        return run_compiled(self.__dict__["_modules"]["_orig_mod"], bool(self.dynamo_ctx), args, kwargs)

    def __getattr__(self, name: str) -> Any:
        modules = self.__dict__.get("_modules", {})
        if name in modules or "_orig_mod" not in modules:
            return super().__getattr__(name)
        return getattr(modules["_orig_mod"], name)

    def __setattr__(self, name: str, val: Any) -> None:
        if name in self._opt_mod_attributes or "_orig_mod" not in self.__dict__.get("_modules", {}):
            super().__setattr__(name, val)
            return
        setattr(self._orig_mod, name, val)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __len__(self) -> int:
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __getitem__(self, index: Any) -> Any:
        return self._orig_mod[index]  # type: ignore[index]

    def __iter__(self) -> Any:
        return iter(self._orig_mod)  # type: ignore[call-overload]

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __reduce__(self) -> tuple:
        return OptimizedModule, (self._orig_mod, self.dynamo_ctx)


if extension is not None:
    extension.connect_wrapper(OptimizedModule.forward)


def optimize(*args: Any, **kwargs: Any) -> Callable:
    """A decorator as `torch.compile` with these options."""
    from rushlight.compiler.entry import compile

    backend = args[0] if args else kwargs.get("backend", "inductor")
    return lambda function: compile(function, backend=backend)


optimize_assert = optimize


def run(fn: Any = None) -> Any:
    """The function itself."""
    return Unchanged() if fn is None else fn


def innermost_fn(fn: Any, *args: Any) -> Any:
    """The function that the program wrote, inside what `torch.compile` gave."""
    while hasattr(fn, "_torchdynamo_orig_callable"):
        fn = fn._torchdynamo_orig_callable
    return fn


def set_eval_frame(callback: Any) -> None:
    """None: no frame is looked at before it runs."""
    return None


def is_dynamo_supported() -> bool:
    """False: there is no compiler that reads frames."""
    return False
