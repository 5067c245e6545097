"""What all tests share: a heap that is quickly looked through.

Twenty thousand tests are a million objects that stay. Hundreds of tests collect garbage, and each watch of the doctor
looks at all objects: 0.1 s with them. So they are frozen, and again where a test thawed them, as those do that move
memory.
"""

import gc


class Heap:
    """Whether what stays is frozen; the collector can only count all of it."""

    def __init__(self):
        self.thaw = gc.unfreeze
        self.is_frozen = False

    def unfreeze(self):
        self.is_frozen = False
        self.thaw()

    def freeze(self):
        if not self.is_frozen:
            gc.freeze()
            self.is_frozen = True


HEAP = Heap()
gc.unfreeze = HEAP.unfreeze


def pytest_collection_finish():
    gc.collect()
    HEAP.freeze()


def pytest_runtest_setup():
    HEAP.freeze()
