"""How long `import rushlight` takes, against `import numpy`, which it includes.

    python -m benchmarks.startup [--rounds 20] [--limit 2.0]

Fresh processes, one after the other in turn, so that both see the same machine; the best of each counts.
Ends with 1 if the ratio is over the limit.
"""

import argparse
import os
import subprocess
import sys

MODULES = ("numpy", "rushlight")
MEASURE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds_to_import(module):
    command = [sys.executable, "-c", MEASURE.format(module)]
    # Without compiled files, as a user has them, one would measure Python's compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="fresh processes for each module")
    parser.add_argument("--limit", type=float, default=2.0, help="largest ratio that passes")
    arguments = parser.parse_args()

    best = dict.fromkeys(MODULES, float("inf"))
    for module in MODULES:  # the first import compiles, it does not count
        seconds_to_import(module)
    for _ in range(arguments.rounds):
        for module in MODULES:
            best[module] = min(best[module], seconds_to_import(module))

    for module in MODULES:
        print(f"import {module:<10} {best[module] * 1000:6.1f} ms")
    ratio = best["rushlight"] / best["numpy"]
    print(f"ratio             {ratio:6.2f}    (at most {arguments.limit})")
    return 0 if ratio <= arguments.limit else 1


if __name__ == "__main__":
    sys.exit(main())
