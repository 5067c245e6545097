"""Rushlight's speed against other libraries', on the same work with the same losses.

    python -m benchmarks.compare [workload ...] [--libraries torch rushlight] [--rounds 30] [--steps 200]

Every library lives in a process of its own, limited to one thread. They take turns within a round, so that a
busy machine slows them all alike, and the best of the rounds counts. First the losses are compared: a
number only means something if the work was the same.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import time

from benchmarks.workloads import LIBRARIES, WORKLOADS

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
WARM_UP = 50


class Runner:
    """A library at work on one workload in its own process, step by step on command."""

    def __init__(self, library, workload):
        command = [sys.executable, "-m", "benchmarks.compare", "--serve", library, workload]
        environment = {**os.environ, **ONE_THREAD}
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, steps):
        """Seconds that `steps` steps took, and their losses."""
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise SystemExit(f"the benchmark process ended with {self.process.wait()}")
        answer = json.loads(reply)
        return answer["seconds"], answer["losses"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def serve(library_name, workload_name):
    """The other end of a Runner: read a number of steps, take them, answer."""
    library = LIBRARIES[library_name]
    module = importlib.import_module(library.module)
    step = WORKLOADS[workload_name].prepare[library.interface](module)
    for line in sys.stdin:
        losses = []
        start = time.perf_counter()
        for _ in range(int(line)):
            losses.append(step())
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "losses": losses}), flush=True)


def compare(workload_name, libraries, rounds, steps):
    """Microseconds a step for each library: the best of the rounds, which the machine disturbed least."""
    runners = {library: Runner(library, workload_name) for library in libraries}
    try:
        check_losses({library: runner.run(WARM_UP)[1] for library, runner in runners.items()})
        times = {library: [] for library in libraries}
        for _ in range(rounds):
            for library, runner in runners.items():
                seconds, _ = runner.run(steps)
                times[library].append(seconds / steps * 1e6)
    finally:
        for runner in runners.values():
            runner.close()
    return {library: min(values) for library, values in times.items()}


def check_losses(losses, tolerance=1e-4):
    """The first losses of every library are those of the first one."""
    reference_name, reference = next(iter(losses.items()))
    for library, values in losses.items():
        for step, (expected, value) in enumerate(zip(reference, values, strict=True)):
            if not abs(value - expected) <= tolerance * max(abs(expected), 1e-3):
                raise SystemExit(f"step {step}: the loss is {value} in {library} and {expected} in {reference_name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS), metavar="workload", help=", ".join(WORKLOADS))
    parser.add_argument(
        "--libraries", nargs="+", default=list(LIBRARIES), choices=LIBRARIES, help="the first is the measure"
    )
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--steps", type=int, default=200, help="in each round")
    parser.add_argument("--limit", type=float, default=None, help="end with 1 if Rushlight's ratio is over this")
    parser.add_argument("--serve", nargs=2, metavar=("LIBRARY", "WORKLOAD"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(*arguments.serve)
        return 0

    worst = 0.0
    for name in arguments.workloads:
        print(f"{WORKLOADS[name].description}: one training step, losses equal")
        times = compare(name, arguments.libraries, arguments.rounds, arguments.steps)
        base = times[arguments.libraries[0]]
        for library, microseconds in times.items():
            print(f"  {library:<12} {microseconds:8.1f} us   {microseconds / base:5.2f}")
        worst = max(worst, times.get("rushlight", 0.0) / base)
    return 1 if arguments.limit is not None and worst > arguments.limit else 0


if __name__ == "__main__":
    sys.exit(main())
