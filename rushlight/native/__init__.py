"""The fast path: `core` is the compiled extension, or None where the plain Python layer works alone."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable)

# RUSHLIGHT_NATIVE=0 runs the specification alone
extension: Any = None
# why there is no extension, for `rushlight.info()`
reason: str | None = None

if os.environ.get("RUSHLIGHT_NATIVE", "1") == "0":
    reason = "switched off by RUSHLIGHT_NATIVE=0"
else:
    try:
        try:
            extension = import_module("rushlight.native._core")
        except ModuleNotFoundError:
            from rushlight.native.sources import load_installed

            extension = load_installed(os.path.dirname(os.path.abspath(__file__)))
            if extension is None:
                reason = f"no extension was built for the copy in {os.path.dirname(__file__)}"
    except ImportError as error:
        reason = f"the extension does not load: {error}"
        # what was built and is broken must not go unnoticed; that there is none is told by `rushlight.info()`
        warnings.warn(f"rushlight runs without its native layer: {reason}", RuntimeWarning, stacklevel=2)

if extension is not None:
    extension.set_package(os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep)


def shortcut(function: Function) -> Function:
    """The function with its native way before it, which declines what is unusual; itself where there is none."""
    return function if extension is None else extension.shortcut(function)


def report() -> Any:
    """How often each kernel did its work or left it to Python, and why: see `native/tallies.py`."""
    from rushlight.native import tallies

    return tallies.report()
