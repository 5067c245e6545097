"""The parts of a loader: collate samples, fetch them, and what a worker process does."""

from __future__ import annotations

import atexit
import sys

from rushlight._utils import ExceptionWrapper

IS_WINDOWS = sys.platform == "win32"
HAS_NUMPY = True
# seconds that workers have to end, after which they are terminated
MP_STATUS_CHECK_INTERVAL = 5.0
# whether the interpreter is about to end
python_exit_status = False


def _set_python_exit_flag() -> None:
    global python_exit_status
    python_exit_status = True


atexit.register(_set_python_exit_flag)

from rushlight.utils.data._utils import collate, fetch, pin_memory, signal_handling, worker  # noqa: E402
