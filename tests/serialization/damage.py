"""Damage: files that were changed at random, or made to deceive, and what loading them may do.

    python tools/fuzz_files.py damage --count 100000

Each file is loaded in a child process that has little memory to spare and an ear for what is executed. It may be
refused by an error of a file's, or loaded; nothing else may happen.
"""

from __future__ import annotations

import argparse
import io
import os
import pickle
import random
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from struct import pack_into
from typing import Any

import rushlight as torch
from rushlight.serialization.archive_writer import ArchiveWriter
from tests.serialization.hostile_pickles import calls, greedy

COMMAND = (sys.executable, str(Path(__file__).resolve().parents[2] / "tools" / "fuzz_files.py"), "damage")
CLEAN = (RuntimeError, ValueError, EOFError, pickle.UnpicklingError)
# bytes that loading may take beside what the process has: files here have some thousands
ROOM = 256 << 20
# what a load has no reason to do
FORBIDDEN = ("os.system", "subprocess.Popen", "exec", "compile", "socket.connect", "os.remove", "os.rename", "shutil")


def samples() -> list[bytes]:
    """Files as they should be."""
    x = torch.arange(12.0).reshape(3, 4)
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.Adam(net.parameters())
    objects: list[Any] = [
        {"x": x, "row": x[1:], "columns": x.T, "wide": x[0].expand(5, 4)},
        [torch.nn.Parameter(torch.ones(2)), torch.tensor([1 + 2j]).conj(), torch.ones(3, dtype=torch.uint16)],
        net.state_dict(),
        {"optimizer": optimizer.state_dict(), "sets": {1, 2}, "bytes": b"abc", "more": [bytearray(b"x"), 1j, 10**40]},
        (torch.Size([1]), torch.device("cpu"), torch.float32, "text", None, torch.zeros(0), torch.strided),
    ]
    files = []
    for found in objects:
        for options in ({}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4}):
            file = io.BytesIO()
            torch.save(found, file, **options)
            files.append(file.getvalue())
    return files


def records(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {each.filename.partition("/")[2]: found.read(each) for each in found.infolist()}


def archived(found: dict[str, bytes], name: str = "archive") -> bytes:
    """An archive of these records, with checksums that fit."""
    file = io.BytesIO()
    archive = ArchiveWriter(file, name)
    for each, data in found.items():
        if each not in ("version", ".data/serialization_id"):
            archive.write_record(each, data)
    archive.finish()
    return file.getvalue()


def flipped(data: bytes, draw: random.Random) -> bytes:
    """Some bits are other ones."""
    found = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 8, 40])):
        found[draw.randrange(len(found))] ^= 1 << draw.randrange(8)
    return bytes(found)


def cut(data: bytes, draw: random.Random) -> bytes:
    """A part is missing: the end, the beginning, or something between."""
    start, stop = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    return draw.choice([data[:start], data[:start] + data[stop:], data[:4] + data[start:]])


def grown(data: bytes, draw: random.Random) -> bytes:
    """Bytes were put in."""
    place = draw.randrange(len(data) + 1)
    return data[:place] + draw.randbytes(draw.choice([1, 4, 8, 100])) + data[place:]


