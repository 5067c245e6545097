"""The names that are declared late, as a module of the package: what is promised without loading the families."""

from __future__ import annotations

import functools
import subprocess
import sys
import textwrap
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.bind import public
from rushlight.ops.machine.late import load
from tools.stubs.notes import home_of

HEAD = '''"""Names of ops that are declared late: see `late.py`.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

'''


@functools.cache
def early_modules() -> list[str]:
    """The modules that `import rushlight` loads."""
    program = "import rushlight, sys; print(*sys.modules)"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def is_late(function: Any) -> bool:
    """Whether a function is declared in a module that is loaded when one of its names is asked for."""
    place = home_of(function) or ""
    return place.startswith("rushlight.ops.") and place not in early_modules()


def late_names() -> str:
    """The text of rushlight/ops/machine/late_names.py."""
    load()
    functions = sorted(name for name, function in public("").items() if is_late(function))
    text = textwrap.fill(" ".join(functions), 116, initial_indent="    ", subsequent_indent="    ")
    methods = {name: method for name, method in sorted(vars(Tensor).items()) if is_late(method)}
    sentences = [f"    {name!r}: {first_line(method)!r},\n" for name, method in methods.items()]
    head = f'{HEAD}FUNCTIONS = frozenset(\n    """\n{text}\n    """.split()\n)\n'
    return f"{head}# methods of Tensor, with what they do\nMETHODS = {{\n{''.join(sentences)}}}\n"


def first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]
