"""Collating: what becomes of a list of samples."""

from collections import OrderedDict, UserDict, namedtuple

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import default_collate, default_convert
from rushlight.utils.data._utils.collate import collate, default_collate_fn_map
from rushlight.utils.data._utils.pin_memory import pin_memory

Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    ("batch", "dtype", "values"),
    [
        ([1, 2], torch.int64, [1, 2]),
        ([0.5, 1.5], torch.float64, [0.5, 1.5]),
        ([True, False], torch.bool, [True, False]),
        ([np.float32(1), np.float32(2)], torch.float32, [1.0, 2.0]),
        ([np.arange(2, dtype=np.int16)] * 2, torch.int16, [[0, 1], [0, 1]]),
        ([torch.ones(1), torch.zeros(1)], torch.float32, [[1.0], [0.0]]),
    ],
)
def test_numbers_become_tensors(batch, dtype, values):
    found = default_collate(batch)
    assert (found.dtype, found.tolist()) == (dtype, values)


def test_containers_keep_their_form():
    found = default_collate([{"a": 1, "b": ("x", [2.0])}, {"a": 2, "b": ("y", [3.0])}])
    assert found["a"].tolist() == [1, 2]
    assert found["b"][0] == ("x", "y")
    assert found["b"][1][0].tolist() == [2.0, 3.0]
    named = default_collate([Pair(1, b"p"), Pair(2, b"q")])
    assert isinstance(named, Pair)
    assert (named.left.tolist(), named.right) == ([1, 2], (b"p", b"q"))
    assert type(default_collate([OrderedDict(a=1)])) is OrderedDict
    assert type(default_collate([UserDict(a=1)])) is UserDict
    assert [each.tolist() for each in default_collate([range(2), range(2)])] == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("kind", "words", "batch"),
    [
        (TypeError, "default_collate: batch must contain tensors, .* found <class 'object'>", [object()]),
        (TypeError, "default_collate: batch must contain tensors, .* found <U1", [np.array(["a"])]),
        (RuntimeError, "each element in list of batch should be of equal size", [[1, 2], [3]]),
        (RuntimeError, "stack expects each tensor to be equal size", [torch.ones(1), torch.ones(2)]),
    ],
)
def test_what_cannot_be_collated_is_refused(kind, words, batch):
    with pytest.raises(kind, match=words):
        default_collate(batch)


def test_types_can_be_registered():
    class Word(str):
        pass

    table = {str: lambda batch, *, collate_fn_map=None: "+".join(batch), **default_collate_fn_map}
    table[str] = lambda batch, *, collate_fn_map=None: "+".join(batch)
    assert collate([Word("a"), Word("b")], collate_fn_map=table) == "a+b"
    assert collate([("a", 1), ("b", 2)], collate_fn_map=table)[0] == "a+b"
    with pytest.raises(TypeError):
        collate([1, 2])


def test_arrays_are_converted_and_nothing_else():
    found = default_convert({"x": np.ones(2, np.float32), "y": ("word", [np.int64(3)]), "z": np.array(["s"])})
    assert found["x"].dtype is torch.float32
    assert found["y"][0] == "word"
    assert found["y"][1][0].item() == 3
    assert isinstance(found["z"], np.ndarray)
    assert default_convert((1, [2.0])) == [1, [2.0]]
    assert default_convert(Pair(1, 2)) == Pair(1, 2)


def test_pinning_reaches_what_can_be_pinned():
    class Pinned:
        pinned = False

        def pin_memory(self):
            self.pinned = True
            return self

    found = pin_memory({"a": [Pinned()], "b": (Pinned(), "text"), "c": Pair(Pinned(), 1)})
    assert found["a"][0].pinned
    assert found["b"][0].pinned
    assert found["c"].left.pinned
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        pin_memory([torch.ones(1)])
