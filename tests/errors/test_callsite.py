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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: x.topk("a"), "'k' (position 1)"),
        (lambda x: torch.topk(x, "a"), "'k' (position 2)"),
        (lambda x: x.transpose("a", 0), "'dim0' (position 1)"),
        (lambda x: torch.transpose(x, "a", 0), "'dim0' (position 2)"),
        (lambda x: x.transpose("a", dim1=0), "'dim0' (position 1)"),
        (lambda x: x.gather(0, "a"), "'index' (position 2)"),
        (lambda x: torch.gather(x, 0, "a"), "'index' (position 3)"),
        (lambda x: x.gather(0, index="a"), "'index' must be Tensor"),
        (lambda x: x.sum(0, 1), "'keepdim' (position 2)"),
        (lambda x: torch.sum(x, 0, 1), "'keepdim' (position 3)"),
        (lambda x: x.view_as("a"), "'other' (position 1)"),
        (lambda x: torch.exp("a"), "'input' (position 1)"),
    ],
)
def test_a_method_does_not_count_the_tensor_itself(call, words):
    with pytest.raises(TypeError) as raised:
        call(torch.ones(2, 2))
    assert f"(): argument {words}" in str(raised.value)
