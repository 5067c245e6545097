"""Waiting: until others have done their part, for as long as the group allows, and saying who did not come."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from rushlight.distributed.failures import DistBackendError
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.distributed.work import Work

# A question takes 0.2 us. Those who come late by less are waited for without giving the core away; then others may
# have it, since there may be more processes than cores; after a fifth of a second they sleep in between.
QUESTIONS = 60
AWAKE = 0.2
NAP = 0.0005
# how often it is looked for processes that will not come any more, in seconds
LOOK = 0.02

give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


def complete(work: Work, timeout: float) -> None:
    """Return when MPI has done the work; raise an error that names those who did not come in time."""
    question = work.request.Test
    try:
        for _ in range(QUESTIONS):
            if question():
                return
        patiently(work, question, timeout)
    except DistBackendError:
        raise
    except RuntimeError as error:
        raise refused(work, error) from None


def test(work: Work) -> bool:
    """Whether MPI has done the work; asking lets it go on."""
    try:
        return work.request.Test()
    except RuntimeError as error:
        raise refused(work, error) from None


def refused(work: Work, error: RuntimeError) -> RuntimeError:
    """What MPI complains of, with what it usually is."""
    return DistBackendError(
        f"{work.name} failed at {location.describe(location.user_line())}: {error}\n"
        "  fix: mostly the processes give tensors of different sizes or call different collectives; "
        "TORCH_DISTRIBUTED_DEBUG=DETAIL says which and where"
    )


def patiently(work: Work, question: Any, timeout: float) -> None:
    began = now = time.perf_counter()
    next_look = began + LOOK
    while not question():
        give_way()
        now = time.perf_counter()
        if now < next_look:
            continue
        next_look = now + LOOK
        if now - began > timeout:
            raise too_late(work, timeout)
        check_for_lost(work)
        if now - began > AWAKE:
            sleeping(question, next_look)


def sleeping(question: Any, until: float) -> None:
    """Wait without keeping a core busy."""
    while time.perf_counter() < until and not question():
        time.sleep(NAP)


def check_for_lost(work: Work) -> None:
    """Raise an error if somebody has ended who has not done its part."""
    watch = work.group.watch
    if watch is None or not watch.left:
        return
    for rank in work.group.ranks if work.partner is None else (work.partner,):
        if watch.has_left_without(rank, work):
            raise DistBackendError(
                f"{work.name} at {location.describe(location.user_line())} waits for rank {rank}, which has ended"
                f"{watch.last_words(rank)}\n  fix: let all processes call the same collectives; see what that one did"
            )


def too_late(work: Work, timeout: float) -> DistBackendError:
    """The error for a collective that nobody will finish: who is missing, and where each of them is."""
    words = [f"{work.name} timed out after {timeout:g} s at {location.describe(location.user_line())}"]
    watch = work.group.watch
    others = [rank for rank in work.group.ranks if watch is not None and rank != watch.rank]
    if work.partner is not None:
        others = [work.partner]
    answers = {} if watch is None else watch.ask(others)
    for rank in others:
        answer = answers.get(rank)
        if answer is None:
            words.append(f"rank {rank} does not answer: it is stopped, or busy outside of Python")
        elif work.partner is not None or answer.sequences.get(work.group.group_name, 0) < work.sequence:
            words.append(f"rank {rank} did not come: it is at {answer.line or 'its end'}")
    if len(words) == 1:
        words.append("all processes came: what they do does not go together; try TORCH_DISTRIBUTED_DEBUG=DETAIL")
    return DistBackendError("\n  ".join(words))
