"""Printing of tensors: every expected text is what torch 2.13.0 prints."""

import numpy as np
import pytest

from rushlight.core.object import printing
from rushlight.core.object.printing import (
    format_tensor,
    get_printoptions,
    printoptions,
    repr_tensor,
    set_printoptions,
)

nan, inf = float("nan"), float("inf")


class FakeNode:
    def __init__(self, name):
        self.name = lambda: name


class FakeTensor:
    """The few attributes that printing asks for."""

    def __init__(self, values, dtype="float32", requires_grad=False, made_by=None):
        self._array = np.asarray(values, dtype)
        self.dtype = f"torch.{self._array.dtype.name}"
        self.requires_grad = requires_grad or made_by is not None
        self.grad_fn = None if made_by is None else FakeNode(made_by)


class ViewWithoutHistory(FakeTensor):
    def __init__(self, values):
        self._array = np.asarray(values, "float32")
        self.dtype = "torch.float32"
        self.requires_grad = True

    @property
    def grad_fn(self):
        raise RuntimeError("its base was changed")


def text(values, dtype="float32", **about):
    return repr_tensor(FakeTensor(values, dtype, **about))


@pytest.fixture(autouse=True)
def default_options():
    set_printoptions(profile="default")
    yield
    set_printoptions(profile="default")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (1, "tensor(1.)"),
        (3.5, "tensor(3.5000)"),
        ([1, 2], "tensor([1., 2.])"),
        ([1, 1000], "tensor([   1., 1000.])"),
        ([1, 1001], "tensor([1.0000e+00, 1.0010e+03])"),
        ([[1, 1e10]], "tensor([[1.0000e+00, 1.0000e+10]])"),
        ([1e8], "tensor([100000000.])"),
        ([1e-5, 1], "tensor([1.0000e-05, 1.0000e+00])"),
        ([0.5, 500], "tensor([  0.5000, 500.0000])"),
        ([0.5, 500.5], "tensor([5.0000e-01, 5.0050e+02])"),
        ([-0.25, 12], "tensor([-0.2500, 12.0000])"),
    ],
)
def test_floats_choose_their_notation_together(values, expected):
    assert text(values) == expected


def test_non_finite_numbers_and_zeros_do_not_widen_a_column():
    assert text([0.0, -0.0, nan, inf, -inf]) == "tensor([0., -0., nan, inf, -inf])"
    assert text([1.5, nan, -inf, -0.0]) == "tensor([1.5000,    nan,   -inf, -0.0000])"


def test_the_range_of_float64_prints_without_a_warning():
    expected = "tensor([4.9407e-324, 1.0000e+308], dtype=torch.float64)"
    assert text([5e-324, 1e308], "float64") == expected


def test_integers_and_booleans_are_aligned():
    assert text(7, "int64") == "tensor(7)"
    assert text([-5, 100, 7], "int64") == "tensor([ -5, 100,   7])"
    assert text([True, False], "bool") == "tensor([ True, False])"
    assert text([2**64 - 1], "uint64") == "tensor([18446744073709551615], dtype=torch.uint64)"


def test_complex_parts_have_each_their_own_notation():
    assert text([1 + 2j, -1.5 - 20j], "complex64") == "tensor([ 1.0000+2.j, -1.5000-20.j])"
    assert text([complex(nan, 0), complex(1, -0.0)], "complex64") == "tensor([nan+0.j, 1.-0.j])"
    assert text(1 - 0.5j, "complex128") == "tensor(1.-0.5000j, dtype=torch.complex128)"


def test_half_precision_names_its_dtype():
    assert text(2.5, "float16") == "tensor(2.5000, dtype=torch.float16)"
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    assert text([0.1, 2], bfloat16) == "tensor([0.1001, 2.0000], dtype=torch.bfloat16)"


def test_dtype_is_named_unless_the_values_tell_it():
    assert text([1, 2], "int8") == "tensor([1, 2], dtype=torch.int8)"
    assert text([1], "float64") == "tensor([1.], dtype=torch.float64)"


def test_default_dtype_decides_which_floats_and_complex_numbers_go_unnamed():
    def under_float64(values, dtype):
        return repr_tensor(FakeTensor(values, dtype), default_dtype="torch.float64")

    assert under_float64([1], "float64") == "tensor([1.])"
    assert under_float64([1], "float32") == "tensor([1.], dtype=torch.float32)"
    assert under_float64([1j], "complex128") == "tensor([0.+1.j])"
    assert under_float64([1j], "complex64") == "tensor([0.+1.j], dtype=torch.complex64)"
    assert repr_tensor(FakeTensor([1j], "complex64"), "torch.float16") == "tensor([0.+1.j])"


def test_empty_tensors_tell_their_shape_and_dtype():
    assert text([]) == "tensor([])"
    assert text([], "float64") == "tensor([], dtype=torch.float64)"
    assert text([], "int64") == "tensor([], dtype=torch.int64)"
    assert text(np.empty((0, 3))) == "tensor([], size=(0, 3))"
    expected = "tensor([], size=(2, 0), dtype=torch.float64, requires_grad=True)"
    assert text(np.empty((2, 0)), "float64", requires_grad=True) == expected


