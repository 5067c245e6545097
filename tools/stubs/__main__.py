"""Write the type stubs, and the table of names that are declared late.

    python -m tools.stubs [--check]

With `--check` nothing is written: it ends with 1 if a file is not up to date.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# the Python forms of methods have the annotations, not the native ones
os.environ["RUSHLIGHT_NATIVE"] = "0"

from tools.stubs.faces import face
from tools.stubs.late_names import late_names
from tools.stubs.methods import methods
from tools.stubs.results import results

ROOT = Path(__file__).resolve().parent.parent.parent
FACES = {
    "rushlight": "rushlight/__init__.pyi",
    "rushlight.autograd": "rushlight/autograd/__init__.pyi",
    "rushlight.distributions": "rushlight/distributions/__init__.pyi",
    "rushlight.fft": "rushlight/fft.pyi",
    "rushlight.linalg": "rushlight/linalg.pyi",
    "rushlight.nn": "rushlight/nn/__init__.pyi",
    "rushlight.nn.functional": "rushlight/nn/functional.pyi",
    "rushlight.nn.modules": "rushlight/nn/modules/__init__.pyi",
    "rushlight.optim": "rushlight/optim/__init__.pyi",
    "rushlight.signal.windows": "rushlight/signal/windows.pyi",
    "rushlight.special": "rushlight/special.pyi",
}


LATE_NAMES = "rushlight/ops/machine/late_names.py"


def files() -> Iterator[tuple[str, str]]:
    """Each file with its text, formatted."""
    yield LATE_NAMES, formatted(LATE_NAMES, late_names())
    yield "rushlight/core/object/methods.pyi", formatted("methods.pyi", methods())
    yield "rushlight/core/object/results.pyi", formatted("results.pyi", results())
    for package, path in FACES.items():
        yield path, formatted(path, face(package))


def formatted(path: str, text: str) -> str:
    """The text as ruff writes it, its imports sorted and the unused ones removed."""
    for command in (["check", "--quiet", "--fix-only", "--select", "F401,I"], ["format", "--quiet"]):
        options = [*command, "--config", str(ROOT / "pyproject.toml"), "--stdin-filename", path, "-"]
        done = subprocess.run([sys.executable, "-m", "ruff", *options], input=text, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{path}: {done.stderr}")
        text = done.stdout
    return text


def main(arguments: list[str]) -> int:
    """Write the files, or tell which are not up to date."""
    checking = "--check" in arguments
    stale = False
    for path, text in files():
        place = ROOT / path
        if place.exists() and place.read_text(encoding="utf-8") == text:
            continue
        stale = True
        print(f"{path}: {'not up to date, run make stubs' if checking else 'written'}", flush=True)
        if not checking:
            place.write_text(text, encoding="utf-8")
        if path == LATE_NAMES and not checking:
            # what was imported before promises the old names
            return subprocess.run([sys.executable, "-m", "tools.stubs"], cwd=ROOT).returncode
    return int(checking and stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
