"""The pool: worker processes that take tasks in turn; a crash or a hang costs its task and no other."""

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

# importing torch and its operator database takes 7 s alone, several times that on a busy machine
START_SECONDS = 180


# a slow op on a busy machine looks like a hang: it gets a second chance, this many times as long
PATIENCE = 4


class WorkerDied(Exception):
    """The worker crashed, or hung and was ended."""


class WorkerHung(WorkerDied):
    """The worker gave no answer in time."""


class Worker:
    """One worker process and the pipes to it."""

    def __init__(self, library: str) -> None:
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.noise = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "conformance.worker", library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.noise,
            env={**os.environ, **threads},
        )
        self.unread = b""
        if "ready" not in self.receive(START_SECONDS):
            raise WorkerDied("the worker did not start")

    def ask(self, task: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            self.process.stdin.write(json.dumps(task).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerDied(f"crash: {self.cause()}") from None
        return self.receive(seconds)

    def receive(self, seconds: float) -> dict[str, Any]:
        """The next line of the worker, within the time given."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise WorkerHung(f"hang: no answer within {seconds:g} s")
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                raise WorkerDied(f"crash: {self.cause()}")
            self.unread += chunk
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line)

    def cause(self) -> str:
        """How the process ended and the last line it wrote."""
        status = self.process.wait()
        self.noise.seek(0)
        lines = self.noise.read().decode(errors="replace").strip().splitlines()
        return f"exit status {status}{', ' + lines[-1][:200] if lines else ''}"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.noise.close()


class Pool:
    """Runs tasks on `jobs` workers and hands each answer to a callback, in the order of completion."""

    def __init__(self, library: str, jobs: int, seconds: float) -> None:
        self.library = library
        self.jobs = jobs
        self.seconds = seconds

    def ask(self, task: dict[str, Any]) -> Any:
        """The result of a single task, such as the list of what there is to run."""
        worker = Worker(self.library)
        try:
            answer = worker.ask(task, START_SECONDS)
        finally:
            worker.stop()
        if "fault" in answer:
            raise RuntimeError(answer["fault"])
        return answer["result"]

    def run(self, tasks: list[dict[str, Any]], report: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
        """Runs every task; `report(task, answer)` is called under a lock."""
        waiting: SimpleQueue = SimpleQueue()
        for task in tasks:
            waiting.put(task)
        lock = threading.Lock()
        count = min(self.jobs, len(tasks))
        threads = [threading.Thread(target=self.drain, args=(waiting, report, lock)) for _ in range(count)]
        for thread in threads:
            thread.daemon = True
            thread.start()
        for thread in threads:
            thread.join()

    def drain(self, waiting: SimpleQueue, report: Callable, lock: threading.Lock) -> None:
        """One thread's life: takes tasks to its own worker, and a fresh worker after each loss."""
        worker = None
        while True:
            try:
                task = waiting.get_nowait()
            except Empty:
                break
            try:
                worker = worker or Worker(self.library)
                answer = worker.ask(task, self.seconds * (PATIENCE if task.get("again") else 1))
            except WorkerDied as death:
                answer = {"fault": str(death)}
                if worker is not None:
                    worker.stop()
                    worker = None
                if isinstance(death, WorkerHung) and not task.get("again"):
                    waiting.put({**task, "again": True})
                    continue
            with lock:
                report(task, answer)
        if worker is not None:
            worker.stop()
