"""The seam between Python and native code: declarations by name, calls that are counted, nothing that falls silent."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight
import rushlight as torch
from rushlight import native
from tests.native import links
from tests.native.declared import backward, forward, in_layout, kernel_named
from tests.native.test_twins import NATIVE
from tests.ops.samples import arguments, flat, tensors_from

pytestmark = pytest.mark.skipif(native.extension is None, reason="there is no native layer")

PACKAGE = Path(rushlight.__file__).parent
WHOLE = """
import rushlight as torch
from rushlight.ops import late
late.load()
torch.optim.Adam, torch.nn.Linear, torch.distributions.Normal
"""

# a file, what stands in it, what is written instead, and how the import answers
MISSPELT = {
    "a parameter of an op": (
        "ops/shape/joining.py",
        "def cat(tensors: list[Tensor], dim",
        "def cat(tensors: list[Tensor], dm",
        "the kernel of 'cat' reads 'dim', which is no parameter of the op",
    ),
    "what a formula saves": (
        "ops/shape/diagonals.py",
        "tril.gradient(input=lambda grad, diagonal: grad.tril(diagonal))",
        "tril.gradient(input=lambda grad: grad.tril(0))",
        "the kernel of 'tril' reads 'diagonal', which no formula of the op saves",
    ),
    "a parameter of a pointwise op": (
        "ops/pointwise/arithmetic.py",
        "def add(input, other, *, alpha",
        "def add(input, other, *, alpa",
        "reads 'alpha', which is no parameter of the op",
    ),
    "a parameter of a shortcut": (
        "core/random/rejection.py",
        "def poisson(rate: np.ndarray",
        "def poisson(rte: np.ndarray",
        "the kernel of 'core.random.rejection.poisson' reads 'rate', which is no parameter of the function",
    ),
    "the name of a shortcut": (
        "core/random/rejection.py",
        "def poisson(",
        "def poison(",
        "there is no shortcut for core.random.rejection.poison",
    ),
    "the step of an optimizer": (
        "optim/rmsprop.py",
        "class RMSprop(",
        "class RMSProp(",
        "there is no native step of optim.rmsprop.RMSProp.step_for",
    ),
    "the class of a constraint": (
        "distributions/constraints.py",
        "_HalfOpenInterval",
        "_HalfOpenIntervall",
        "no attribute '_HalfOpenInterval'",
    ),
    "the module that runs others in turn": (
        "nn/modules/container.py",
        "class Sequential(",
        "class Sequental(",
        "Sequential",
    ),
    "a native fallback": (
        "autograd/graph.py",
        "extension.connect(edge_of=edge_of)",
        "extension.connect(edge_off=edge_of)",
        "knows nothing of 'edge_off'",
    ),
}

# rows of nn/modules/passing.py: what stands there, and what is written instead
UNDONE = {
    "nn.modules.linear.Linear.forward": ('"linear", "weight"', '"linear", "wieght"'),
    "nn.modules.activation.Tanh.forward": ('"tanh"', '"tahn"'),
    "nn.modules.flatten.Flatten.forward": ('"start_dim"', '"start_dimm"'),
}


def test_a_call_that_a_kernel_does_is_counted():
    x = torch.ones(3, requires_grad=True)
    before = kernel_named("cat")
    torch.cat([x, x]).sum().backward()
    after = kernel_named("cat")
    assert after.forward.accepted == before.forward.accepted + 1
    assert after.gradient.accepted == before.gradient.accepted + 1


def test_a_call_that_is_left_to_python_is_counted_with_the_reason():
    before = kernel_named("cat").forward
    torch.cat([torch.ones(2), torch.ones(2, dtype=torch.float64)])
    after = kernel_named("cat").forward
    assert after.declined == before.declined + 1
    new = {words for words, count in after.reasons.items() if count > before.reasons.get(words, 0)}
    assert new == {"tensors: several dtypes"}


def test_the_report_shows_what_was_called_and_why_it_was_left_to_python():
    torch.cat([torch.ones(2), torch.ones(2, dtype=torch.float64)])
    text = repr(native.report())
    assert " left to Python  cat\n" in text
    assert "x tensors: several dtypes" in text


def test_every_kernel_belongs_to_something_that_python_declares():
    torch.optim.SGD([torch.ones(1)])
    for package in (torch.distributions, torch.optim, torch.nn, torch._dynamo):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    assert [each.name for each in native.report() if not each.is_claimed] == []


@pytest.mark.parametrize("op", NATIVE, ids=[op.name for op in NATIVE])
def test_a_kernel_does_some_of_its_samples_forwards_and_backwards(op):
    before = kernel_named(op.name)
    for sample in op.samples():
        args, kwargs = arguments(sample, dtype="float32", requires_grad=True)
        try:
            results = flat(op.function(*args, **kwargs))
        except Exception:  # samples of errors
            continue
        for each in results:
            if sample.smooth and each.requires_grad and each.grad_fn is not None and op.inner_name is None:
                each.backward(torch.ones_like(each), retain_graph=True)
    after = kernel_named(op.name)
    assert after.forward.accepted > before.forward.accepted or not op.function._native[0], after.forward
    if after.gradient is not None and op.differentiable and op.inner_name is None:
        assert after.gradient.accepted > before.gradient.accepted, after.gradient


def declared_cases():
    """An op, a dtype that the first tensor of its kernel is declared to have, and an order in memory."""
    kernels = {each.name: each for each in native.report()}
    for op in NATIVE:
        kernel = kernels[op.name]
        first = next((each for each in kernel.takes if each.kind.startswith("tensor")), None)
        if first is None or kernel.is_route:
            continue
        # NumPy knows no bfloat16 by name: test_any_dtype.py
        for dtype in (each for each in first.dtypes or ("float32", "float64") if each != "bfloat16"):
            for layout in ("rows", "turned") if first.layout in ("any", "packed") else ("rows",):
                yield pytest.param(op, dtype, layout, id=f"{op.name}-{dtype}-{layout}")


def is_turned(value):
    """Whether there are arrays in the order of Fortran alone among an argument."""
    if isinstance(value, (list, tuple)):
        return any(map(is_turned, value))
    return isinstance(value, np.ndarray) and not value.flags.c_contiguous


def is_finite(value):
    """Whether an argument's numbers can be integers."""
    if isinstance(value, (list, tuple)):
        return all(map(is_finite, value))
    return not isinstance(value, np.ndarray) or value.dtype.kind not in "fc" or bool(np.isfinite(value).all())


