"""Programs about modules and about finer rules print the same with torch and with Rushlight."""

import warnings

import numpy as np
import pytest

import rushlight
from tests.conformance import (
    autograd_programs,
    container_programs,
    library_programs,
    module_programs,
    physics_programs,
    tensor_programs,
    transform_programs,
    utility_programs,
)

torch = pytest.importorskip("torch")
FIRST_WORDS = 30
TEXTS = (
    module_programs.PROGRAMS,
    container_programs.PROGRAMS,
    utility_programs.PROGRAMS,
    autograd_programs.PROGRAMS,
    tensor_programs.PROGRAMS,
    library_programs.PROGRAMS,
    transform_programs.PROGRAMS,
    physics_programs.PROGRAMS,
)
PROGRAMS = [each for text in TEXTS for each in module_programs.programs(text)]


def printed(library, code):
    """What a program shows, as text and as numbers; an exception is its type and its first words."""
    lines, numbers = [], []
    nn = library.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
            self.scale = nn.Parameter(library.ones(2))
            self.head = nn.Linear(8, 2, bias=False)
            self.register_buffer("steps", library.zeros(1))
            self.register_buffer("scratch", library.zeros(3), persistent=False)

        def forward(self, x):
            return self.head(self.body(x)) * self.scale

    def show(*values):
        lines.extend(repr(value).replace("rushlight", "torch") for value in values)

    def close(*tensors):
        numbers.append([each.detach().double().numpy() for each in tensors])

    def fails(function, length=FIRST_WORDS):
        try:
            lines.append(f"no exception: {function()!r}")
        except Exception as error:
            text = str(error).replace("rushlight", "torch")
            lines.append(f"{type(error).__name__}: {' '.join(text.split())[:length]}")

    names = {"torch": library, "nn": nn, "show": show, "close": close, "fails": fails, "Net": Net}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "program", "exec"), names)
    return lines, numbers


@pytest.mark.parametrize(("title", "code"), [pytest.param(*each, id=each[0]) for each in PROGRAMS])
def test_program_prints_the_same(title, code):
    (lines, numbers), (wanted, expected) = printed(rushlight, code), printed(torch, code)
    assert lines == wanted
    for given, known in zip(numbers, expected, strict=True):
        for one, two in zip(given, known, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
