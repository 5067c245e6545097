"""What a fresh process costs: import, the time until the hundredth training step, peak memory.

    python -m benchmarks.startup [--rounds 20] [--limit 2.0]

As a program it holds `import rushlight` against `import numpy`, which it includes, and ends with 1 if the ratio is
over the limit. Fresh processes, one after the other in turn, so that all see the same machine; the best counts.
"""

import argparse
import subprocess
import sys
import tempfile
import time

from benchmarks.libraries import LIBRARIES, command_of, environment_of
from benchmarks.measure import Result
from benchmarks.workloads import WORKLOADS

IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
ONCE = "from benchmarks.serve import once; once(*sys.argv[1:])"
# Training from a cold start: the workload, how many steps, and what is kept of it.
RUNS = (("mlp_1_64", 100), ("mlp_1024_512", 20))


def fresh(name, python, code, *arguments):
    """Seconds that a fresh process took, and the number that it printed."""
    # compiling is part of a cold start, so compiled code of earlier runs is not to be found
    with tempfile.TemporaryDirectory() as cache:
        environment = {**environment_of(LIBRARIES[name], 1), "TORCHINDUCTOR_CACHE_DIR": cache}
        start = time.perf_counter()
        ran = subprocess.run(command_of(python, code, *arguments), env=environment, capture_output=True, text=True)
        seconds = time.perf_counter() - start
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr.strip().splitlines()[-1])
    return seconds, float(ran.stdout.split()[-1])


def measure_import(pythons, rounds):
    """Result of `import library`, from within a process that has just started."""
    names = [name for name in pythons if name in ("torch", "jax", "numpy", "rushlight", "rushlight_plain")]
    result = Result("import", "import", "start")
    for round_ in range(rounds + 1):
        for name in names:
            _, seconds = fresh(name, pythons[name], IMPORT.format(LIBRARIES[name].module))
            # the first import compiles, it does not count
            if round_ > 0:
                result.values.setdefault(name, []).append(seconds * 1e6)
    return result


def measure_runs(pythons, rounds):
    """Results of short trainings in fresh processes: how long they took, and how much memory."""
    for workload, steps in RUNS:
        title = WORKLOADS[workload].title
        started = Result(f"start_{workload}", f"{title}: process start to step {steps}", "start")
        memory = Result(f"memory_{workload}", f"{title}: after {steps} steps", "memory", unit="MB")
        for round_ in range(rounds):
            for name, python in pythons.items():
                # compiling takes half a minute; once is enough
                skip = round_ > 0 and LIBRARIES[name].options.get("compiled")
                if LIBRARIES[name].way == "floor" or name in started.failed or skip:
                    continue
                try:
                    seconds, megabytes = fresh(name, python, ONCE, name, 1, workload, steps)
                except RuntimeError as error:
                    started.failed[name] = str(error)
                    continue
                started.values.setdefault(name, []).append(seconds * 1e6)
                memory.values.setdefault(name, []).append(megabytes)
        yield from (started, memory)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="fresh processes for each module")
    parser.add_argument("--limit", type=float, default=2.0, help="largest ratio that passes")
    arguments = parser.parse_args()

    result = measure_import(dict.fromkeys(("numpy", "rushlight"), sys.executable), arguments.rounds)
    for module in ("numpy", "rushlight"):
        print(f"import {module:<10} {result.best(module) / 1000:6.1f} ms")
    ratio = result.ratio("rushlight", "numpy")
    print(f"ratio             {ratio:6.2f}    (at most {arguments.limit})")
    return 0 if ratio <= arguments.limit else 1


if __name__ == "__main__":
    sys.exit(main())
