"""A pytest plugin: every test runs inside of a compiled function, and all of its pointwise calls are put off.

`make compiled` runs the suite so: whatever the tests say of eager code then holds for compiled code. What they say of
compilation itself, of the number of native calls and of memory that is taken does not.
"""

import pytest

from rushlight.core.settings.state import state
from rushlight.native import extension


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    before = extension.set_least_deferred(2)
    state.compiled = True
    try:
        yield
    finally:
        state.compiled = False
        extension.set_least_deferred(before)
