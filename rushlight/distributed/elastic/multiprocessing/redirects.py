"""torch.distributed.elastic.multiprocessing.redirects: a stream of this process into a file, native code included."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

NUMBERS = {"stdout": 1, "stderr": 2}


@contextmanager
def redirect(std: str, to_file: str) -> Iterator[None]:
    """Let `stdout` or `stderr` go into a file while the block runs."""
    if std not in NUMBERS:
        raise ValueError(f"unknown standard stream <{std}>, must be one of {tuple(NUMBERS)}")
    stream, number = getattr(sys, std), NUMBERS[std]
    stream.flush()
    kept = os.dup(number)
    try:
        with open(to_file, "wb") as file:
            os.dup2(file.fileno(), number)
            try:
                yield
            finally:
                stream.flush()
                os.dup2(kept, number)
    finally:
        os.close(kept)


redirect_stdout = partial(redirect, "stdout")
redirect_stderr = partial(redirect, "stderr")
