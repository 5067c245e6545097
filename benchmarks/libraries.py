"""The libraries that are compared, and the Python environments in which they are found."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NPROC")


@dataclass(frozen=True)
class Library:
    title: str
    # What is imported; also the environment that is looked for, .venv-<module>.
    module: str
    # How its programs are written: the name of a method of a program.
    way: str
    # For `TorchLike`.
    options: dict = field(default_factory=dict)
    # Environment variables of its process.
    variables: dict = field(default_factory=dict)
    # Differs from the plain library only where a program has an optimizer.
    only_with_optimizer: bool = False


LIBRARIES = {
    "torch": Library("torch", "torch", "torch"),
    "torch_fused": Library("torch, fused optimizer", "torch", "torch", {"fused": True}, only_with_optimizer=True),
    "torch_compile": Library("torch.compile", "torch", "torch", {"compiled": True}),
    "jax": Library("JAX jit", "jax", "jax", variables={"JAX_PLATFORMS": "cpu"}),
    "numpy": Library("NumPy by hand", "numpy", "numpy"),
    "rushlight": Library("Rushlight", "rushlight", "torch"),
    "rushlight_compiled": Library("Rushlight, compiled", "rushlight", "torch", {"compiled": True}),
    "rushlight_plain": Library("Rushlight, native off", "rushlight", "torch", variables={"RUSHLIGHT_NATIVE": "0"}),
    "floor": Library("floor", "numpy", "floor"),
}
# torch eager as a user has it; its best is what ratios refer to.
EAGER = ("torch", "torch_fused")


def environment_of(library, threads):
    """The environment variables of a library's process."""
    # Without compiled files, as a user has them, a start would measure Python's compiler.
    ours = ("PYTHONDONTWRITEBYTECODE", "RUSHLIGHT_NATIVE")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    if library.module == "jax" and threads == 1:
        kept["XLA_FLAGS"] = f"{kept.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
    return {**kept, **dict.fromkeys(THREADS, str(threads)), **library.variables}


def command_of(python, code, *arguments):
    """The command that runs a line of Python with this tree at the end of its path, behind what is installed."""
    # `-c` puts the current folder first: from here the tree would be imported, which first sums up its C++ sources
    path = f"sys.path[:] = [*filter(None, sys.path), {str(ROOT)!r}]"
    return [python, "-c", f"import sys; {path}; {code}", *map(str, arguments)]


def find_python(module):
    """The Python that has a module: BENCH_TORCH or BENCH_JAX names it, else .venv-torch or .venv-jax, else this one."""
    named = os.environ.get(f"BENCH_{module.upper()}")
    for python in (named, str(ROOT / f".venv-{module}" / "bin" / "python"), sys.executable):
        if python and Path(python).exists():
            look = f"import importlib.util; sys.exit(importlib.util.find_spec({module!r}) is None)"
            if subprocess.run(command_of(python, look)).returncode == 0:
                return python
    return None


def find_libraries(names):
    """The Python of each of these libraries, and a reason for each that cannot take part."""
    pythons = {module: find_python(module) for module in {LIBRARIES[name].module for name in names}}
    found = {name: pythons[LIBRARIES[name].module] for name in names if pythons[LIBRARIES[name].module]}
    missing = [
        f"{LIBRARIES[name].title} is left out: no environment with {LIBRARIES[name].module} "
        f"(.venv-{LIBRARIES[name].module}, or BENCH_{LIBRARIES[name].module.upper()}=python)"
        for name in names
        if name not in found
    ]
    return found, missing
