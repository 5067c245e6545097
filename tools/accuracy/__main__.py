"""The command line: measures each library in a process of its own and prints the tables."""

import argparse
import importlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

from tools.accuracy import __doc__ as purpose
from tools.accuracy.errors import error_in_digits, error_of
from tools.accuracy.functions import FUNCTIONS, Domain
from tools.accuracy.reductions import reduction_errors
from tools.accuracy.samples import EXEMPT, sample_errors

TITLES = {
    "float32": "float32, in units in the last place",
    "float64": "float64, in units in the last place",
    "reductions": "over 10^6 float32 numbers, error relative to the result / 2^-24",
    "samples": "on its own samples in float32, error relative to the largest element / 2^-24",
}


def measure(library: str, names: list[str]) -> dict[str, dict[str, float | None]]:
    """All errors of one library."""
    torch = importlib.import_module(library)
    torch.set_num_threads(1)
    rows = [row for row in FUNCTIONS if not names or row.name in names]
    return {
        "float32": {row.call: error_of(torch, row) for row in rows},
        "float64": {row.call: error_in_digits(torch, row) for row in rows},
        "reductions": {} if names else reduction_errors(torch),
        "samples": {} if names else sample_errors(torch),
    }


def ask(library: str, names: list[str], native: str) -> dict[str, Any]:
    """All errors of one library, measured in a process of its own; empty where it is not installed."""
    command = [sys.executable, "-W", "ignore", "-m", "tools.accuracy", "--measure", library, *names]
    environment = {**os.environ, "RUSHLIGHT_NATIVE": native}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ran.returncode:
        print(ran.stderr, file=sys.stderr)
    return json.loads(ran.stdout) if ran.returncode == 0 else {}


def show(value: float | None) -> str:
    return "" if value is None else "inf" if not np.isfinite(value) else f"{value:.3g}"


def show_domain(domain: Domain) -> str:
    low, high = (f"{end:.6g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-") for end in domain)
    return f"{low} to {high}"


def table(columns: list[dict[str, Any]], part: str, domains: dict[str, list[Domain]]) -> None:
    """One table; what is exact everywhere comes in one line below it."""
    ranges = part in ("float32", "float64")
    print(f"\n| {TITLES[part]} |{' range |' if ranges else ''} native | plain | torch |")
    print(f"|---|{'---|' if ranges else ''}---:|---:|---:|")
    exact = []
    for name in columns[0].get(part, {}):
        found = [each.get(part, {}).get(name) for each in columns]
        if not any(found):
            exact += [f"`{name}`"] if found[0] is not None else []
            continue
        where = f" {', '.join(map(show_domain, dict.fromkeys(domains[name])))} |" if ranges else ""
        print(f"| `{name}` |{where} " + " | ".join(show(value) for value in found) + " |")
    if exact:
        print(f"\nWithout any error: {', '.join(exact)}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=str(purpose).partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--measure", metavar="LIBRARY", help="print the errors of one library as JSON")
    options = parser.parse_args()
    if options.measure:
        json.dump(measure(options.measure, options.names), sys.stdout)
        return
    columns = [ask("rushlight", options.names, "1"), ask("rushlight", options.names, "0")]
    columns.append(ask("torch", options.names, "0"))
    domains = {row.call: row.domains for row in FUNCTIONS}
    for part in TITLES:
        if columns[0].get(part):
            table(columns, part, domains)
    if not options.names:
        for reason, names in EXEMPT.items():
            print(f"\nNot measured, because it {reason}: {', '.join(f'`{name}`' for name in names.split())}.")


if __name__ == "__main__":
    main()
