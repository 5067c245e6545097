"""Explained errors: torch's exact type and words, the fix from the site, and a text that is made when it is read."""

import copy
import pickle
import traceback
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.errors import complaints, explained, location, raised
from rushlight.errors.explained import KERNEL, words_of

WORDS = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"


def failed(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return caught.value


def misfit():
    return failed(torch.add, torch.ones(3), torch.ones(4))


def test_the_type_is_exactly_the_one_asked_for():
    error = explained.explained(RuntimeError, "no such thing", fix="another")
    assert type(error) is RuntimeError
    assert str(error) == "no such thing\n  fix: another"
    assert type(misfit()) is RuntimeError


def test_the_words_are_torchs_and_the_text_begins_with_them():
    error = misfit()
    assert error.args == (WORDS,)
    assert str(error).startswith(f"{WORDS}\n  a: torch.float32 of shape [3], made at ")
    assert str(error).splitlines()[-1] == "  fix: two sizes go together if they are equal, or if one of them is 1"


def test_a_traceback_shows_the_whole_text():
    error = misfit()
    assert "".join(traceback.format_exception_only(error)) == f"RuntimeError: {error}\n"
    assert repr(error) == f"RuntimeError({str(error)!r})"


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_says_the_same(again):
    error = misfit()
    assert type(again(error)) is RuntimeError
    assert str(again(error)) == str(error)


def test_lines_of_the_user_stand_between_the_words_and_the_fix():
    place = location.user_line()
    error = explained.explained(ValueError, "lost", lines=["it is gone", ("made at", place)], fix="find it")
    first, second, third, last = str(error).splitlines()
    assert (first, second, last) == ("lost", "  it is gone", "  fix: find it")
    assert third.startswith("  made at ") and "place = location.user_line()" in third


def test_the_layer_comes_after_the_first_line():
    lines = str(failed(nn.Sequential(nn.Linear(4, 2)), torch.ones(5, 3))).splitlines()
    assert lines[0].startswith("mat1 and mat2 shapes cannot be multiplied (5x3 and 4x2)")
    assert lines[1] == "  in 0 (Linear): expected last dimension 4, got 3"
    assert lines[-1] == "  fix: make the layer with in_features=3, or give it inputs whose last dimension is 4"


def test_a_layer_is_named_once_more_if_its_error_is_raised_again():
    layer = nn.Linear(4, 2)
    first = failed(layer, torch.ones(5, 3))
    second = failed(nn.ModuleDict({"inner": layer})["inner"], torch.ones(5, 3))
    assert str(first).count("in Linear") == str(second).count("in Linear") == 1


def test_an_error_that_is_not_read_reads_no_file(monkeypatch):
    one, two = torch.ones(3), torch.ones(4)
    asked = []
    monkeypatch.setattr(location.linecache, "getline", lambda *_: asked.append(1) or "")
    error = failed(torch.add, one, two)
    assert not asked
    assert WORDS in str(error) and len(asked) == 2


def test_an_error_keeps_no_tensor_of_the_call():
    tensor = torch.ones(3)
    gone = weakref.ref(tensor)
    try:
        torch.add(tensor, torch.ones(4))
    except RuntimeError as caught:
        error = caught.with_traceback(None)
        error.__context__ = error.__cause__ = None
    del tensor
    assert gone() is None
    assert "shape [3]" in str(error)


def test_the_operands_of_the_innermost_call_are_shown_once():
    error = failed(lambda: torch.nn.functional.cross_entropy(torch.ones(5, 3), torch.full((5,), 3)))
    text = str(error)
    assert text.startswith("Target 3 is out of bounds.\n")
    assert text.count("fix: ") == 1 and text.count("made at") == 2


def test_of_three_operands_the_fix_names_the_two_that_do_not_fit():
    error = failed(torch.addcmul, torch.ones(5, 3), torch.ones(1, 3), torch.ones(5))
    assert "fix: give tensor2 the missing trailing dimension: tensor2[..., None]" in str(error)


def test_a_refused_dtype_knows_its_kernel_and_how_late_torch_notices_it():
    words = words_of(failed(torch.nn.functional.celu, torch.ones(3, dtype=torch.int64)))
    assert words == "\"elu_cpu\" not implemented for 'Long'"
    assert (words.refused, words.stage, words.fix) == (("elu_cpu", "Long"), KERNEL, "convert it first: x.float()")


def raise_as_numpy_does():
    raise ValueError("operands could not be broadcast together")


def test_only_what_numpy_raises_is_known_by_its_text(monkeypatch):
    theirs = failed(np.add, np.ones(2), np.ones(3))
    assert complaints.is_about_shapes(theirs)
    mine = failed(raise_as_numpy_does)
    assert complaints.is_about_shapes(mine)
    monkeypatch.setitem(location.ours, __file__, True)
    assert raised.is_worded(mine) and not raised.is_worded(theirs)
    assert not complaints.is_about_shapes(mine)


def test_words_of_ours_that_read_like_numpys_stay_as_they_are():
    # torch: 'expected 'shape' to be int or sequence of ints', which is no complaint about kinds of arguments
    error = failed(torch.unravel_index, torch.tensor([1]), 1.5)
    assert type(error) is TypeError
    assert str(error).startswith("expected 'shape' to be int or sequence of ints, but got <class 'float'>")
