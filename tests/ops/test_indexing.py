"""Indexing against NumPy's own semantics, where torch's are the same, and clean refusals of bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import rushlight as torch

SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)


def counted(shape):
    """An array that holds a different number everywhere."""
    return np.arange(1.0, np.prod(shape) + 1).reshape(shape)


def forward(index):
    """Whether torch takes the index: its steps are positive."""
    items = index if isinstance(index, tuple) else (index,)
    return all(not isinstance(each, slice) or each.step is None or each.step > 0 for each in items)


@st.composite
def basic(draw):
    array = counted(draw(SHAPES))
    index = draw(hnp.basic_indices(array.shape, allow_newaxis=True, allow_ellipsis=True).filter(forward))
    return array, index


@st.composite
def with_positions(draw):
    """Tensors of positions side by side, slices around them: there NumPy and torch place the result alike."""
    array = counted(draw(SHAPES))
    first = draw(st.integers(0, array.ndim - 1))
    count = draw(st.integers(1, array.ndim - first))
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=3))
    positions = [draw(hnp.arrays("int64", shape, elements=st.integers(-n, n - 1))) for n in array.shape]
    index = (slice(None),) * first + tuple(positions[first : first + count])
    return array, index


@st.composite
def with_mask(draw):
    array = counted(draw(SHAPES))
    reach = draw(st.integers(1, array.ndim))
    return array, draw(hnp.arrays("bool", array.shape[:reach]))


def as_index(index):
    """The index as users write it: arrays as tensors."""
    if isinstance(index, tuple):
        return tuple(as_index(each) for each in index)
    return torch.from_numpy(index.copy()) if isinstance(index, np.ndarray) else index


EXPRESSIONS = st.one_of(basic(), with_positions(), with_mask())


@given(EXPRESSIONS)
def test_reading_gives_what_numpy_gives(drawn):
    array, index = drawn
    for given_index in (as_index(index), index):
        part = torch.from_numpy(array)[given_index]
        assert isinstance(part, torch.Tensor)
        np.testing.assert_array_equal(part.numpy(), array[index])


@given(basic())
def test_a_basic_index_gives_a_view(drawn):
    array, index = drawn
    input = torch.from_numpy(array)
    part = input[index]
    assert part._is_view() and part._base is input
    part.fill_(-1)
    np.testing.assert_array_equal(array[index], np.full_like(array[index], -1))


@given(EXPRESSIONS)
def test_assignment_writes_what_numpy_writes(drawn):
    array, index = drawn
    input, expected = torch.from_numpy(array.copy()), array.copy()
    input[as_index(index)] = -1.5
    expected[index] = -1.5
    np.testing.assert_array_equal(input.numpy(), expected)
    value = array[index] * 2
    input[as_index(index)] = torch.tensor(value)
    expected[index] = value
    np.testing.assert_array_equal(input.numpy(), expected)


@given(EXPRESSIONS)
def test_the_gradient_counts_how_often_an_element_was_read(drawn):
    array, index = drawn
    input = torch.from_numpy(array).requires_grad_()
    part = input[as_index(index)]
    (grad,) = torch.autograd.grad((part**2).sum(), input, create_graph=True)
    times = np.zeros_like(array)
    np.add.at(times, index, 1)
    np.testing.assert_allclose(grad.detach().numpy(), 2 * array * times)
    (second,) = torch.autograd.grad(grad.sum(), input)
    np.testing.assert_allclose(second.numpy(), 2 * times)


@given(EXPRESSIONS)
def test_assignment_cuts_the_old_gradient_and_passes_on_the_new(drawn):
    array, index = drawn
    input = torch.from_numpy(array).requires_grad_()
    number = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    target = input * 1
    target[as_index(index)] = number
    old, new = torch.autograd.grad(target.sum(), (input, number))
    kept = np.ones_like(array)
    kept[index] = 0
    np.testing.assert_array_equal(old.numpy(), kept)
    assert new.item() == array[index].size


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.just(...),
    st.slices(5),
    st.builds(slice, st.floats(), st.none() | st.text()),
    st.lists(st.none() | st.integers(-9, 9) | st.floats() | st.booleans(), max_size=3),
    st.lists(st.lists(st.integers(-2, 2) | st.text(max_size=1), max_size=2), max_size=2),
    hnp.arrays(st.sampled_from(["int64", "int8", "uint8", "bool", "float64", "complex64"]), (2,)),
    hnp.arrays("object", (1,), elements=st.none()),
    st.sampled_from([np.float64(1), np.int8(1), np.bool_(True), {}, {1}, object(), int, torch.float32]),
    st.builds(torch.tensor, st.integers(-9, 9) | st.floats() | st.booleans()),
    st.builds(torch.tensor, st.lists(st.floats(), max_size=3)),
)
REFUSALS = (IndexError, TypeError, ValueError, RuntimeError, OverflowError)


@settings(max_examples=400)
@given(SHAPES, ANYTHING | st.tuples(ANYTHING, ANYTHING) | st.tuples(ANYTHING, ANYTHING, ANYTHING), ANYTHING)
@pytest.mark.filterwarnings("ignore")
def test_any_index_and_any_value_gives_a_tensor_or_a_clear_refusal(shape, index, value):
    array = counted(shape)
    input = torch.from_numpy(array)
    try:
        part = input[index]
    except REFUSALS as error:
        assert str(error)
    else:
        assert isinstance(part, torch.Tensor)
        assert set(part.numpy().ravel()) <= set(array.ravel())
    before = array.copy()
    try:
        input[index] = value
    except REFUSALS as error:
        assert str(error)
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    ("index", "error", "words"),
    [
        (3, IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        (-4, IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
        ((0, 4), IndexError, "index 4 is out of bounds for dimension 1 with size 4"),
        ([0, 3], IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        (slice(0.5, None), TypeError, "slice indices must be integers"),
        (2**70, ValueError, "Overflow when unpacking long long"),
        (1.0, IndexError, "only integers, slices"),
        (float("nan"), IndexError, "only integers, slices"),
        ("a", TypeError, "new..: invalid data type 'str'"),
        ([True, False], IndexError, r"The shape of the mask \[2\] at index 0"),
        (([0, 1], [0, 1, 2]), IndexError, r"shape mismatch: indexing tensors .* with shapes \[2\], \[3\]"),
        ((..., 0, ..., None), IndexError, "single ellipsis"),
    ],
)
def test_the_refusal_of_an_index_is_in_torchs_words(index, error, words):
    input = torch.zeros(3, 4)
    with pytest.raises(error, match=words):
        input[index]
    with pytest.raises(error, match=words):
        input[index] = 1
    assert input._version == 0


def test_float_tensors_are_no_indices():
    with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool tensors"):
        torch.zeros(3)[torch.tensor([0.0])]


def test_a_number_has_no_parts():
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1.0)[0]
    with pytest.raises(IndexError, match=r"slice\(\) cannot be applied to a 0-dim tensor"):
        torch.tensor(1.0)[:]
    with pytest.raises(IndexError, match="too many indices"):
        torch.tensor(1.0)[[0]]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ([1.0], TypeError, "can't assign a list to a torch.LongTensor"),
        (np.ones(1), TypeError, "can't assign a numpy.ndarray to a torch.LongTensor"),
        (None, TypeError, "can't assign a NoneType"),
        (float("nan"), RuntimeError, "value cannot be converted to type int64"),
        (1j, RuntimeError, "value cannot be converted to type int64"),
        (2**70, ValueError, "Overflow when unpacking long long"),
        (torch.ones(5), RuntimeError, "The expanded size of the tensor"),
        (torch.ones(2, 2, 4), RuntimeError, "expand"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(value, error, words):
    target = torch.zeros(2, 3, 4, dtype=torch.int64)
    with pytest.raises(error, match=words):
        target[0] = value
    assert target.sum() == 0


def test_positions_want_values_of_their_shape_and_dtype():
    target = torch.zeros(3, 4)
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[3\] cannot be broadcast"):
        target[[0, 1]] = torch.ones(3)
    with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match"):
        target[[0, 1]] = torch.ones(4, dtype=torch.float64)


def test_items_cannot_be_deleted():
    with pytest.raises(TypeError, match="does not support deleting items"):
        del torch.zeros(3)[0]


def test_a_list_of_lists_is_taken_for_a_tuple_with_a_warning():
    with pytest.warns(UserWarning, match="non-tuple sequence"):
        assert torch.zeros(3, 4)[[[0, 1], [1, 2]]].shape == (2,)
    with pytest.warns(UserWarning, match=r"torch.uint8 is now deprecated"):
        assert torch.zeros(3)[torch.tensor([1, 0, 1], dtype=torch.uint8)].shape == (2,)


def test_an_index_that_changes_before_backward_is_noticed():
    input, index = torch.ones(3, requires_grad=True), torch.tensor([0, 1])
    part = input[index]
    index += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        part.sum().backward()


def test_a_bound_that_changes_before_backward_does_no_harm():
    input, start = torch.ones(3, requires_grad=True), torch.tensor(1)
    part = input[start:]
    start += 1
    part.sum().backward()
    assert input.grad.tolist() == [0, 1, 1]


def test_writing_to_a_leaf_that_requires_grad_is_refused():
    leaf = torch.ones(3, requires_grad=True)
    for index in (0, [0], torch.tensor([True, False, False])):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            leaf[index] = 1.0
    with torch.no_grad():
        leaf[0] = 5.0
    assert leaf[0].item() == 5


def test_positions_may_not_lie_in_the_memory_that_is_written():
    target = torch.tensor([2, 0, 1])
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        target[target] = torch.arange(3)
    assert target.tolist() == [2, 0, 1]


def test_an_embedding_row_looked_up_twice_shares_its_gradient_by_frequency():
    table = torch.ones(3, 2, requires_grad=True)
    found = torch.nn.functional.embedding(torch.tensor([0, 0, 1]), table, scale_grad_by_freq=True)
    found.sum().backward()
    assert table.grad.tolist() == [[1, 1], [1, 1], [0, 0]]


def test_an_embedding_with_max_norm_shortens_the_rows_it_reads():
    table = torch.full((3, 4), 2.0)
    found = torch.nn.functional.embedding(torch.tensor([1]), table, max_norm=1.0)
    assert abs(found.norm().item() - 1) < 1e-5
    assert table[0].tolist() == [2, 2, 2, 2] and table._version == 1


def test_sparse_embeddings_say_that_their_gradient_is_dense():
    with pytest.warns(UserWarning, match="sparse gradients are not in Rushlight"):
        torch.nn.functional.embedding(torch.tensor([1]), torch.ones(3, 2), sparse=True)


def test_an_inference_tensor_is_not_written_to_outside_inference_mode():
    with torch.inference_mode():
        target = torch.ones(3) * 2
    for index in (0, [0]):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
            target[index] = 1.0


def test_a_number_over_a_number_is_a_copy():
    x = torch.tensor(1.0, requires_grad=True) * 2
    x[...] = 3.0
    assert x.grad_fn.name() == "torch::autograd::CopyBackwards"
    y = torch.tensor([1.0], requires_grad=True) * 2
    y[...] = 3.0
    assert y.grad_fn.name().startswith("FillBackward")


@pytest.mark.parametrize("index", [0, None, (slice(-2, None), 0)])
def test_one_element_assigned_to_itself_in_another_shape_is_refused(index):
    x = torch.ones(1, 1)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        x[index] = x
    x[0, 0] = x  # both have no dimensions then


def test_a_mask_reads_the_one_element_it_writes_first():
    x = torch.ones(1, requires_grad=True) * 3
    x[x > 0] = x
    assert x.tolist() == [3.0]


def test_an_index_of_a_number_is_refused_before_the_overlap():
    x = torch.tensor(1.0)
    with pytest.raises(IndexError, match="slice\\(\\) cannot be applied to a 0-dim tensor"):
        x[:] = x


def test_assignments_to_empty_dimensions_look_at_shapes_before_dtypes():
    x, none = torch.zeros((0, 3), dtype=torch.uint8), torch.tensor([], dtype=torch.int64)
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[2, 2\] cannot be broadcast to .* \[0, 3\]"):
        x[none] = torch.ones(2, 2)
    with pytest.raises(IndexError, match=r"indexing tensors could not be broadcast together with shapes \[2\], \[0\]"):
        x[torch.tensor([0, 1]), none] = torch.ones(2)
    for write in (lambda index: x[index], lambda index: x.__setitem__(index, 1)):
        with pytest.raises(
            IndexError, match=r"indexing tensors could not be broadcast together with shapes \[2\], \[3\]"
        ):
            write((torch.tensor([0, 1]), torch.tensor([0, 1, 2])))


def test_positions_of_empty_parts_are_not_looked_at():
    x, place = torch.zeros(0, 0), torch.tensor([5])
    assert x.index_fill(0, place, 1).shape == (0, 0)
    assert x.index_copy(1, place, torch.zeros(0, 1)).shape == (0, 0)
    with pytest.raises(IndexError, match="out of bounds"):
        torch.zeros(0, 2).index_fill(0, place, 1)


def test_the_gradient_of_a_slice_that_names_everything_is_written_out():
    x = torch.ones(2, 3, requires_grad=True)
    for index in ((slice(-2, None), ...), (..., slice(-3, None)), (slice(-2, None), slice(None)), slice(0, 2)):
        (grad,) = torch.autograd.grad(x[index].sum(), x)
        assert grad.stride() == (3, 1), index
    (grad,) = torch.autograd.grad(x[:, ...].sum(), x)
    assert grad.stride() == (0, 0)


@pytest.mark.parametrize("number", [-1, 1])
def test_a_position_in_a_number_is_refused_before_its_history_is_looked_at(number):
    part = torch.ones(2, requires_grad=True).mul(1).unbind(0)[0]
    for target in (part, torch.zeros((), requires_grad=True)):
        with pytest.raises(IndexError, match=f"index {number} is out of bounds for dimension 0 with size 0"):
            target[number] = 0
