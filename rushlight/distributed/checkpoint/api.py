"""torch.distributed.checkpoint.api: the error of a checkpoint, which says what went wrong in which process."""

from __future__ import annotations

import traceback

__all__ = ["CheckpointException"]

WRAPPED_EXCEPTION = tuple[BaseException, traceback.StackSummary]


def _wrap_exception(exc: BaseException) -> WRAPPED_EXCEPTION:
    """An exception that can be sent, with where it was raised."""
    return exc.with_traceback(None), traceback.extract_tb(exc.__traceback__)


class CheckpointException(BaseException):
    """Raised when some processes failed to save or load; `failures` has their exceptions by rank."""

    def __init__(self, msg: str, failures: dict[int, WRAPPED_EXCEPTION]):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, WRAPPED_EXCEPTION]:
        """Exceptions with their traces, by rank."""
        return self._failures

    def __str__(self) -> str:
        text = f"CheckpointException ranks:{self._failures.keys()}\n"
        for rank, (error, trace) in self._failures.items():
            text += f"Traceback (most recent call last): (RANK {rank})\n"
            text += "".join([*traceback.format_list(trace), *traceback.format_exception_only(error)])
        return text
