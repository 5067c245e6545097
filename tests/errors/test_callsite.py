"""Call sites: which arguments were given by name."""

import sys

import pytest

import rushlight as torch
from rushlight.errors.callsite import keywords_at


def names(*given, **named):
    frame = sys._getframe(1)
    return keywords_at((frame.f_code, frame.f_lasti))


def test_names_are_those_of_the_call_that_runs():
    assert names(1, first=dict(other=2), second=3) == ("first", "second")
    assert [names(one=1), names(2)] == [("one",), ()]
    assert max(names(key=1), (), key=len) == ("key",)


def test_names_in_a_dictionary_do_not_show():
    assert names(**{"one": 1}) == names(*[1]) == ()


def test_errors_tell_the_position_of_what_was_given_without_a_name():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"^cat\(\): argument 'dim' must be int, not str"):
        torch.cat([x], dim="rows")
    with pytest.raises(TypeError, match=r"^cat\(\): argument 'dim' \(position 2\) must be int, not str"):
        torch.cat([x], "rows")
