"""Trees: flattened, built again and mapped over."""

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import rushlight as torch
from rushlight.utils import _pytree as pytree

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "tree",
    [
        1,
        None,
        [],
        {"b": [1, (2, 3)], "a": None},
        OrderedDict(x=1, y=[2]),
        Point(1, (2, 3)),
        deque([1, 2], maxlen=3),
        defaultdict(list, a=1),
    ],
)
def test_a_tree_is_built_again(tree):
    leaves, spec = pytree.tree_flatten(tree)
    again = pytree.tree_unflatten(leaves, spec)
    assert again == tree
    assert type(again) is type(tree)
    assert spec.num_leaves == len(leaves)
    assert spec == pytree.tree_structure(tree)


def test_functions_of_leaves():
    assert pytree.tree_map(lambda x: x * 2, {"a": [1, (2,)]}) == {"a": [2, (4,)]}
    assert pytree.tree_map(max, [1, 5], [3, 4]) == [3, 5]
    assert pytree.tree_map_only(int, str, [1, 2.0]) == ["1", 2.0]
    assert pytree.tree_leaves([1, [2]], is_leaf=lambda x: x == [2]) == [1, [2]]
    assert pytree.tree_all(bool, [1, [2]])
    assert not pytree.tree_any(bool, [0, []])


def test_trees_that_do_not_fit():
    with pytest.raises(ValueError, match="the spec refers to a pytree that holds 2 items"):
        pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))
    with pytest.raises(ValueError, match="different forms"):
        pytree.tree_map(max, [1], [1, 2])


def test_dlpack_goes_there_and_back():
    x = torch.arange(3.0)
    y = torch.utils.dlpack.from_dlpack(x)
    y[0] = 5
    assert x[0] == 5
    assert "dltensor" in repr(torch.utils.dlpack.to_dlpack(x))
