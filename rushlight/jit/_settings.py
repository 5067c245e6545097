"""Settings of TorchScript's optimizer: they are kept, and change nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

fusion = {"onednn": False}
strategy: list[tuple[str, int]] = [("STATIC", 2), ("DYNAMIC", 10)]


def enable_onednn_fusion(enabled: bool) -> None:
    """Keep the setting."""
    fusion["onednn"] = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """The setting."""
    return fusion["onednn"]


def set_fusion_strategy(strategy_: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keep the setting; returns the one before."""
    before = list(strategy)
    strategy[:] = strategy_
    return before


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A context that changes nothing."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context that changes nothing."""
    yield


class strict_fusion:
    """A context that changes nothing: nothing is fused by a script."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


def last_executed_optimized_graph() -> NoReturn:
    """Refused: there are no graphs of TorchScript."""
    from rushlight.jit._script import refuse

    refuse("last_executed_optimized_graph")
