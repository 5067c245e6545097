"""Every public op says what it does in one sentence, and shows it in an example that runs."""

import doctest
import math

import numpy as np
import pytest

import rushlight
from rushlight.ops.machine import late

# modules of which no function that `torch` has, and that is no op, is without one
PLAIN = (
    "rushlight.core.object.conversion",
    "rushlight.core.creation.creation",
    "rushlight.core.numbers.defaults",
    "rushlight.core.creation.filled",
    "rushlight.core.surface.functions",
    "rushlight.core.creation.likeness",
    "rushlight.core.object.printing",
    "rushlight.core.numbers.promotion",
    "rushlight.core.creation.ranges",
    "rushlight.core.settings.switches",
    "rushlight.core.settings.threads",
    "rushlight.ops.random.sampling",
    "rushlight.random",
)
OPS = {name: op for name, op in late.registry().items() if not name.startswith("_")}
FUNCTIONS = {name: getattr(rushlight, name) for name in dir(rushlight) if name not in OPS and not name.startswith("_")}
DOCS = {name: value.__doc__ or "" for name, value in FUNCTIONS.items() if callable(value)}
DOCS |= {name: op.doc for name, op in OPS.items()}
SHOWN = sorted(name for name, doc in DOCS.items() if ">>>" in doc)
REQUIRED = [*OPS]
REQUIRED += [name for name, value in FUNCTIONS.items() if getattr(value, "__module__", None) in PLAIN]


def printed_by(library, doc):
    """What is to be said of a docstring's examples when they are run with `torch` meaning this library."""
    names = {"torch": library, "nn": library.nn, "F": library.nn.functional, "math": math, "np": np}
    complaints = []
    library.manual_seed(0)
    examples = doctest.DocTestParser().get_doctest(doc, names, "docstring", None, 0)
    doctest.DocTestRunner(verbose=False).run(examples, out=complaints.append)
    return "".join(complaints)


# old functions warn, as in torch
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", SHOWN)
def test_the_example_prints_what_it_says(name):
    complaints = printed_by(rushlight, DOCS[name])
    assert not complaints, complaints


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_the_docstring_is_a_sentence_and_then_an_example(name):
    doc, called = DOCS[name], name.rpartition(".")[2]
    sentence = doc.partition("\n\n")[0]
    assert sentence.endswith((".", ":")) and ">>>" not in sentence, sentence
    examples = doctest.DocTestParser().get_examples(doc)
    assert examples, f"{name} has no example: `>>> torch.{name}(...)` after its sentence, and what that prints"
    assert any(example.want for example in examples), "an example that shows nothing"
    if name not in OPS or OPS[name].operator is None:
        assert any(called in example.source for example in examples), f"an example that does not call {called}"


def test_an_example_that_is_wrong_is_found():
    assert "tensor(2)" in printed_by(rushlight, ">>> torch.tensor(1) + 1\ntensor(3)")
