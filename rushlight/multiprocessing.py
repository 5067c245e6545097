"""torch.multiprocessing: Python's module, with `spawn`. Tensors that are sent to another process are copied."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

STRATEGIES = {"file_descriptor", "file_system"}
_chosen = {"strategy": "file_descriptor"}

__all__ = [
    *multiprocessing.__all__,
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


class ProcessException(Exception):
    """A process ended in a way that was not meant."""

    def __init__(self, msg: str, error_index: int, pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid


class ProcessRaisedException(ProcessException):
    """A process raised an exception; its traceback is the message."""


class ProcessExitedException(ProcessException):
    """A process exited, or was killed."""

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def get_all_sharing_strategies() -> set[str]:
    """The ways to share memory that torch has."""
    return STRATEGIES


def get_sharing_strategy() -> str:
    """What `set_sharing_strategy` was given last."""
    return _chosen["strategy"]


def set_sharing_strategy(new_strategy: str) -> None:
    """Note how memory should be shared; tensors are copied between processes, whatever it is."""
    if new_strategy not in STRATEGIES:
        raise AssertionError(f"{new_strategy!r} is not one of {sorted(STRATEGIES)}")
    _chosen["strategy"] = new_strategy


def run(function: Callable, number: int, arguments: tuple, report: Any) -> None:
    """What a started process does."""
    try:
        function(number, *arguments)
    except KeyboardInterrupt:
        pass
    except Exception:
        report.send(traceback.format_exc())
        raise SystemExit(1) from None


class ProcessContext:
    """Processes that were started together."""

    def __init__(self, processes: list, reports: list):
        self.processes, self.reports = processes, reports

    def pids(self) -> list[int]:
        return [each.pid for each in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process fails, which ends the others and raises, or all are done: True, or False in time."""
        running = {each.sentinel: each for each in self.processes if each.exitcode is None}
        ended = multiprocessing.connection.wait(list(running), timeout) if running else []
        for each in ended:
            running[each].join()
        for number, process in enumerate(self.processes):
            if process.exitcode not in (None, 0):
                self.fail(number, process)
        return len(ended) == len(running)

    def fail(self, number: int, process: Any) -> None:
        for other in self.processes:
            if other.is_alive():
                other.terminate()
            other.join()
        # a process that reports nothing leaves the end of its pipe, which can be read too
        with contextlib.suppress(EOFError):
            if self.reports[number].poll():
                text = f"\n\n-- Process {number} terminated with the following error:\n{self.reports[number].recv()}"
                raise ProcessRaisedException(text, number, process.pid)
        words = f"process {number} terminated with exit code {process.exitcode}"
        raise ProcessExitedException(words, number, process.pid, process.exitcode)


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` processes; an exception in one ends all and is raised here."""
    context = multiprocessing.get_context(start_method)
    processes, reports = [], []
    for number in range(nprocs):
        report, end = context.Pipe(duplex=False)
        process = context.Process(target=run, args=(fn, number, args, end), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
        reports.append(report)
    started = ProcessContext(processes, reports)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` fresh processes."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
