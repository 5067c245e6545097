"""A library at work in a process of its own, step by step on command."""

import contextlib
import json
import subprocess
import tempfile

from benchmarks.libraries import LIBRARIES, command_of, environment_of


class RunnerError(Exception):
    """A library's process ended; the message is the last thing it said."""


class Piped:
    """A library's process that answers what it is asked through a pipe."""

    def start(self, module, name, python, threads=1, variables=None, text=True):
        # lives as long as the process; close() closes both
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self.process = subprocess.Popen(
            command_of(python, f"from {module} import main; main(*sys.argv[1:])", name, threads),
            env={**environment_of(LIBRARIES[name], threads), **(variables or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=text,
        )

    def last_words(self):
        code = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1] if lines else f"ended with {code}"

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.errors.close()


class Runner(Piped):
    """One end of a pipe to `benchmarks.serve`."""

    def __init__(self, name, python, threads=1, variables=None):
        self.start("benchmarks.serve", name, python, threads, variables)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            reply = self.process.stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise RunnerError(self.last_words())
        return json.loads(reply)

    def prepare(self, workload):
        self.ask(prepare=workload)

    def run(self, steps):
        """Seconds that so many steps took, and what each returned."""
        answer = self.ask(run=steps)
        return answer["seconds"], answer["results"]

    def describe(self):
        return self.ask(describe=True)
