"""dim_order: the dimensions by their steps in memory, and whether another order would do."""

import pytest

import rushlight as torch


def test_the_order_is_that_of_the_strides():
    assert torch.zeros(2, 3).T.dim_order() == (1, 0)
    assert torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last).dim_order() == (0, 2, 3, 1)
    # what was expanded has no step, and stays where it is
    assert torch.zeros(2, 3).expand(4, 2, 3).dim_order() == (0, 1, 2)
    assert torch.zeros(2, 3).dim_order(ambiguity_check=True) == (0, 1)


def test_an_order_that_is_not_the_only_one_is_told():
    words = "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
    for x in (torch.zeros(1, 3, 1, 1), torch.zeros(2, 0)):
        with pytest.raises(RuntimeError, match=words):
            x.dim_order(ambiguity_check=True)
    both = [torch.contiguous_format, torch.channels_last]
    with pytest.raises(RuntimeError, match=words):
        torch.zeros(2, 3, 1, 1).dim_order(ambiguity_check=both)
    assert torch.zeros(2, 3, 1, 1).dim_order() == (0, 1, 2, 3)
    with pytest.raises(RuntimeError, match=r"The tensor does not have unique dim order. Its shape"):
        torch.zeros(3).expand(2, 3).dim_order(ambiguity_check=True)


@pytest.mark.parametrize("wrong", [3, "ILLEGAL", ["contiguous_format"], (torch.contiguous_format,)])
def test_the_check_is_a_bool_or_a_list_of_formats(wrong):
    with pytest.raises(TypeError, match=r"The ambiguity_check argument must be a bool or a list of memory formats."):
        torch.zeros(2, 3).dim_order(ambiguity_check=wrong)


def test_an_empty_tensor_is_channels_last_by_its_strides():
    assert not torch.zeros(2, 2, 0, 2).is_contiguous(memory_format=torch.channels_last)
    for shape, strides in (((2, 2, 0, 2), (0, 1, 4, 2)), ((2, 0, 3, 2), (0, 1, 0, 0)), ((0, 3, 3, 2), (18, 1, 6, 3))):
        for x in (
            torch.zeros(shape).to(memory_format=torch.channels_last),
            torch.empty(shape, memory_format=torch.channels_last),
        ):
            assert x.stride() == strides and x.is_contiguous(memory_format=torch.channels_last)
