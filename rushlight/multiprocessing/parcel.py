"""Parcel: an object on its way to another process, as bytes, the files with its memory, and their descriptors.

What is not shared yet is written to files without a name that travel with the message: large arrays to one each, so
that whoever keeps one does not keep the others, small ones together. The receiver maps them; nothing is copied there.
"""

from __future__ import annotations

import io
import os
import pickle
import threading
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from rushlight.core.memory.shared import NAME, Block, block_behind, memory_of, raw_file

# bytes from which on an array has a file of its own
LARGE = 1 << 16
# small arrays begin at multiples of as many bytes, as vector instructions like it
LINE = 64
# what the system writes in one go is less than 2 GiB
PORTION = 1 << 30
# the place of bytes that share a file
TOGETHER = -1


class Parcel:
    """What is being packed: descriptors of shared memory, and arrays that are to be written to files."""

    def __init__(self) -> None:
        self.descriptors: list[int] = []
        self.files: list[int] = []  # those among the descriptors that are only for this message
        self.small: list[tuple[int, Any]] = []
        self.size = 0

    def add_block(self, block: Block) -> int:
        """Send a block that others share already; its place among the descriptors."""
        self.descriptors.append(block.descriptor)
        return len(self.descriptors) - 1

    def add(self, memory: Any) -> tuple[int, int, int]:
        """Send a copy of an array of bytes: which file, from where in it, and how many."""
        view = memoryview(memory)
        if view.nbytes >= LARGE:
            return self.add_file(view), 0, view.nbytes
        place = self.size
        self.small.append((place, view))
        self.size += -(-view.nbytes // LINE) * LINE
        return TOGETHER, place, view.nbytes

    def add_file(self, view: memoryview) -> int:
        file = raw_file(NAME)
        self.files.append(file)
        write(file, view, 0)
        self.descriptors.append(file)
        return len(self.descriptors) - 1

    def finish(self) -> int:
        """Write the small arrays; the size of their file, or 0."""
        if self.small:
            joint = bytearray(max(self.size, 1))
            for place, view in self.small:
                joint[place : place + view.nbytes] = view
            self.add_file(memoryview(joint))
        return self.size

    def close(self) -> None:
        """Let go of the files: the system has them now, or nobody wants them."""
        for each in self.files:
            os.close(each)
        self.files = []


def write(file: int, view: memoryview, place: int) -> None:
    try:
        while place < view.nbytes:
            place += os.pwrite(file, view[place : place + PORTION], place)
        if not view.nbytes:
            os.ftruncate(file, 1)
    except OSError as error:
        raise RuntimeError(f"unable to write {view.nbytes} bytes to shared memory: {error}") from error


class Arrival:
    """What is being unpacked: descriptors, each taken over by the first who asks for it."""

    def __init__(self, descriptors: list[int], size: int):
        self.descriptors = descriptors
        self.size = size
        self.blocks: dict[int, Block] = {}

    def block(self, number: int, size: int) -> Block:
        if number == TOGETHER:
            number, size = len(self.descriptors) - 1, self.size
        if number not in self.blocks:
            self.blocks[number] = block_behind(self.descriptors[number], size)
            self.descriptors[number] = -1
        return self.blocks[number]

    def memory(self, entry: tuple[int, int, int]) -> np.ndarray:
        """The bytes of something that was added."""
        number, place, size = entry
        return memory_of(self.block(number, size), np.dtype(np.uint8))[place : place + size]

    def close(self) -> None:
        """Let go of what nobody asked for."""
        for each in self.descriptors:
            if each >= 0:
                os.close(each)


class Passing(threading.local):
    """The parcel that this thread packs or unpacks; None where Python's own pipes carry the message."""

    parcel: Parcel | None = None
    arrival: Arrival | None = None


passing = Passing()


class Unreadable(Exception):
    """An object that cannot be unpickled here; the message's label, and why."""

    def __init__(self, label: Any, reason: Exception):
        super().__init__(label, reason)
        self.label, self.reason = label, reason


def pack(label: Any, value: Any, parcel: Parcel) -> bytes:
    """The bytes of an object and its label; its memory goes into the parcel."""
    buffers: list[tuple[int, int, int]] = []
    text = io.BytesIO()

    def take(buffer: pickle.PickleBuffer) -> None:
        buffers.append(parcel.add(buffer.raw()))

    passing.parcel = parcel
    try:
        ForkingPickler(text, pickle.HIGHEST_PROTOCOL, True, take).dump(value)
    finally:
        passing.parcel = None
    head = pickle.dumps((label, buffers, parcel.finish()), pickle.HIGHEST_PROTOCOL)
    return head + text.getvalue()


def unpack(data: Any, descriptors: list[int]) -> tuple[Any, Any]:
    """The label and the object of a message."""
    stream = io.BytesIO(data)
    label, buffers, size = pickle.load(stream)
    arrival = passing.arrival = Arrival(descriptors, size)
    try:
        return label, pickle.load(stream, buffers=[arrival.memory(each) for each in buffers])
    except Exception as error:
        raise Unreadable(label, error) from error
    finally:
        passing.arrival = None
        arrival.close()
