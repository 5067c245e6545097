"""The kernels' elementary functions are within 2 units in the last place, at each level that this CPU has."""

import os
import pathlib
import platform
import shutil
import subprocess

import pytest

CHECK = pathlib.Path(__file__).parent / "math_check.cpp"
COMPILER = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
NATIVE = CHECK.parents[2] / "rushlight" / "native"
FLAGS = [
    f"-I{NATIVE}",
    "-std=c++17",
    "-O3",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fopenmp-simd",
]
# a sanitizer that is loaded into this process is not meant for the compiler
PLAIN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
LEVELS = {
    "baseline": [],
    "avx2": ["avx2", "fma"],
    "avx512": ["avx2", "fma", "avx512f", "avx512vl", "avx512dq", "avx512bw"],
}


def cpu_features() -> set[str]:
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() and platform.machine() == "x86_64" else []
    return {feature for line in lines if line.startswith("flags") for feature in line.split()}


@pytest.fixture(scope="module")
def compilations(tmp_path_factory):
    """A compiler for each level, all at work at the same time, and where it puts the program."""
    folder = tmp_path_factory.mktemp("math")
    features = cpu_features()
    started = {}
    for level, needed in LEVELS.items():
        if features.issuperset(needed):
            options = [f"-m{feature}" for feature in needed]
            command = [COMPILER, *FLAGS, *options, f"-DLEVEL={level}", str(CHECK), "-o", str(folder / level)]
            started[level] = subprocess.Popen(command, env=PLAIN, stderr=subprocess.PIPE, text=True), folder / level
    yield started
    for process, _ in started.values():
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("level", LEVELS)
def test_functions_are_within_two_units_in_the_last_place(compilations, level):
    if level not in compilations:
        pytest.skip(f"this CPU does not have {level}")
    compiler, program = compilations[level]
    _, errors = compiler.communicate()
    assert compiler.returncode == 0, errors
    run = subprocess.run([program], env=PLAIN, capture_output=True, text=True)
    assert run.returncode == 0, "\n".join(line for line in run.stdout.splitlines() if "FAILED" in line)
