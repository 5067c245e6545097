"""torch.distributed.elastic.utils: small helpers of those who start jobs."""

from __future__ import annotations

import os
import socket
import string
from typing import Any

__all__ = ["get_env_variable_or_raise", "get_socket_with_port", "macros"]


def get_env_variable_or_raise(env_name: str) -> str:
    """The value of a variable of the environment, which has to be there."""
    value = os.environ.get(env_name)
    if value is None:
        raise ValueError(f"Environment variable {env_name} expected, but not set")
    return value


def get_socket_with_port() -> socket.socket:
    """A socket that listens on a free port of this machine; whoever closes it gives the port free."""
    families = dict.fromkeys(each[0] for each in socket.getaddrinfo("localhost", None, 0, socket.SOCK_STREAM))
    for family in families:
        found = socket.socket(family, socket.SOCK_STREAM)
        try:
            found.bind(("localhost", 0))
            found.listen(0)
        except OSError:
            found.close()
            continue
        return found
    raise RuntimeError("Failed to create a socket: no address of localhost can be bound")


class macros:
    """Words in the arguments of a program that each process replaces by its own values."""

    local_rank = "${local_rank}"

    @staticmethod
    def substitute(args: list[Any], local_rank: str) -> list[str]:
        """The arguments of the process with this local rank."""
        return [string.Template(each).safe_substitute(local_rank=local_rank) for each in args]
