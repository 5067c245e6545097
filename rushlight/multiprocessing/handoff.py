"""Handoff: a descriptor waits here for the process that it was sent to, and is taken once.

What a pickle carries is an address, which a thread of the sender answers. Nothing has a name in the file system
(`multiprocessing.resource_sharer` leaves a folder behind when its process is killed): on Linux the address is an
abstract one, which ends with its socket.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import threading
import time
from multiprocessing import context, process, reduction, util
from typing import Any

# seconds that a child process stays for those who have not yet taken what it sent: torch's are lost when it ends
LINGER = 5.0
# seconds after which a sender counts as gone
PATIENCE = 60.0
KEY = struct.Struct("!Q")
HAS_ABSTRACT = sys.platform == "linux"


class Handoff:
    """The descriptors that wait, and the thread that hands them out."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting: dict[int, int] = {}
        self.count = 0
        self.listener: socket.socket | None = None

    def offer(self, descriptor: int) -> tuple[bytes, int]:
        """Keep a copy of a descriptor until somebody comes for it: the address and the key to it."""
        with self.lock:
            if self.listener is None:
                self.listener = self.start()
            self.count += 1
            self.waiting[self.count] = os.dup(descriptor)
            return self.listener.getsockname(), self.count

    def start(self) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(b"\0rushlight-%d-%s" % (os.getpid(), os.urandom(8).hex().encode()))
        listener.listen(128)
        threading.Thread(target=self.serve, args=(listener,), daemon=True, name="rushlight-handoff").start()
        util.Finalize(None, self.linger, exitpriority=-100)
        return listener

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                self.answer(connection)

    def answer(self, connection: socket.socket) -> None:
        """Hand one descriptor out, to processes of the same user only."""
        try:
            connection.settimeout(PATIENCE)
            given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            if struct.unpack("3i", given)[1] not in (os.getuid(), 0):
                return
            (key,) = KEY.unpack(connection.recv(KEY.size))
            with self.lock:
                descriptor = self.waiting.pop(key, None)
            if descriptor is not None:
                try:
                    socket.send_fds(connection, [b"1"], [descriptor])
                finally:
                    os.close(descriptor)
        except (OSError, struct.error):
            # whoever asked is gone
            return

    def linger(self) -> None:
        """At the end of a child process: let the parent take what it was sent."""
        end = time.monotonic() + LINGER
        while self.waiting and process.parent_process() is not None and time.monotonic() < end:
            time.sleep(0.005)

    def forget(self) -> None:
        """In a child of fork(): what waits here waits in the parent."""
        self.lock = threading.Lock()
        if self.listener is not None:
            self.listener.close()
            self.listener = None
        for descriptor in self.waiting.values():
            os.close(descriptor)
        self.waiting.clear()


handoff = Handoff()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=handoff.forget)


class Ticket:
    """A descriptor inside of a pickle: `take` gives the receiver a descriptor of its own, once."""

    def __init__(self, descriptor: int):
        self.address, self.key = handoff.offer(descriptor)

    def take(self) -> int:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            try:
                connection.connect(self.address)
                connection.sendall(KEY.pack(self.key))
                _, descriptors, _, _ = socket.recv_fds(connection, 1, 1)
            except OSError as error:
                raise ConnectionError(gone(error)) from error
        if not descriptors:
            raise ConnectionError(gone("the descriptor was taken before"))
        return descriptors[0]


def gone(reason: Any) -> str:
    return (
        f"the process that sent this tensor no longer has it ({reason}): "
        "it must live until the tensor has been received, and a message is received once"
    )


def ticket_for(descriptor: int) -> Any:
    """What goes into a pickle for a descriptor; a process that is being started inherits it."""
    starting = context.get_spawning_popen() is not None
    return reduction.DupFd(descriptor) if starting or not HAS_ABSTRACT else Ticket(descriptor)


def redeem(ticket: Any) -> int:
    """The descriptor that a pickle brought."""
    return ticket.take() if isinstance(ticket, Ticket) else ticket.detach()
