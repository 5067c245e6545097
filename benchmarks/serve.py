"""A library's own process: it sets up a workload, takes steps on command and says how long they took."""

import importlib
import json
import math
import os
import platform
import sys
import time

from benchmarks.libraries import LIBRARIES
from benchmarks.workloads import EVERY


def main(library_name, threads):
    """Answer each line of JSON on the standard input with one on the standard output."""
    answers = os.fdopen(os.dup(1), "w")
    # what a library prints must not get between the answers
    os.dup2(2, 1)
    arguments = set_up(library_name, int(threads))
    before = step = None
    for line in sys.stdin:
        request = json.loads(line)
        if "prepare" in request:
            before, step = prepare(library_name, request["prepare"], arguments)
            answer = {}
        elif "run" in request:
            answer = run(before, step, request["run"])
        else:
            answer = describe(LIBRARIES[library_name].module)
        print(json.dumps(answer), file=answers, flush=True)


def once(library_name, threads, workload_name, steps):
    """A whole short run: prepare, take steps, print the peak of memory in MB."""
    before, step = prepare(library_name, workload_name, set_up(library_name, int(threads)))
    run(before, step, int(steps))
    print(peak_memory())


def set_up(library_name, threads):
    """The library loaded, as the arguments for its programs."""
    library = LIBRARIES[library_name]
    if library.way != "torch":
        return ()
    from benchmarks.ways.torchlike import TorchLike

    module = importlib.import_module(library.module)
    module.set_num_threads(threads)
    return (TorchLike(module, **library.options),)


def prepare(library_name, workload_name, arguments):
    """What to call before each step, or None, and the step."""
    program = EVERY[workload_name].make()
    prepared = getattr(program, LIBRARIES[library_name].way)(*arguments)
    return prepared if isinstance(prepared, tuple) else (None, prepared)


def run(before, step, steps):
    """Seconds for so many steps, and what each returned."""
    results = []
    clock = time.perf_counter
    if before is None:
        start = clock()
        for _ in range(steps):
            results.append(step())
        seconds = clock() - start
    else:
        seconds = 0.0
        for _ in range(steps):
            state = before()
            start = clock()
            results.append(step(state))
            seconds += clock() - start
            del state
    return {"seconds": seconds, "results": [None if value is None or math.isnan(value) else value for value in results]}


def describe(module_name):
    """What this process runs on."""
    module = importlib.import_module(module_name)
    description = {"version": module.__version__, "python": platform.python_version()}
    if module_name == "rushlight":
        description["native"] = has_native_code()
    return description


def has_native_code():
    try:
        from rushlight.native import extension
    except ImportError:
        return False
    return extension is not None


def peak_memory():
    """The largest resident size so far, in MB."""
    try:
        with open("/proc/self/status") as status:
            # not ru_maxrss, which starts at the size of the process that started this one
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 2**20 if sys.platform == "darwin" else peak / 1024