@pytest.mark.parametrize(("op", "dtype", "layout"), list(declared_cases()) if native.extension is not None else [])
def test_a_kernel_does_what_it_declares_forwards_and_backwards(op, dtype, layout):
    floats = dtype.startswith("float")
    samples, calls = [], []
    for sample in op.samples():
        args, kwargs = (in_layout(each, layout) for each in (sample.args, list(sample.kwargs.values())))
        if (layout == "turned" and not is_turned((args, kwargs))) or not (floats or is_finite((args, kwargs))):
            continue
        args, kwargs = (tensors_from(each, dtype, requires_grad=floats) for each in (args, kwargs))
        samples.append(sample)
        calls.append((args, dict(zip(sample.kwargs, kwargs, strict=True))))
    found, outcome = forward(op, calls)
    assert outcome.done > 0 or all(each is None for each in found), outcome.undeclared
    kernel = kernel_named(op.name)
    if floats and op.differentiable and op.inner_name is None and kernel.gradient is not None and outcome.done > 0:
        smooth = [
            each for sample, results in zip(samples, found, strict=True) if sample.smooth for each in results or ()
        ]
        takes = all(not each.dtypes or dtype in each.dtypes for each in kernel.given)
        takes = takes and (layout == "rows" or all(each.layout in ("any", "packed") for each in kernel.given))
        assert backward(op, smooth).done > 0 or not takes


def test_every_route_shortcut_and_link_has_a_program_here():
    assert sorted(links.PROGRAMS) == sorted(each.name for each in native.report() if each.kind != "op")


@pytest.mark.parametrize("name", links.PROGRAMS)
def test_a_route_shortcut_or_link_does_what_it_is_there_for(name):
    assert links.undone(name) is None


@pytest.mark.parametrize("name", links.DECLINED)
def test_what_a_link_leaves_to_python_is_counted_with_the_reason(name):
    program, reason = links.DECLINED[name]
    before = kernel_named(name).forward
    program()
    after = kernel_named(name).forward
    assert after.declined > before.declined and after.accepted == before.accepted
    assert after.reasons.get(reason, 0) > before.reasons.get(reason, 0), after.reasons


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package, with its bytecode: nothing has to be compiled but what a test changes."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "rushlight", ignore=shutil.ignore_patterns("*.cpp", "*.h"))
    shutil.copy(links.__file__, folder)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    subprocess.run([sys.executable, "-c", "import links"], cwd=folder, env=environment, check=True)
    return folder


def run_with(copy, name, right, wrong, program):
    """What a program does where a file of the copy has a word spelt wrong."""
    file = copy / "rushlight" / name
    text = file.read_text()
    assert right in text
    file.write_text(text.replace(right, wrong))
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    try:
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    finally:
        shutil.copy2(PACKAGE / name, file)


@pytest.mark.parametrize("case", MISSPELT)
def test_a_misspelling_is_an_error_at_import(case, copy):
    name, right, wrong, answer = MISSPELT[case]
    done = run_with(copy, name, right, wrong, WHOLE)
    assert done.returncode != 0
    assert answer in done.stderr, done.stderr


@pytest.mark.parametrize("name", UNDONE)
def test_a_misspelt_row_of_a_layer_does_nothing_and_fails_its_test(name, copy):
    program = f"import links; print(links.undone({name!r}))"
    done = run_with(copy, "nn/modules/passing.py", *UNDONE[name], program)
    assert "Tally(accepted=" in done.stdout, done.stderr


def test_an_op_by_another_name_leaves_its_kernel_unclaimed(copy):
    unclaimed = "from rushlight import native; print([each.name for each in native.report() if not each.is_claimed])"
    file = "ops/reductions/uniqueness.py"
    done = run_with(copy, file, 'name="_distinct"', 'name="_distnct"', f"{WHOLE}\n{unclaimed}")
    assert "'_distinct'" in done.stdout, done.stderr
