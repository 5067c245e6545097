"""torch.distributed.elastic.utils.logging: loggers whose level the environment sets."""

from __future__ import annotations

import inspect
import logging
import os

__all__ = ["get_log_level", "get_logger"]


def get_log_level() -> str:
    """The level that `LOGLEVEL` names, else WARNING."""
    return os.environ.get("LOGLEVEL", "WARNING")


def get_logger(name: str | None = None) -> logging.Logger:
    """The logger of a name, or of the module that asks."""
    if name is None:
        frame = inspect.currentframe()
        caller = None if frame is None else frame.f_back
        name = "torch" if caller is None else caller.f_globals.get("__name__", "torch")
    found = logging.getLogger(name)
    found.setLevel(get_log_level())
    return found
