"""What watching costs: programs and examples alone and under the doctor, with the same numbers and no finding.

python -m benchmarks.doctor [--report docs/doctor.md]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# the examples at a length that is all training
OPTIONS = {
    "actor_critic": ["--losses", "60"],
    "ensemble": ["--steps", "200"],
    "maml": ["--steps", "100"],
    "per_sample_gradients": ["--steps", "60"],
    "pinn": ["--steps", "60"],
    "sac": ["--steps", "1500", "--no-progress"],
}
BEGIN, END = "<!-- slowdown: written by python -m benchmarks.doctor -->", "<!-- end -->"


def programs() -> list[Path]:
    """Every program of the tests and every example."""
    inside = [path for path in sorted((ROOT / "tests" / "programs").glob("*.py")) if "torch" in path.read_text()]
    ours = [path for path in inside if not path.name.startswith(("test_", "__")) and path.name != "output.py"]
    return [*ours, *sorted((ROOT / "examples").glob("*.py"))]


def run(arguments: list[str], folder: Path) -> tuple[int, str, float]:
    """Exit code, what was printed, and seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "rushlight", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stdout, spent


def compare(path: Path, folder: Path) -> tuple[str, float, float, bool, int]:
    """A program alone and watched: best of two each, whether the numbers are the same, the doctor's exit code."""
    given = [str(path), *OPTIONS.get(path.stem, [])]
    alone = [run(given, folder) for _ in range(2)]
    watched = [run(["doctor", *given], folder) for _ in range(2)]
    printed = [line for line in alone[0][1].splitlines() if " a second" not in line]
    same = [line for line in watched[0][1].splitlines() if " a second" not in line][: len(printed)] == printed
    # a script may say by its own exit code that it has not learned enough
    code = 0 if "Nothing found" in watched[0][1] else watched[0][0]
    return path.stem, min(each[2] for each in alone), min(each[2] for each in watched), same, code


def table(rows: list[tuple[str, float, float, bool, int]]) -> str:
    lines = ["| program | alone | watched | ratio | same numbers | found |", "| --- | ---: | ---: | ---: | --- | --- |"]
    for name, alone, watched, same, code in rows:
        found = {0: "nothing", 1: "something"}.get(code, "failed")
        times = f"{alone:.1f} s | {watched:.1f} s | {watched / alone:.1f}"
        lines.append(f"| `{name}` | {times} | {'yes' if same else 'no'} | {found} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, help="the page whose table is written anew")
    parser.add_argument("--only", default="", help="programs whose name has this in it")
    given = parser.parse_args()
    import tempfile

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in programs():
            if given.only in path.stem:
                rows.append(compare(path, Path(folder)))
                print(*rows[-1], flush=True)
    if given.report:
        text = given.report.read_text()
        head, _, rest = text.partition(BEGIN)
        given.report.write_text(f"{head}{BEGIN}\n\n{table(rows)}\n\n{END}{rest.partition(END)[2]}")
    return int(any(not same or code for _, _, _, same, code in rows))


if __name__ == "__main__":
    sys.exit(main())
