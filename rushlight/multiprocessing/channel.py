"""Channel: one end of a pair of sockets between a loader and its worker; descriptors travel with the messages.

What is under way belongs to the system: nothing has to be kept until it arrives, and nothing is left behind if either
end is killed. Large messages travel in shared memory themselves, so that a send is short and whole.
"""

from __future__ import annotations

import array
import os
import socket
import sys
import weakref
from typing import Any

from rushlight.multiprocessing.parcel import Parcel, pack, unpack

# bytes of a message that goes through the socket itself
SMALL = 1 << 15
# descriptors in one message; Linux takes up to 253
MANY = 250
WHOLE, LARGE, MORE = b"w", b"l", b"m"
TOO_MANY = (
    "Too many open files. Communication with the workers is no longer possible: raise the limit by `ulimit -n`, "
    "or keep fewer batches at a time"
)


class Closed(EOFError):
    """The other end is gone."""


class Channel:
    """One end: `send` and `receive` objects with a label, one message each."""

    def __init__(self, end: socket.socket):
        self.end = end
        self.pending: list[int] = []  # descriptors that came ahead of their message

    def fileno(self) -> int:
        return self.end.fileno()

    def close(self) -> None:
        self.end.close()
        for each in self.pending:
            os.close(each)
        self.pending = []

    def send(self, label: Any, value: Any) -> None:
        """Send an object and wait until the system has taken it."""
        Message(label, value).send(self)

    def receive(self) -> tuple[Any, Any]:
        """Wait for the next object; Unreadable if it cannot be unpickled, Closed if there is nobody to send one."""
        while True:
            try:
                data, descriptors, flags, _ = socket.recv_fds(self.end, SMALL + 1, MANY)
            except ConnectionResetError:
                data, descriptors, flags = b"", [], 0
            self.pending += descriptors
            if not data:
                raise Closed("the other end of the channel is closed")
            if flags & socket.MSG_CTRUNC:
                raise RuntimeError(TOO_MANY)
            if data[:1] != MORE:
                descriptors, self.pending = self.pending, []
                return opened(data, descriptors)


class Message:
    """An object, packed: bytes and descriptors that are sent in one go, or several if there are very many."""

    def __init__(self, label: Any, value: Any):
        self.value = value  # holds the memory whose descriptors are sent
        self.parcel = Parcel()
        data = pack(label, value, self.parcel)
        head = WHOLE
        if len(data) > SMALL:
            self.parcel.add_file(memoryview(data))
            head, data = LARGE, b""
        descriptors = self.parcel.descriptors
        groups = [descriptors[start : start + MANY] for start in range(0, len(descriptors), MANY)] or [[]]
        self.parts = [*((MORE, group) for group in groups[:-1]), (head + data, groups[-1])]

    def send(self, channel: Channel, flags: int = 0) -> None:
        """Send it; BlockingIOError if the flags say not to wait and there is no room yet: call again later."""
        while self.parts:
            data, descriptors = self.parts[0]
            try:
                # socket.send_fds forgets the flags
                channel.end.sendmsg([data], rights(descriptors), flags)
            except (BrokenPipeError, ConnectionResetError) as error:
                raise Closed("the other end of the channel is closed") from error
            del self.parts[0]

    def __del__(self) -> None:
        self.parcel.close()


def rights(descriptors: list[int]) -> list[tuple]:
    """Descriptors as the system wants to have them beside a message."""
    if not descriptors:
        return []
    return [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]


def opened(data: bytes, descriptors: list[int]) -> tuple[Any, Any]:
    """The label and the object of a message."""
    if data[:1] == WHOLE:
        return unpack(memoryview(data)[1:], descriptors)
    with os.fdopen(descriptors.pop(), "rb") as file:
        return unpack(file.read(), descriptors)


# the ends of this process: a child of fork() must not hold them, or nobody would see when this one ends
ours: weakref.WeakSet[Channel] = weakref.WeakSet()


def close_in_child() -> None:
    for each in list(ours):
        each.close()
    ours.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_in_child)


def pair() -> tuple[Channel, socket.socket]:
    """The two ends: ours, and the socket for the process that is to be started."""
    if sys.platform != "linux":
        raise RuntimeError("worker processes of a DataLoader need Linux: write num_workers=0")
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    channel = Channel(near)
    ours.add(channel)
    return channel, far
