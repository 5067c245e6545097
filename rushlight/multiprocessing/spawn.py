"""spawn: one function in several processes, which end together when one of them fails."""

from __future__ import annotations

import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "spawn",
    "SpawnContext",
    "start_processes",
]

ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
# seconds that processes have to end after they were told to, before they are killed
GRACE = 30.0

log = logging.getLogger(__name__)


class ProcessException(Exception):
    """A process ended in a way that was not meant: which one, by its place and its id."""

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process raised an exception; its traceback is the message."""


class ProcessExitedException(ProcessException):
    """A process exited, or was killed."""

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def end_with_parent() -> None:
    """Let the system interrupt this process when its parent ends; only Linux can."""
    if sys.platform == "linux":
        import ctypes

        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, int(signal.SIGINT))


def run(function: Callable, number: int, arguments: tuple, report: Any) -> None:
    """What a started process does."""
    end_with_parent()
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
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}
        self.tracebacks: dict[int, str] = {}

    def pids(self) -> list[int]:
        """The numbers by which the system knows the processes."""
        return [int(each.pid) for each in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends: True if all have; if it failed, the others are ended and its error is raised."""
        if not self.sentinels:
            return True
        failed = None
        for sentinel in self.wait(timeout):
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                failed = index
                break
        if failed is None:
            if not self.sentinels:
                self.close()
            return not self.sentinels
        self.end_all(grace_period)
        self.read(failed)
        self.close()
        raise self.error(failed)

    def wait(self, timeout: float | None) -> list:
        """The sentinels of processes that have ended; tracebacks are read as they come, however long they are."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            ready = multiprocessing.connection.wait([*self.sentinels, *self.open_reports()], left)
            found = [each for each in ready if each in self.sentinels]
            for index, report in enumerate(self.reports):
                if report in ready:
                    self.read(index)
            if found or not ready:
                return found

    def open_reports(self) -> list:
        return [each for each in self.reports if not each.closed]

    def read(self, index: int) -> None:
        """Take over the traceback that a process has sent, if it did."""
        report = self.reports[index]
        if report.closed:
            return
        try:
            if report.poll():
                self.tracebacks[index] = report.recv()
                report.close()
        except (EOFError, OSError):
            # it ended without a word
            report.close()

    def close(self) -> None:
        for each in self.reports:
            each.close()

    def end_all(self, grace_period: float | None) -> None:
        """End the processes that still run: by their own will, by SIGTERM, by SIGKILL."""
        if grace_period is not None:
            self._join_procs_with_timeout(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._join_procs_with_timeout(GRACE if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Process %s did not end by SIGTERM, ending it by SIGKILL", process.pid)
                process.kill()
            process.join()

    def _join_procs_with_timeout(self, timeout: float) -> None:
        end = time.monotonic() + timeout
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def error(self, index: int) -> ProcessException:
        """What a failed process is reported by."""
        process = self.processes[index]
        if index in self.tracebacks:
            words = f"\n\n-- Process {index} terminated with the following error:\n{self.tracebacks[index]}"
            return ProcessRaisedException(words, index, process.pid)
        code = process.exitcode
        if code >= 0:
            words = f"process {index} terminated with exit code {code}"
            return ProcessExitedException(words, index, process.pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        words = f"process {index} terminated with signal {name}"
        return ProcessExitedException(words, index, process.pid, code, name)


class SpawnContext(ProcessContext):
    """The former name of ProcessContext."""

    def __init__(self, processes: list, reports: list):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, reports)


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` processes; an exception in one ends all and is raised here."""
    context: Any = multiprocessing.get_context(start_method)

    def start(number: int) -> tuple:
        report, end = context.Pipe(duplex=False)
        process = context.Process(target=run, args=(fn, number, args, end), daemon=daemon)
        process.start()
        end.close()
        return process, report

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START, "0") == "1":
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(max_workers=nprocs) as threads:
            started = list(threads.map(start, range(nprocs)))
    else:
        started = [start(number) for number in range(nprocs)]
    found = ProcessContext([process for process, _ in started], [report for _, report in started])
    if not join:
        return found
    while not found.join():
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
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}); "
            "torch.multiprocessing.start_processes(...) takes others",
            FutureWarning,
            stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