def test_history_is_named_and_stands_for_requires_grad():
    assert text([1, 2], requires_grad=True) == "tensor([1., 2.], requires_grad=True)"
    assert text(3.5, made_by="MulBackward0") == "tensor(3.5000, grad_fn=<MulBackward0>)"
    assert text([1.0], made_by="torch::autograd::CopySlices") == "tensor([1.], grad_fn=<CopySlices>)"
    assert repr_tensor(ViewWithoutHistory([2, 2])) == "tensor([2., 2.], grad_fn=<Invalid>)"


def test_subclasses_print_under_their_own_name():
    expected = "Weights([[1, 2],\n         [3, 4]])"
    assert repr_tensor(FakeTensor([[1, 2], [3, 4]], "int64"), prefix="Weights(") == expected


def test_long_rows_wrap_at_the_line_width():
    assert text(range(30), "int64") == (
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])"
    )


def test_a_suffix_that_does_not_fit_starts_a_line():
    assert text(np.ones(9), "float64", made_by="MulBackward0") == (
        "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=torch.float64,\n       grad_fn=<MulBackward0>)"
    )
    row = "1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1., 1."
    assert text(np.ones(18), requires_grad=True) == f"tensor([{row}],\n       requires_grad=True)"
    assert text(np.ones(19), requires_grad=True) == f"tensor([{row},\n        1.], requires_grad=True)"


def test_blank_lines_separate_blocks_of_two_dims_or_more():
    cube = np.arange(8).reshape(2, 2, 2)
    assert text(cube, "int64") == ("tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])")
    assert text(cube.reshape(2, 2, 1, 2), "int64") == (
        "tensor([[[[0, 1]],\n\n         [[2, 3]]],\n\n\n        [[[4, 5]],\n\n         [[6, 7]]]])"
    )


def test_more_than_a_thousand_elements_are_summarised():
    assert " ..." not in text(range(1000), "int64")
    assert text(range(1001), "int64") == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"
    row = "[0., 0., 0.,  ..., 0., 0., 0.]"
    rows = ",\n        ".join([row, row, row, "...", row, row, row])
    assert text(np.zeros((40, 40))) == f"tensor([{rows}])"


def test_elements_left_out_of_a_summary_do_not_choose_the_notation():
    values = np.ones(2000)
    values[1000] = 1e-20
    assert text(values) == "tensor([1., 1., 1.,  ..., 1., 1., 1.])"


def test_no_edge_items_leaves_dots_and_the_shape():
    set_printoptions(threshold=4, edgeitems=0)
    assert text(range(10), "int64") == "tensor([...], size=(10,))"
    assert text(np.ones((3, 4)), "float64") == "tensor([...], size=(3, 4), dtype=torch.float64)"
    assert text([1, 2]) == "tensor([1., 2.], size=(2,))"


def test_profiles_are_those_of_torch():
    default = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    assert get_printoptions() == default
    set_printoptions(profile="short")
    assert get_printoptions() == {**default, "precision": 2, "edgeitems": 2}
    set_printoptions(profile="full", linewidth=120)
    assert get_printoptions() == {**default, "threshold": inf, "linewidth": 120}
    set_printoptions(profile="unheard of")
    assert get_printoptions() == {**default, "threshold": inf, "linewidth": 120}


def test_options_left_out_stay_but_sci_mode_returns_to_automatic():
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(linewidth=60)
    options = get_printoptions()
    assert (options["precision"], options["linewidth"], options["sci_mode"]) == (2, 60, None)


def test_sci_mode_can_be_forced_either_way():
    set_printoptions(sci_mode=True)
    assert text([1, -2]) == "tensor([ 1.0000e+00, -2.0000e+00])"
    assert text([0.0, nan]) == "tensor([0., nan])"
    set_printoptions(sci_mode=False)
    assert text([1e10, 1]) == "tensor([10000000000.,           1.])"


def test_precision_counts_the_digits_after_the_point():
    set_printoptions(precision=2)
    assert text([1.12345]) == "tensor([1.12])"
    set_printoptions(precision=0)
    assert text([1.5, 20]) == "tensor([ 2, 20])"


def test_printoptions_are_set_back_after_the_block_even_when_it_fails():
    set_printoptions(linewidth=100)
    before = get_printoptions()
    with printoptions(profile="short", sci_mode=True):
        assert text([1.5]) == "tensor([1.50e+00])"
    assert get_printoptions() == before
    with pytest.raises(ZeroDivisionError), printoptions(precision=1):
        _ = 1 / 0
    assert get_printoptions() == before


def test_format_tensor_takes_any_layout_of_memory():
    array = np.arange(6.0).reshape(2, 3)
    assert format_tensor(array.T[::-1]) == "tensor([[2., 5.],\n        [1., 4.],\n        [0., 3.]])"
    assert format_tensor(np.array([1.5], ">f4")) == "tensor([1.5000])"


def test_public_names_exist():
    assert all(callable(getattr(printing, name)) for name in printing.__all__)


def test_an_expanded_number_is_summarised_without_being_copied():
    assert text(np.broadcast_to(np.float32(0), 10**12)) == "tensor([0., 0., 0.,  ..., 0., 0., 0.])"
