"""What the tests here ask of an error: torch's leading words, the user's own lines, and the fix."""

import re
from contextlib import contextmanager
from pathlib import Path
from sys import _getframe

import pytest


@contextmanager
def explains(kind, words, *lines, fix=None):
    """The block raises `kind`; its message begins with `words`, shows `lines` of the calling file, and the fix."""
    file = Path(_getframe(2).f_code.co_filename).name
    with pytest.raises(kind) as raised:
        yield
    message = str(raised.value)
    assert message.startswith(words), message
    for line in lines:
        assert re.search(rf"{re.escape(file)}:\d+: .*{re.escape(line)}", message), (line, message)
    if fix is not None:
        assert fix in message.partition("fix: ")[2], message
