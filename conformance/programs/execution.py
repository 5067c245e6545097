"""Execution: a program run statement by statement in one library, with a snapshot after each."""

from __future__ import annotations

import functools
import gc
import importlib
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conformance.programs.prelude import PRELUDE
from conformance.programs.snapshot import Failed, Shown, Snapshot

# a statement may take this long; torch's rejection sampling, for one, may never end
SECONDS = 30
TOO_SLOW = "TooSlow"
IMPORTS, OWN = (compile(each, "<prelude>", "exec") for each in PRELUDE.split("\nseen = []\n"))


@contextmanager
def as_torch(module: Any) -> Iterator[None]:
    """While this lasts, `import torch` means the library: its submodules go by torch's names."""
    kept = {name: each for name, each in sys.modules.items() if name == "torch" or name.startswith("torch.")}
    if kept.get("torch") is module:
        yield
        return
    from rushlight import compat

    compat.install()
    try:
        yield
    finally:
        compat.uninstall()
        sys.modules.update(kept)


@functools.cache
def imported(library: str) -> dict[str, Any]:
    """What every program imports: found once, since a look at all modules takes longer than most programs."""
    module = importlib.import_module(library)
    names: dict[str, Any] = {"torch": module}
    with as_torch(module):
        exec(IMPORTS, names)
    return names


class TooSlow(BaseException):
    """A statement did not end in time."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Ends what runs longer than this."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Execution:
    """A namespace in which the statements of a program run, one after another."""

    def __init__(self, library: str, seed: int = 0) -> None:
        self.module = importlib.import_module(library)
        self.namespace: dict[str, Any] = {**imported(library), "__name__": "program", "seen": []}
        exec(OWN, self.namespace)
        self.module.manual_seed(seed)
        self.module.set_grad_enabled(True)
        self.first_versions: dict[str, int] = {}

    def run(self, statement: str) -> Failed | None:
        """Runs one statement; returns the exception, if it raised one."""
        with warnings.catch_warnings(), limited(SECONDS):
            warnings.simplefilter("ignore")
            try:
                exec(compile(statement, "<program>", "exec"), self.namespace)
            except TooSlow:
                return Failed(TOO_SLOW, statement)
            except Exception as error:
                bases = tuple(each.__name__ for each in type(error).__mro__)
                return Failed(type(error).__name__, str(error), bases)
        return None

    def show(self) -> dict[str, Any]:
        """The snapshot of all names that the program made."""
        snapshot = Snapshot(self.module)
        return {name: self.counted(name, snapshot.of(self.namespace[name])) for name in self.own()}

    def counted(self, name: str, record: Any) -> Any:
        """A tensor's record with the writes since it was first seen: its own making may take any number."""
        if not isinstance(record, Shown) or record.version is None:
            return record
        return record._replace(version=record.version - self.first_versions.setdefault(name, record.version))

    def own(self) -> list[str]:
        return [name for name in self.namespace if name == "seen" or (name[0] in "xmopvd" and name[1:].isdigit())]


Trace = list[tuple[Failed | None, dict[str, Any]]]


def trace(library: str, program: Any, collect: bool = False) -> Trace:
    """What a program shows after each of its statements; with `collect`, garbage is collected after each."""
    execution = Execution(library, program.seed)
    shown = []
    for statement in program.statements:
        failed = execution.run(statement)
        if collect:
            gc.collect()
        shown.append((failed, execution.show()))
    return shown
