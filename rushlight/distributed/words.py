"""Words of `torch.distributed` that are values: ways to reduce, libraries that carry messages, the group of all."""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class RedOpType(enum.IntEnum):
    """The ways to reduce tensors of several processes."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """A way to reduce tensors: `ReduceOp.SUM` and kin."""

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType

    def __init__(self, op: Any):
        self.op = type(self).RedOpType(op)

    def __eq__(self, other: object) -> bool:
        return self.op == getattr(other, "op", other)

    def __hash__(self) -> int:
        return int(self.op)


class reduce_op:
    """The old name of `ReduceOp`."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType


class Backend(str):
    """The name of a library that carries messages, in small letters: `Backend("GLOO")` is "gloo"."""

    UNDEFINED: ClassVar[str] = "undefined"
    GLOO: ClassVar[str] = "gloo"
    NCCL: ClassVar[str] = "nccl"
    XCCL: ClassVar[str] = "xccl"
    UCC: ClassVar[str] = "ucc"
    MPI: ClassVar[str] = "mpi"
    FAKE: ClassVar[str] = "fake"
    backend_list: ClassVar[list[str]] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map: ClassVar[dict[str, str]] = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}

    def __new__(cls, name: str) -> Any:
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return str.__new__(cls, name.lower())


class group:
    """The group of all processes, of which there is none."""

    WORLD: ClassVar[Any] = None


class GroupMember:
    """Whether a process belongs to a group."""

    WORLD: ClassVar[Any] = None
    NON_GROUP_MEMBER: ClassVar[int] = -100
