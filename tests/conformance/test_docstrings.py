"""The examples in docstrings under torch itself: it prints what they say, to the letter."""

import pytest

from tests.test_docstrings import DOCS, SHOWN, printed_by

torch = pytest.importorskip("torch")

# what `torch` itself does not have
OURS = {"explain", "get_printoptions", "graph", "info", "printoptions"}
# for which torch needs a C++ compiler, and many seconds
COMPILED = {"compile"}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [name for name in SHOWN if name not in OURS | COMPILED])
def test_torch_prints_what_the_example_says(name):
    complaints = printed_by(torch, DOCS[name])
    assert not complaints, complaints
