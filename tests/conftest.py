"""What all tests share: a heap that is quickly looked through."""

import gc

import pytest

# more than an interpreter sets aside by itself
MANY = 10_000


@pytest.fixture(autouse=True, scope="module")
def frozen_heap():
    """Twenty thousand tests are a million objects that stay, and collections and the doctor look at all: 0.1 s each."""
    # whatever moves memory looks for all tensors, and thaws them
    if gc.get_freeze_count() < MANY:
        gc.collect()
        gc.freeze()
