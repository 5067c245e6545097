"""Every public op says what it does in one sentence, and shows it in an example that runs."""

import doctest
import math

import numpy as np
import pytest

import rushlight
from rushlight.ops.machine import late

# folders of `rushlight/ops` in which no public op is without an example
COMPLETE = (
    "fourier",
    "losses",
    "machine",
    "normalization",
    "pointwise",
    "products",
    "random",
    "special",
    "windows",
)
PUBLIC = {name: op for name, op in sorted(late.registry().items()) if not name.startswith("_")}
SHOWN = [name for name, op in PUBLIC.items() if ">>>" in op.doc]


def printed_by(library, doc):
    """What is to be said of a docstring's examples when they are run with `torch` meaning this library."""
    names = {"torch": library, "nn": library.nn, "F": library.nn.functional, "math": math, "np": np}
    complaints = []
    library.manual_seed(0)
    examples = doctest.DocTestParser().get_doctest(doc, names, "docstring", None, 0)
    doctest.DocTestRunner(verbose=False).run(examples, out=complaints.append)
    return "".join(complaints)


@pytest.mark.parametrize("name", SHOWN)
def test_the_example_prints_what_it_says(name):
    complaints = printed_by(rushlight, PUBLIC[name].doc)
    assert not complaints, complaints


@pytest.mark.parametrize("name", [name for name, op in PUBLIC.items() if op.body.__module__.split(".")[2] in COMPLETE])
def test_the_docstring_is_a_sentence_and_then_an_example(name):
    op, called = PUBLIC[name], name.rpartition(".")[2]
    sentence = op.doc.partition("\n\n")[0]
    assert sentence.endswith((".", ":")) and ">>>" not in sentence, sentence
    examples = doctest.DocTestParser().get_examples(op.doc)
    assert examples, f"{name} has no example: `>>> torch.{name}(...)` after its sentence, and what that prints"
    assert any(example.want for example in examples), "an example that shows nothing"
    is_shown = any(called in example.source for example in examples)
    assert is_shown or op.operator is not None, f"an example that does not call {called}"


def test_an_example_that_is_wrong_is_found():
    assert "tensor(2)" in printed_by(rushlight, ">>> torch.tensor(1) + 1\ntensor(3)")
