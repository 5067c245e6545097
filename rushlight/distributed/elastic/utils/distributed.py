"""torch.distributed.elastic.utils.distributed: ports of this machine."""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.surface.refusals import complaint
from rushlight.distributed.elastic.utils import get_socket_with_port
from rushlight.distributed.names import STORES

__all__ = ["create_c10d_store", "get_free_port", "get_socket_with_port"]


def get_free_port() -> int:
    """A port that nobody listens on; another program may take it before it is used."""
    with get_socket_with_port() as found:
        return found.getsockname()[1]


def create_c10d_store(*arguments: Any, **options: Any) -> NoReturn:
    """Not in Rushlight: MPI lets processes find each other."""
    raise complaint("distributed.elastic.utils.distributed.create_c10d_store", STORES)
