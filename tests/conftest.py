"""What all tests share: a heap that is quickly looked through."""

import gc


def pytest_collection_finish():
    # Twenty thousand tests are a million objects that stay. Hundreds of tests collect garbage, and each watch of the
    # doctor looks at all objects: 0.1 s with them. None is ever thawed.
    gc.collect()
    gc.freeze()
