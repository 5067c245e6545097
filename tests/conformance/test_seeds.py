"""Seeded programs print the same numbers here and in torch, and leave the same states behind."""

import copy
import pickle

import numpy as np
import pytest

import rushlight
from tests.conformance.seeded_programs import write_program

torch = pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")

# torch computes logarithms and angles with approximations of its own
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 3e-6, "float64": 1e-12, "complex64": 3e-6}
KEPT_NORMAL = slice(5024, 5032)


def run(library, lines):
    """What the program showed, line by line, and the states of its generators."""
    shown = []
    names = {
        "torch": library,
        "exact": lambda tensor: shown.append((names["line"], tensor, True)),
        "near": lambda tensor: shown.append((names["line"], tensor, False)),
        "copy": copy,
        "pickle": pickle,
    }
    for line in lines:
        names["line"] = line
        exec(line, names)
    generators = [library.default_generator, names["first"], names["second"]]
    return shown, [each.get_state().numpy() for each in generators]


def as_array(tensor):
    tensor = tensor.detach()
    return (tensor.double() if tensor.dtype.is_floating_point else tensor).numpy()


def layout(tensor):
    """The strides, where they matter."""
    return [stride for stride, size in zip(tensor.stride(), tensor.shape, strict=True) if size > 1 and tensor.numel()]


def compare(expected, got, exact):
    assert str(got.dtype) == str(expected.dtype)
    assert got.shape == tuple(expected.shape)
    assert layout(got) == layout(expected)
    if exact or expected.numel() == 0:
        np.testing.assert_array_equal(as_array(got), as_array(expected))
    else:
        tolerance = TOLERANCE[str(expected.dtype).removeprefix("torch.")]
        np.testing.assert_allclose(as_array(got), as_array(expected), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(200))
def test_a_seeded_program_gives_torchs_numbers(seed):
    lines = write_program(seed)
    expected, expected_states = run(torch, lines)
    got, states = run(rushlight, lines)
    for (line, theirs, exact), (_, ours, _) in zip(expected, got, strict=True):
        try:
            compare(theirs, ours, exact)
        except AssertionError as error:
            raise AssertionError(f"{line}\n{error}") from None
    for theirs, ours in zip(expected_states, states, strict=True):
        np.testing.assert_allclose(ours[KEPT_NORMAL].view("f8"), theirs[KEPT_NORMAL].view("f8"), rtol=1e-13)
        rest = [np.delete(each, np.arange(5024, 5032)) for each in (ours, theirs)]
        np.testing.assert_array_equal(*rest)
