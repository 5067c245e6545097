"""One process of a job: its place in the environment, its output with the rank where that was asked for, its end."""

from __future__ import annotations

import argparse
import io
import os
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from rushlight.distributed import environment, failures


class Marked(io.TextIOBase):
    """A stream whose lines begin with the rank, and that writes them into a file too."""

    def __init__(self, inner: TextIO | None, mark: str, copy: TextIO | None):
        self.inner = inner
        self.mark = mark
        self.copy = copy
        self.begun = ""

    def write(self, text: str) -> int:
        if self.copy is not None:
            self.copy.write(text)
        if self.inner is not None:
            *lines, self.begun = (self.begun + text).split("\n")
            # in one piece, so that lines of several processes do not mix
            self.inner.write("".join(f"{self.mark}{line}\n" for line in lines))
        return len(text)

    def flush(self) -> None:
        # also when it is collected, after the streams below: Python 3.13 prints what that raises
        for each in (self.inner, self.copy):
            if each is not None and not each.closed:
                each.flush()

    def close(self) -> None:
        """The rest of a line that was never ended."""
        if self.begun and self.inner is not None:
            self.inner.write(f"{self.mark}{self.begun}\n")
            self.begun = ""
        self.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner or self.copy, name)


def chosen(word: str, rank: int) -> int:
    """Which streams an option is about: 1, 2, or 3 for both; `0:3,2:1` says so of single ranks."""
    if ":" in word:
        return dict((int(key), int(value)) for key, value in (part.split(":") for part in word.split(","))).get(rank, 0)
    return int(word)


def mark_streams(tee: str, redirects: str, rank: int) -> list[Marked]:
    """Put the rank in front of what is printed, and write it into files, as the options say."""
    shown, hidden, folder = chosen(tee, rank), chosen(redirects, rank), os.environ.get("RUSHLIGHT_LOG_DIR")
    made = []
    for bit, name in ((1, "stdout"), (2, "stderr")):
        if not (shown | hidden) & bit:
            continue
        copy = None
        if folder is not None:
            os.makedirs(os.path.join(folder, str(rank)), exist_ok=True)
            copy = open(os.path.join(folder, str(rank), f"{name}.log"), "w")  # noqa: SIM115
        inner = None if hidden & bit and copy is not None else getattr(sys, name)
        made.append(Marked(inner, f"[default{rank}]:" if shown & bit else "", copy))
        setattr(sys, name, made[-1])
    return made


def run_program(words: list[str], module: bool) -> None:
    from rushlight.cli.run import run_module, run_script

    if module:
        run_module(words[0], words)
    else:
        run_script(words[0], words)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tee", default="0")
    parser.add_argument("--redirects", default="0")
    parser.add_argument("-m", dest="module", action="store_true")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    environment.complete()
    rank = environment.number("RANK") or 0
    complete_torchrun()
    outlive_others()
    failures.note(rank, "pid", f"{os.getpid()} {socket.gethostname()}")
    print_whole_lines()
    streams = mark_streams(options.tee, options.redirects, rank)
    try:
        run_program(options.words, options.module)
    except SystemExit as error:
        end(rank, error)
    except BaseException as error:
        # without a group there is nobody to tell but the one who started all; with one the hook says more, and last
        failures.note_error(rank, error)
        sys.excepthook(type(error), error, error.__traceback__)
        finish(streams)
        failures.abort_if_started(1)
        sys.exit(1)
    failures.note(rank, "done", "yes")
    finish(streams)


def print_whole_lines() -> None:
    """Python runs unbuffered, and would print a line piece by piece, into those of other processes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)


def outlive_others() -> None:
    """MPICH's mpiexec tells of a lost process by SIGUSR1: it must not end this one before it is known who was first."""
    if hasattr(signal, "SIGUSR1") and signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def finish(streams: list[Marked]) -> None:
    for each in streams:
        each.close()


def end(rank: int, error: SystemExit) -> None:
    """A program that ends itself: with 0 all is well, with another number all processes end."""
    code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    if code == 0:
        failures.note(rank, "done", "yes")
        return
    if not isinstance(error.code, int):
        print(error.code, file=sys.stderr)
    failures.note_error(rank, error)
    failures.abort_if_started(code)
    sys.exit(code)


def complete_torchrun() -> None:
    """The variables that torchrun sets besides, for programs that read them."""
    rank, size = os.environ.get("RANK", "0"), os.environ.get("WORLD_SIZE", "1")
    local = os.environ.get("LOCAL_WORLD_SIZE") or size
    os.environ.setdefault("LOCAL_RANK", str(int(rank) % int(local)))
    os.environ.setdefault("LOCAL_WORLD_SIZE", local)
    os.environ.setdefault("GROUP_RANK", str(int(rank) // int(local)))
    os.environ.setdefault("GROUP_WORLD_SIZE", str(-(-int(size) // int(local))))
    os.environ.setdefault("ROLE_RANK", rank)
    os.environ.setdefault("ROLE_WORLD_SIZE", size)
    os.environ.setdefault("ROLE_NAME", "default")


if __name__ == "__main__":
    main()
