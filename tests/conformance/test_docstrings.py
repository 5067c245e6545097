"""The examples in docstrings under torch itself: it prints what they say, to the letter."""

import pytest

from tests.test_docstrings import DOCS, SHOWN, printed_by

torch = pytest.importorskip("torch")

# what `torch` itself does not have
OURS = {"get_printoptions", "info", "printoptions"}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [name for name in SHOWN if name not in OURS])
def test_torch_prints_what_the_example_says(name):
    complaints = printed_by(torch, DOCS[name])
    assert not complaints, complaints