def edited_pickle(data: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """A pickle with other opcodes, numbers, or parts of another pickle."""
    found = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = draw.randrange(len(found))
        what = draw.randrange(6)
        if what == 0:
            found[place] = draw.choice(b"NR\x81b)]}(tqhK0usae\x85\x86\x87QXcG\x8a.\x93\x94\x8f\x90")
        elif what == 1:
            found[place:place] = draw.randbytes(draw.randrange(1, 4))
        elif what == 2:
            del found[place : place + draw.randrange(1, 9)]
        elif what == 3:
            other = draw.choice(others)
            start = draw.randrange(len(other))
            found[place:place] = other[start : start + draw.randrange(1, 60)]
        elif what == 4:
            found = bytearray(bigger_number(bytes(found), draw))
        else:
            found[place] = draw.randrange(256)
        found = found or bytearray(b".")
    return bytes(found)


def bigger_number(data: bytes, draw: random.Random) -> bytes:
    """A size, a stride, an offset or a count is another number, perhaps a huge one."""
    places = [place for place in range(len(data) - 1) if data[place : place + 1] == b"K"]
    if not places:
        return data
    place = draw.choice(places)
    number = draw.choice([-1, 0, 255, 2**16, 2**31 - 1, 2**33, 2**61, 2**63 - 1, 2**63, 2**70, draw.randrange(2**20)])
    return data[:place] + pickle.dumps(number, 2)[2:-1] + data[place + 2 :]


def lying_directory(data: bytes, draw: random.Random) -> bytes:
    """The archive's directory, or its end, says something else."""
    found = bytearray(data)
    marks = (b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"PK\x03\x04", b"PK\x07\x08")
    mark = draw.choice(marks)
    places = [place for place in range(len(data) - 60) if data[place : place + 4] == mark] or [0]
    place = draw.choice(places)
    form = draw.choice("<B <H <I <Q".split())
    limit = {"B": 2**8, "H": 2**16, "I": 2**32, "Q": 2**64}[form[1]]
    value = draw.choice([0, 1, limit - 1, limit // 2, len(data) % limit, draw.randrange(limit)])
    pack_into(form, found, min(place + draw.randrange(4, 50), len(found) - 8), value)
    return bytes(found)


def bomb(data: bytes, draw: random.Random) -> bytes:
    """Records that are compressed, and larger than anybody would think; or many names for the same bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as found:
        for name, content in records(data).items():
            if name in ("data.pkl", "data/0") and draw.random() < 0.7:
                content += bytes(draw.choice([10**6, 3 * 10**7]))
            found.writestr(f"archive/{name}", content)
    return file.getvalue()


def renamed(data: bytes, draw: random.Random) -> bytes:
    """Names that lead elsewhere."""
    found = records(data)
    names = ["../../../tmp/x", "/etc/passwd", "..\\..\\x", "data/../data/0", "a" * 300, "\x00", "data/0/", "ünï", ""]
    moved = {draw.choice(names) if draw.random() < 0.4 else name: content for name, content in found.items()}
    return archived(moved, draw.choice(["archive", "..", "", "a/b", "../.."]))


def spliced(data: bytes, draw: random.Random, others: list[bytes]) -> bytes:
    """An archive whose pickle is another one."""
    found = records(data)
    found["data.pkl"] = edited_pickle(found["data.pkl"], draw, others)
    if draw.random() < 0.2:
        key = draw.choice([each for each in found if each.startswith("data/")] or ["data/0"])
        found[key] = found.get(key, b"")[: draw.randrange(20)]
    return archived(found)


class Mutator:
    """Makes the damaged file of each number."""

    def __init__(self, canary: str):
        self.files = samples()
        self.archives = [each for each in self.files if each[:2] == b"PK"]
        self.pickles = [records(each)["data.pkl"] for each in self.archives]
        self.hostile = calls(canary)

    def make(self, number: int) -> tuple[str, bytes]:
        """What was done, and the file."""
        draw = random.Random(number)
        data, archive = draw.choice(self.files), draw.choice(self.archives)
        ways: dict[str, Any] = {
            "flipped": lambda: flipped(data, draw),
            "cut": lambda: cut(data, draw),
            "grown": lambda: grown(data, draw),
            "spliced": lambda: spliced(archive, draw, self.pickles),
            "spliced stream": lambda: edited_pickle(data if data[:2] != b"PK" else self.pickles[0], draw, self.pickles),
            "numbers": lambda: archived(
                records(archive) | {"data.pkl": bigger_number(draw.choice(self.pickles), draw)}
            ),
            "directory": lambda: lying_directory(archive, draw),
            "renamed": lambda: renamed(archive, draw),
            "hostile": lambda: archived(records(archive) | {"data.pkl": draw.choice(self.hostile)}),
            "hostile stream": lambda: stream(draw.choice(self.hostile)),
            "greedy": lambda: archived(records(archive) | {"data.pkl": greedy(draw)}),
            "greedy stream": lambda: stream(greedy(draw)),
        }
        if number % 200 == 0:
            return "bomb", bomb(archive, draw)
        name = draw.choice(list(ways))
        return name, ways[name]()


def stream(data: bytes) -> bytes:
    """A file of the older format around a pickle."""
    head = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}]
    return b"".join([*(pickle.dumps(each, 2) for each in head), data, pickle.dumps([], 2)])


def touch(found: Any, depth: int = 0) -> None:
    """Read every number: memory that is not there would end the process."""
    if isinstance(found, torch.Tensor):
        if found.numel() < 10**6:
            found.detach().resolve_conj().resolve_neg().clone()
    elif isinstance(found, dict) and depth < 20:
        for each in list(found.values())[:50]:
            touch(each, depth + 1)
    elif isinstance(found, (list, tuple)) and depth < 20:
        for each in found[:50]:
            touch(each, depth + 1)


def load(number: int, data: bytes, canary: str) -> Any:
    """Load the file from memory, from the disk, or mapped; or only look for names in it."""
    if number % 8 == 1:
        return torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))
    if number % 8 > 3:
        return torch.load(io.BytesIO(data))
    path = Path(f"{canary}.pt")
    path.write_bytes(data)
    return torch.load(path, mmap=number % 8 == 2)


def run(first: int, last: int, canary: str) -> int:
    """Load the files of these numbers; how many did something that they must not."""
    import resource

    mutator = Mutator(canary)
    listening, heard = [False], []

    def listen(event: str, arguments: tuple) -> None:
        if listening[0] and (event in FORBIDDEN or event.startswith("shutil")):
            heard.append(event)
            raise PermissionError(event)

    for each in mutator.files:
        torch.load(io.BytesIO(each))
    sys.addaudithook(listen)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    outcomes: Counter[str] = Counter()
    faults = 0
    for number in range(first, last):
        name, data = mutator.make(number)
        listening[0] = True
        try:
            touch(load(number, data, canary))
            outcome = "loaded"
        except CLEAN as error:
            outcome = type(error).__name__
        except BaseException as error:
            outcome = f"FAULT {type(error).__name__}"
            print(f"number {number} ({name}): {type(error).__name__}: {str(error)[:200]}", flush=True)
            faults += 1
        listening[0] = False
        outcomes[f"{name}: {outcome}"] += 1
        if heard or os.path.exists(canary):
            print(f"number {number} ({name}) was executed: {heard}", flush=True)
            return faults + 1
    for each, count in sorted(outcomes.items()):
        print(f"{count:7} {each}")
    return faults


def in_children(count: int, seed: int, chunk: int = 5000) -> int:
    """Load so many files, in processes of some thousands each; how many processes found a fault, or died."""
    broken = 0
    for first in range(seed, seed + count, chunk):
        last = min(first + chunk, seed + count)
        with tempfile.TemporaryDirectory() as folder:
            command = [*COMMAND, "--run", str(first), str(last)]
            done = subprocess.run([*command, os.path.join(folder, "canary")], capture_output=True, text=True)
        if done.returncode:
            broken += 1
            print(f"numbers {first} to {last} ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        elif first == seed:
            print(done.stdout)
    return broken


def main() -> int:
    parser = argparse.ArgumentParser(description="Load damaged and hostile files.")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", nargs=3)
    chosen = parser.parse_args()
    if chosen.run:
        return 1 if run(int(chosen.run[0]), int(chosen.run[1]), chosen.run[2]) else 0
    broken = in_children(chosen.count, chosen.seed)
    print(f"{chosen.count} files, {broken} runs with a fault")
    return 1 if broken else 0
