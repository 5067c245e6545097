"""Which of equal elements come first: torch's answers, and native code against Python."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.reductions import selecting

ROW = [3, 1, 3, 0, 2, 3, 1, 1, 0, 2, 2, 3, 0, 1, 2, 3, 3, 0, 1, 2]


def in_python(name, *args):
    """A function of the module as Python has it, also where native code comes before it."""
    function = getattr(selecting, name)
    return getattr(function, "__wrapped__", function)(*args)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.int16])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((1,), [11]),
        ((3,), [11, 5, 15]),
        ((6,), [15, 0, 11, 5, 16, 2]),
        ((19,), [2, 16, 15, 5, 11, 0, 19, 14, 10, 9, 4, 13, 7, 18, 1, 6, 17, 8, 3]),
        ((4, 0, False), [12, 8, 17, 3]),
        ((12, 0, False), [3, 17, 8, 12, 1, 18, 6, 7, 13, 19, 14, 10]),
        ((5, 0, True, False), [15, 0, 11, 5, 16]),
        ((7, 0, False, False), [12, 8, 17, 1, 7, 3, 13]),
    ],
)
def test_topk_leaves_equal_elements_as_torch_does(dtype, arguments, expected):
    assert torch.tensor(ROW, dtype=dtype).topk(*arguments).indices.tolist() == expected


def test_topk_of_many_keeps_a_heap_of_few():
    row = torch.arange(200) % 3
    assert row.topk(3).indices.tolist() == [8, 5, 2]
    assert row.topk(2, largest=False).indices.tolist() == [3, 0]


@pytest.mark.parametrize(("k", "expected"), [(1, 8), (2, 17), (5, 7), (10, 9), (14, 4), (20, 0)])
def test_kthvalue_ends_at_the_element_that_torch_ends_at(k, expected):
    assert torch.tensor(ROW).kthvalue(k).indices.item() == expected
    assert torch.tensor([ROW, ROW]).T.kthvalue(k, 0).indices.tolist() == [expected, expected]


def test_mode_of_more_than_sixteen_stands_where_quicksort_left_it():
    assert torch.tensor(ROW).mode().indices.item() == 0
    assert torch.tensor(ROW[:16]).mode().indices.item() == 15


def test_weights_that_are_equal_are_pruned_as_in_torch():
    layer = torch.nn.Linear(3, 3)
    layer.weight.data.fill_(1.0)
    torch.nn.utils.prune.l1_unstructured(layer, "weight", 2)
    assert layer.weight_mask.tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]


@pytest.mark.parametrize("count", [1, 2, 3, 17, 60, 400])
@pytest.mark.parametrize("kinds", [1, 3, 50])
def test_native_code_takes_the_same_steps(count, kinds):
    random = np.random.RandomState(count * kinds)
    rows = [random.randint(0, kinds, count), np.minimum(np.arange(count), np.arange(count)[::-1])]
    for ranks in [each.astype(np.int64) for each in rows]:
        assert selecting.sorted_places(ranks).tolist() == in_python("sorted_places", ranks).tolist()
        for number in {0, count // 65, count // 2, count - 1}:
            assert selecting.place_of(ranks, number) == in_python("place_of", ranks, number)
            for is_sorted in (True, False):
                found = selecting.top_places(ranks, number + 1, is_sorted)
                assert found.tolist() == in_python("top_places", ranks, number + 1, is_sorted).tolist()
