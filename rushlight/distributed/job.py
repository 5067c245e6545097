"""A job: the processes that mpiexec has started, watched until they end, and what is said when one fails."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from typing import Any

# how long processes may take to end after the first has failed, before they are killed, in seconds
GRACE = 2.0
INTERVAL = 0.1


class Job:
    """mpiexec and its processes, each of which leaves its process id and its last words in a folder."""

    def __init__(self, started: subprocess.Popen, folder: str, count: int):
        self.started = started
        self.folder = folder
        self.count = count
        self.processes: dict[int, int] = {}
        self.handles: dict[int, int] = {}
        # ranks in the order in which they ended
        self.ended: list[int] = []
        # the first that ended too early: several if mpiexec was quicker to end the others than this program to look
        self.suspects: list[int] = []
        self.stopping: int | None = None

    def wait(self) -> int:
        """Wait for the end; returns the exit code."""
        before = {each: signal.signal(each, self.stop) for each in (signal.SIGINT, signal.SIGTERM)}
        poll = select.poll() if hasattr(select, "poll") else None
        first_end = None
        try:
            while self.started.poll() is None:
                self.find_processes(poll)
                self.note_ends(poll)
                if self.failed() and first_end is None:
                    first_end = time.monotonic()
                if first_end is not None and time.monotonic() - first_end > GRACE:
                    self.kill_all()
            self.find_processes(poll)
            self.note_ends(poll, 0)
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)
            self.kill_left_over()
            for handle in self.handles:
                os.close(handle)
        return self.report()

    def stop(self, number: int, frame: Any) -> None:
        """Pass a signal on to all processes of the job; a second one kills them."""
        if self.stopping is not None:
            self.kill_all()
        self.stopping = number
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.started.pid, number)

    def find_processes(self, poll: Any) -> None:
        """Read the process ids that have been written down since."""
        if len(self.processes) == self.count:
            return
        for rank in range(self.count):
            if rank not in self.processes and len(words := self.word(rank, "pid").split()) == 2:
                self.processes[rank] = int(words[0])
                if words[1] == socket.gethostname():
                    self.hold(rank, poll)

    def hold(self, rank: int, poll: Any) -> None:
        """Have the system tell when a process of this machine ends."""
        if poll is None or not hasattr(os, "pidfd_open"):
            return
        try:
            handle = os.pidfd_open(self.processes[rank])
        except ProcessLookupError:
            self.ended.append(rank)
            return
        self.handles[handle] = rank
        poll.register(handle, select.POLLIN)

    def note_ends(self, poll: Any, pause: float = INTERVAL) -> None:
        if poll is None or not self.handles:
            time.sleep(pause)
            return
        self.collect(poll, pause)
        if not self.suspects and self.lost():
            # one that began since the last look may have ended too
            self.find_processes(poll)
            self.collect(poll, 0)
            self.suspects = self.lost()

    def collect(self, poll: Any, pause: float) -> None:
        """Wait until a process ends, or for a while."""
        for handle, _ in poll.poll(pause * 1000):
            poll.unregister(handle)
            self.ended.append(self.handles[handle])

    def lost(self) -> list[int]:
        """The ranks that have ended and had not come to their end."""
        return [rank for rank in self.ended if not self.word(rank, "done")]

    def word(self, rank: int, kind: str) -> str:
        """What a process has written down."""
        try:
            with open(os.path.join(self.folder, f"rank-{rank}.{kind}")) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def failed(self) -> bool:
        """Whether a process has ended that had not come to its end."""
        return bool(self.lost())

    def kill_all(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.started.pid, signal.SIGKILL)
        self.kill_left_over()

    def kill_left_over(self) -> None:
        """Nothing stays behind: end what mpiexec has not."""
        for rank in self.handles.values():
            if rank not in self.ended:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.processes[rank], signal.SIGKILL)

    def report(self) -> int:
        """Say who failed, and why; returns the exit code."""
        code = self.started.returncode
        if self.stopping is not None:
            return 128 + self.stopping
        errors = {rank: json.loads(text) for rank in range(self.count) if (text := self.word(rank, "error"))}
        lost = self.suspects or self.lost()
        if errors:
            self.tell_errors(errors)
        elif lost:
            names = [f"rank {rank} of {self.count} (process {self.processes[rank]})" for rank in lost]
            tell(f"{' or '.join(names)} ended without a word: it was killed by a signal, or called os._exit")
        elif code:
            tell(f"mpiexec ended with {code}{self.when()}")
        failed = bool(errors or lost)
        # one that this program has killed itself says nothing of why
        return int(failed) if code == 0 or (code == -signal.SIGKILL and failed) else code if code > 0 else 128 - code

    def when(self) -> str:
        """How far the processes had come when mpiexec ended, as far as they have said."""
        late = [f"rank {rank}" for rank in range(self.count) if rank not in self.processes]
        if late:
            return f" before {', '.join(late)} had begun"
        is_done = all(self.word(rank, "done") for rank in range(self.count))
        return " after every rank had come to its end: one was killed then" if is_done else ""

    def tell_errors(self, errors: dict[int, dict[str, Any]]) -> None:
        """The error that came first; those of other processes mostly follow from it."""
        first = min(errors, key=lambda rank: errors[rank]["when"])
        where = f" at {errors[first]['where']}" if errors[first]["where"] else ""
        print(errors[first]["said"], end="", file=sys.stderr)
        tell(f"rank {first} of {self.count} failed{where}: {errors[first]['error']}")
        others = sorted(set(errors) - {first})
        if others:
            tell(f"after that failed: {', '.join(f'rank {rank}' for rank in others)}")


def tell(words: str) -> None:
    print(f"rushlight.distributed.run: {words}", file=sys.stderr, flush=True)
