"""The two processes of a scan take turns: a quick look at each entry, and a closer one where Rushlight is behind."""

import os
import pickle
import select
from dataclasses import dataclass, field

from benchmarks.runner import Piped
from benchmarks.scanning.entries import smaller

OURS, THEIRS = "rushlight", "torch"
# the first look and the closer one: rounds, and seconds of one library's turn within a round
QUICK, CLOSE = (3, 0.0004), (7, 0.003)
BEHIND = 1.1
# seconds of a closer look at most
LONGEST = 0.5
# a call that takes longer than this is called once more for the first look, and not three times
LONG = 0.005
# seconds of one call at most; a process that does not even answer has this much more
LIMIT, GRACE = 3.0, 12.0
# so many times as long on a machine that others use
PATIENCE = 6
# a series ends where torch takes longer than this: ten times as many elements would take too long
SLOW = 0.06
# every allocation on pages of its own, given back when it is freed, so that resident memory tells what is in use
SHOWING_MEMORY = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0", "RUSHLIGHT_POOL": "0"}
MEMORY_FROM = 1_000_000


@dataclass
class Found:
    """What was measured of one entry; `note` says why there is no ratio."""

    entry: dict
    seconds: dict = field(default_factory=dict)
    memory: dict = field(default_factory=dict)
    note: str = ""

    @property
    def ratio(self):
        if len(self.seconds) < 2:
            return None
        return self.seconds[OURS] / self.seconds[THEIRS]

    @property
    def memory_ratio(self):
        """Of all that an entry needs: what it reads and what it adds."""
        if len(self.memory) < 2:
            return None
        ours, theirs = (self.memory[name]["added"] + self.memory[THEIRS]["read"] for name in (OURS, THEIRS))
        return ours / max(theirs, 1)


class Process(Piped):
    """One library's process, started again when it ended or had to be ended."""

    def __init__(self, name, python, variables=None):
        self.given = ("benchmarks.scanning.serve", name, python, 1, variables, False)
        self.start(*self.given)

    def ask(self, request, value=None, limit=LIMIT):
        """The answer, a dictionary; after `limit` seconds and some grace the process is ended."""
        limit *= PATIENCE if os.environ.get("SCAN_BUSY") else 1
        try:
            pickle.dump((request, value, limit), self.process.stdin)
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], limit + GRACE)
            if not ready:
                self.start_again(kill=True)
                return {"too_long": limit + GRACE}
            return pickle.load(self.process.stdout)
        except (BrokenPipeError, EOFError):
            words = self.last_words()
            self.start_again()
            return {"died": words}

    def start_again(self, kill=False):
        if kill:
            self.process.kill()
        self.close()
        self.start(*self.given)


class Pair:
    """Both libraries, and once more for memory, where timing would be spoilt."""

    def __init__(self, pythons, with_memory=True):
        self.processes = {name: Process(name, pythons[name]) for name in (THEIRS, OURS)}
        self.showing = {}
        # samples and sizes that took torch too long once: they are not tried in other layouts and dtypes
        self.too_long = set()
        if with_memory and os.path.exists("/proc/self/clear_refs"):
            self.showing = {name: Process(name, pythons[name], SHOWING_MEMORY) for name in (THEIRS, OURS)}

    def close(self):
        for each in (*self.processes.values(), *self.showing.values()):
            each.close()

    def measure_series(self, series):
        """Yield what was found of each entry until torch takes too long."""
        stop = ""
        for entry in series:
            sample = (entry.subject.name, entry.number, entry.size)
            stop = stop or ("too long in another layout or dtype" if sample in self.too_long else "")
            found = Found(smaller(entry), note=stop)
            if not stop:
                self.measure(entry, found)
                stop = found.note
                if stop.startswith("too_long"):
                    self.too_long.add(sample)
                if not stop and max(found.seconds.values()) > SLOW:
                    stop = "too long at a smaller size"
            yield found

    def measure(self, entry, found):
        first = self.prepare(entry, found)
        if found.note:
            return
        found.seconds = first
        self.take_turns(found, 1 if min(first.values()) > LONG else QUICK[0], QUICK[1])
        if found.ratio is not None and found.ratio > BEHIND:
            self.take_turns(found, *CLOSE)
        if is_weighed(entry) and self.showing and not found.note:
            self.measure_memory(entry, found)

    def prepare(self, entry, found):
        """Both calls made ready, with the seconds of the first one; what keeps them from it becomes the note."""
        seconds, looks = {}, {}
        for name, process in self.processes.items():
            answer = process.ask("prepare", entry)
            if "seconds" not in answer:
                note_failure(found, name, answer, seconds)
                return seconds
            seconds[name], looks[name] = answer["seconds"], answer["looks"]
        if looks[OURS] != looks[THEIRS] and entry.way != "step":
            found.note = f"differ: {str(looks[THEIRS])[:80]} in torch, {str(looks[OURS])[:80]} here"
        return seconds

    def take_turns(self, found, rounds, turn):
        spent = 0.0
        for done in range(rounds):
            for name, process in self.processes.items():
                # the clock of a process may stand still during a short call
                count = max(1, min(2000, round(turn / max(found.seconds[name], 1e-7))))
                answer = process.ask("run", count)
                if "seconds" not in answer:
                    note_failure(found, name, answer, found.seconds)
                    return
                found.seconds[name] = min(found.seconds[name], answer["seconds"])
                spent += answer["seconds"] * count
            if spent > LONGEST and done > 0:
                return

    def measure_memory(self, entry, found):
        memory = {}
        for name, process in self.showing.items():
            if "seconds" not in process.ask("prepare", entry):
                return
            answer = process.ask("memory")
            if "added" not in answer:
                return
            memory[name] = answer
        found.memory = memory


def is_weighed(entry):
    """Memory follows from the code that runs: it is looked at in the plain layout, and in the half precision once."""
    plain = entry.layout == "contiguous" and entry.dtype in ("float32", "int64", "float16")
    return entry.size >= MEMORY_FROM and plain and entry.way in ("forward", "backward", "step")


def note_failure(found, name, answer, seconds):
    """Why an entry has no ratio. Where only Rushlight takes too long, it has one: at least this much."""
    if "too_long" in answer and name == OURS and THEIRS in seconds:
        found.seconds = {THEIRS: seconds[THEIRS], OURS: answer["too_long"]}
        found.note = "stopped"
        return
    kind = next(iter(answer))
    found.note = f"{kind} by {name}: {answer[kind]}"
