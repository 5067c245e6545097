"""Point to point: a tensor from one process to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.distributed import mpi
from rushlight.distributed.buffers import array_of, in_a_row, message, write, writes_to
from rushlight.distributed.collectives import keep, member, require_tensor
from rushlight.distributed.failures import DistBackendError
from rushlight.distributed.process_group import ProcessGroup, given, number_in
from rushlight.distributed.work import Work


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Begin to send a tensor, which must not change until the work is done."""
    require_tensor(tensor, "tensor")
    found = member(group, "isend")
    if found is None:
        return None
    partner = number_in(found, dst, group_dst, "send")
    require_other(found, partner, "destination")
    array = in_a_row(array_of(tensor))
    work = Work(found, "send", found.comm.Isend(message(array), partner, tag), lambda: keep(array), (tensor,))
    work.partner = found.ranks[partner]
    found.pending.add(work)
    return work


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Begin to receive a tensor, from anybody if nobody is named."""
    require_tensor(tensor, "tensor")
    found = member(group, "irecv")
    if found is None:
        return None
    anybody = src is None and group_src is None
    partner = mpi.load().ANY_SOURCE if anybody else number_in(found, src, group_src, "recv")
    if not anybody:
        require_other(found, partner, "source")
    array = in_a_row(array_of(tensor))
    work = Received(found, found.comm.Irecv(message(array), partner, tag), tensor, array)
    work.partner = None if anybody else found.ranks[partner]
    found.pending.add(work)
    return work


def require_other(group: ProcessGroup, partner: int, side: str) -> None:
    if partner == group._rank:
        raise ValueError(f"Invalid {side} rank: {side} rank should not be the same as the rank of the current process.")


class Received(Work):
    """The work of a message on its way here: it knows whom it came from, and whether it filled the tensor."""

    __slots__ = ("status",)

    def __init__(self, group: ProcessGroup, request: Any, tensor: Tensor, array: Any):
        self.status = mpi.load().Status()
        super().__init__(group, "recv", Tested(request, self.status), self.arrived(tensor, array), (tensor,))

    def arrived(self, tensor: Tensor, array: Any) -> Callable[[], None]:
        def finish() -> None:
            self.partner = self.group.ranks[self.status.Get_source()]
            count = self.status.Get_count(message(array)[1])
            if count != array.size:
                raise DistBackendError(
                    f"recv: rank {self.partner} sent {count} elements, the tensor here has {array.size}"
                )
            if not writes_to(tensor, array):
                write(tensor, array)

        return finish


class Tested:
    """A request whose answer goes with a status."""

    __slots__ = ("request", "status")

    def __init__(self, request: Any, status: Any):
        self.request = request
        self.status = status

    def Test(self) -> bool:
        return self.request.Test(self.status)


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send a tensor; it may change when this returns."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive a tensor, from anybody if nobody is named; returns the sender's rank."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    assert work.partner is not None
    return work.partner


class P2POp:
    """One message of several that are begun together, by `batch_isend_irecv`."""

    def __init__(
        self,
        op: Callable,
        tensor: Tensor,
        peer: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_peer: int | None = None,
    ):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        require_tensor(tensor, "tensor")
        self.op = op
        self.tensor = tensor
        self.group = given(group)
        self.group_peer = number_in(self.group, peer, group_peer, "send" if op is isend else "recv")
        self.peer = self.group.ranks[self.group_peer]
        self.tag = tag

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__}, peer={self.peer}, {tuple(self.tensor.shape)}, {self.tensor.dtype})"


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Work]:
    """Begin several messages; each of the works has to be waited for."""
    if not isinstance(p2p_op_list, list) or not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if not p2p_op_list:
        raise IndexError("list index out of range: batch_isend_irecv got no messages")
    made = [each.op(each.tensor, None, each.group, each.tag, each.group_peer) for each in p2p_op_list]
    return [each for each in made if each is not None]
