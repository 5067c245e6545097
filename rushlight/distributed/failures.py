"""Failures: a process that cannot go on says so with its rank, and takes the others with it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from rushlight.distributed import environment
from rushlight.errors import location


class DistError(RuntimeError):
    """Something went wrong between processes."""


class DistBackendError(DistError):
    """What carries messages cannot go on: somebody did not come, has ended, or does something else."""


class DistNetworkError(DistError):
    """Messages do not arrive."""


class DistStoreError(DistError):
    """A store failed."""


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing."""


for _each in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _each.__module__ = "torch.distributed"


def note(rank: int, kind: str, text: str) -> bool:
    """Leave word for the program that started the job, in the folder that it gave; whether there is one here."""
    folder = os.environ.get(environment.JOB_FOLDER)
    if not folder:
        return False
    try:
        with open(os.path.join(folder, f"rank-{rank}.{kind}"), "w") as file:
            file.write(text)
    except OSError:
        return False
    return True


def note_error(rank: int, error: BaseException, said: str = "") -> bool:
    """Leave word of an error, of the program's line that it came from, and of what is to be said of it."""
    places = [each for each in traceback.extract_tb(error.__traceback__) if not location.ours[each.filename]]
    where = f"{places[-1].filename}:{places[-1].lineno}" if places else ""
    words = "".join(traceback.format_exception_only(error)).strip()
    return note(rank, "error", json.dumps({"error": words, "where": where, "when": time.time(), "said": said}))


def with_rank(hook: Callable, rank: int, abort: Callable[[int], Any]) -> Callable:
    """An excepthook that prefixes each line of a traceback with the rank, then ends all processes of the job."""

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            hook(kind, error, trace)
        # in one piece, so that lines of several processes do not mix
        text = "".join(f"[rank{rank}]: {line}" for line in said.getvalue().splitlines(True))
        # whoever started the job says it: mpiexec may end before it has passed on what was printed last
        if not note_error(rank, error, text) or sys.stderr is not sys.__stderr__:
            print(text, end="", file=sys.stderr)
        end_all(130 if issubclass(kind, KeyboardInterrupt) else 1, abort)

    return excepthook


def end_all(code: int, abort: Callable[[int], Any]) -> None:
    """End every process of the job, this one too, with this exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    abort(code)


def abort_if_started(code: int) -> None:
    """End every process of the job if MPI knows of it; else this one ends by itself."""
    MPI = getattr(sys.modules.get("mpi4py"), "MPI", None)
    if MPI is not None and MPI.Is_initialized() and not MPI.Is_finalized():
        end_all(code, MPI.COMM_WORLD.Abort)
