"""The watch: a thread that tells others where this process is, and notices who has ended."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from rushlight.distributed import failures
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.distributed.process_group import World
    from rushlight.distributed.work import Work

ASK, TELL, LEAVE = 1, 2, 3
# how often messages are looked for, and how often neighbours, in seconds
INTERVAL = 0.1
NEIGHBOURS = 0.5
# how long answers are waited for
PATIENCE = 3.0
# how long a message may take that somebody sent before it ended
LAST_MESSAGE = 1.0
STANDARD = os.path.dirname(threading.__file__) + os.sep


class Answer(NamedTuple):
    """Where a process is: the line of its program, and how many collectives it has begun in each group."""

    line: str
    sequences: dict[str, int]
    # how often `init_process_group` has been called
    epoch: int


class Left(NamedTuple):
    """How a process ended: when, and what it had done until then."""

    when: float
    answer: Answer


class Watch:
    """Answers the questions of other processes in a thread of its own, which nothing in the program can hold up.

    There is one for the whole life of a process, since what others send has to be received until all have ended.
    """

    def __init__(self, world: World, comm: Any, MPI: Any):
        self.world = world
        self.comm = comm
        self.MPI = MPI
        self.rank = comm.Get_rank()
        self.main = threading.main_thread().ident
        self.left: dict[int, Left] = {}
        self.answers: dict[int, Answer] = {}
        self.sent: list[Any] = []
        self.epoch = 0
        # the main thread reads too, at the end
        self.reading = threading.Lock()
        self.stopped = threading.Event()
        self.parent = os.getppid()
        self.neighbour = self.find_neighbour()
        self.thread = threading.Thread(target=self.run, name="rushlight-distributed-watch", daemon=True)
        self.thread.start()

    def find_neighbour(self) -> tuple[int, int] | None:
        """Rank and process id of the next process on the same machine, whose end nobody else may notice."""
        places = self.comm.allgather((self.MPI.Get_processor_name(), os.getpid()))
        count = len(places)
        for step in range(1, count):
            rank = (self.rank + step) % count
            if places[rank][0] == places[self.rank][0]:
                return rank, places[rank][1]
        return None

    def run(self) -> None:
        next_look = time.monotonic() + NEIGHBOURS
        while not self.stopped.wait(INTERVAL):
            self.read()
            if time.monotonic() > next_look:
                next_look = time.monotonic() + NEIGHBOURS
                self.look_around()

    def read(self) -> None:
        """Take the messages that have come."""
        with self.reading:
            self.take_all()

    def take_all(self) -> None:
        status = self.MPI.Status()
        while self.comm.Iprobe(self.MPI.ANY_SOURCE, self.MPI.ANY_TAG, status):
            source, tag = status.Get_source(), status.Get_tag()
            content = bytearray(status.Get_count(self.MPI.BYTE))
            self.comm.Recv([content, self.MPI.BYTE], source, tag)
            if tag == ASK:
                self.send(source, TELL, self.here())
            elif tag == TELL:
                self.answers[source] = pickle.loads(content)
            else:
                self.left[source] = Left(time.monotonic(), pickle.loads(content))

    def send(self, rank: int, tag: int, answer: Answer | None) -> None:
        content = pickle.dumps(answer)
        self.sent = [each for each in self.sent if not each[0].Test()]
        self.sent.append((self.comm.Isend([content, self.MPI.BYTE], rank, tag), content))

    def here(self) -> Answer:
        """Where the main thread is."""
        frame = sys._current_frames().get(self.main or 0)
        while frame is not None and (location.ours[frame.f_code.co_filename] or is_library(frame.f_code.co_filename)):
            frame = frame.f_back
        place = None if frame is None else (frame.f_code, frame.f_lasti)
        return Answer(location.describe(place) if place is not None else "", self.sequences(), self.epoch)

    def sequences(self) -> dict[str, int]:
        return {name: group.sequence for name, group in list(self.world.groups.items())}

    def ask(self, ranks: list[int]) -> dict[int, Answer]:
        """Where these processes are; those that do not answer are left out."""
        wanted = set(ranks)
        self.answers.clear()
        for rank in ranks:
            self.send(rank, ASK, None)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not wanted <= set(self.answers):
            time.sleep(0.01)
        return {rank: answer for rank, answer in self.answers.items() if rank in wanted}

    def has_left_without(self, rank: int, work: Work) -> bool:
        """Whether a process has ended that has not done its part of a work."""
        if not self.has_left(rank):
            return False
        left = self.left[rank]
        if work.partner is not None:
            return time.monotonic() - left.when > LAST_MESSAGE
        return left.answer.sequences.get(work.group.group_name, 0) < work.sequence

    def has_left(self, rank: int) -> bool:
        """Whether a process takes part no more, since the last `init_process_group`."""
        return rank in self.left and self.left[rank].answer.epoch >= self.epoch

    def last_words(self, rank: int) -> str:
        line = self.left[rank].answer.line
        return f" at {line}" if line else ""

    def look_around(self) -> None:
        """End where nothing goes on: the next process is gone without a word, or the one that started this one."""
        if os.getppid() != self.parent:
            os._exit(1)
        if self.neighbour is None or self.has_left(self.neighbour[0]) or is_alive(self.neighbour[1]):
            return
        # what it said last may still be on its way
        time.sleep(2 * INTERVAL)
        self.read()
        rank, process = self.neighbour
        if not self.has_left(rank) and not self.stopped.is_set():
            words = f"rank {rank} (process {process}) has ended without a word: it was killed, or called os._exit"
            print(f"[rank{self.rank}]: {words}", file=sys.stderr)
            failures.note(rank, "lost", words)
            failures.end_all(1, self.MPI.COMM_WORLD.Abort)

    def leave(self) -> None:
        """Tell all others that this process takes part no more."""
        answer = self.here()
        for rank in self.others():
            self.send(rank, LEAVE, answer)

    def others(self) -> list[int]:
        return [rank for rank in range(self.comm.Get_size()) if rank != self.rank]

    def close(self) -> None:
        """The end of this process: MPI waits for all others too, so their last messages can be received."""
        while not all(self.has_left(rank) for rank in self.others()):
            time.sleep(0.005)
            self.read()
        self.stopped.set()
        self.thread.join()


def is_alive(process: int) -> bool:
    """Whether a process of this machine runs; one that has ended and is not yet asked for does not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except FileNotFoundError:
        return not os.path.isdir("/proc/self") and signals_reach(process)
    except OSError:
        return True


def signals_reach(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def is_library(path: str) -> bool:
    """Whether a file belongs to Python itself: where a program sleeps is told by its own line."""
    return path.startswith(("<", STANDARD)) and "site-packages" not in path
