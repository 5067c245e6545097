"""The examples in docstrings under torch itself: it prints what they say, to the letter."""

import pytest

from tests.test_docstrings import PUBLIC, SHOWN, printed_by

torch = pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHOWN)
def test_torch_prints_what_the_example_says(name):
    complaints = printed_by(torch, PUBLIC[name].doc)
    assert not complaints, complaints
