"""Sizes, bounds and options at their limits: what is taken and what is refused."""

import pytest

import rushlight as torch


def test_two_numbers_are_divided_and_not_raised_to_a_power():
    assert torch.floor_divide(7, -2).item() == -4 and torch.floor_divide(7, -2).dtype is torch.int64
    assert torch.floor_divide(7.5, 2).item() == 3.0
    with pytest.raises(NotImplementedError, match="\"div_floor_cpu\" not implemented for 'Bool'"):
        torch.floor_divide(True, True)
    with pytest.raises(TypeError, match=r"^pow\(\) received an invalid combination of arguments"):
        torch.pow(1, 2)


@pytest.mark.parametrize("shape", [(0,), (0, 0, 0), (9, 0)])
def test_an_index_without_elements_scatters_nothing_whatever_its_dimensions(shape):
    x, index = torch.arange(6.0).view(2, 3), torch.empty(shape, dtype=torch.int64)
    assert torch.equal(x.scatter(0, index, x), x) and torch.equal(x.scatter(0, index, 2.0), x)
    assert torch.equal(x.scatter_add(0, index, x), x) and torch.equal(x.scatter_reduce(0, index, x, "sum"), x)
    assert x.gather(0, index).shape == shape


@pytest.mark.parametrize(
    ("shapes", "kind", "words"),
    [
        (((-1,),), ValueError, "Attempting to broadcast a dimension with negative length!"),
        (((1,), (-2,)), ValueError, "Attempting to broadcast a dimension with negative length!"),
        (((2,), -1), RuntimeError, "Attempting to broadcast a dimension of length -1 at -1!"),
        (((2, 3), (4,)), RuntimeError, "Attempting to broadcast a dimension of length 4 at -1!"),
    ],
)
def test_shapes_that_do_not_broadcast(shapes, kind, words):
    with pytest.raises(kind) as raised:
        torch.broadcast_shapes(*shapes)
    assert str(raised.value).startswith(words)


def test_shapes_that_broadcast():
    assert torch.broadcast_shapes((5, 1, 4), (3, 4), 1) == (5, 3, 4)
    assert torch.broadcast_shapes((0,), (1,)) == (0,) and torch.broadcast_shapes() == ()


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: torch.ones(2).resize_(-1), RuntimeError, "numel: integer multiplication overflow"),
        (lambda: torch.ones(2).resize_(2**62), RuntimeError, "Storage size calculation overflowed"),
        (lambda: torch.zeros(-1), RuntimeError, "zeros: Dimension size must be non-negative"),
        (lambda: torch.ones(2, -1), RuntimeError, "Trying to create tensor with negative dimension -1: [2, -1]"),
        (lambda: torch.rand(-1), RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
        (lambda: torch.empty(2**63), TypeError, "empty(): argument 'size' failed to unpack the object at pos 1"),
        (lambda: torch.ones([1] * 65).sum(0), RuntimeError, "only tensors with up to 64 dims are supported"),
        (lambda: torch.arange(0, 2**63), RuntimeError, "value cannot be converted to type int64_t without overflow"),
        (
            lambda: torch.trapezoid(torch.ones(2), torch.ones(2), dx=1.0),
            TypeError,
            "trapezoid() received an invalid combination of arguments",
        ),
        (
            lambda: torch.histogramdd(torch.ones(4, 2), [torch.ones(2)]),
            RuntimeError,
            "torch.histogramdd: expected 2 sequences of bin edges for a 2-dimensional histogram but got 1",
        ),
        (
            lambda: torch.histogramdd(torch.ones(4, 2), [torch.ones(1), torch.ones(2)]),
            RuntimeError,
            "torch.histogram(): bins must be > 0, but got 0 for dimension 0",
        ),
        (
            lambda: torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), 4, mode="lanczos", align_corners=True),
            ValueError,
            "Lanczos mode does not support align_corners=True",
        ),
        (
            lambda: torch.batch_norm_update_stats(torch.empty(0, 2), None, None, 0.1),
            RuntimeError,
            "input tensor must have at least one element, but got input_sizes = [0, 2]",
        ),
    ],
)
def test_sizes_and_bounds_that_are_refused(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_options_that_are_taken():
    image = torch.arange(4.0).view(1, 1, 2, 2)
    small = torch.nn.functional.interpolate(image, 1, mode="lanczos", antialias=True, align_corners=False)
    assert small.item() == pytest.approx(1.5)
    assert torch.trapezoid(torch.tensor([1, 2]), dx=2.5).item() == 3.75
    assert torch.trapezoid(torch.tensor([3.0])).item() == 0 and torch.cumulative_trapezoid(torch.ones(1)).shape == (0,)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_product_of_one_nan_is_nan(dtype):
    x = torch.tensor([float("nan")], dtype=dtype)
    assert x.prod().isnan() and x.prod(0).isnan()
    assert torch.tensor([[float("nan")], [1.0]], dtype=dtype).prod(1).isnan().tolist() == [True, False]


def test_a_number_is_added_to_by_position():
    one = torch.tensor(1.0)
    assert one.index_add(0, torch.tensor(0), torch.tensor(2.0)).item() == 3.0
    with pytest.raises(RuntimeError, match="source tensor shape must match self tensor shape"):
        one.index_add(0, torch.tensor([0]), torch.tensor([2.0]))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda x: torch.take_along_dim(x, torch.tensor([0]), 0),
            RuntimeError,
            "torch.take_along_dim(): input and indices should have the same number of dimensions",
        ),
        (
            lambda x: torch.take_along_dim(x, torch.zeros(2, 3), 0),
            RuntimeError,
            "torch.take_along_dim(): dtype of indices should be Long but got Float",
        ),
        (
            lambda x: torch.take_along_dim(x, torch.zeros(2, 3, dtype=torch.int64), 5),
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
        ),
        (lambda x: torch.nn.functional.embedding(torch.tensor([5]), x), IndexError, "index out of range in self"),
        (lambda x: torch.nn.functional.embedding(torch.tensor([-1]), x), IndexError, "index out of range in self"),
        (
            lambda x: torch.nn.functional.embedding(torch.tensor([0.0]), x),
            RuntimeError,
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got",
        ),
        (lambda x: torch.nn.functional.embedding(torch.tensor([0]), x[0]), RuntimeError, "'weight' must be 2-D"),
        (lambda x: torch.diff(x[0, 0]), RuntimeError, "diff expects input to be at least one-dimensional"),
        (lambda x: torch.diff(x, n=-1), RuntimeError, "order must be non-negative but got -1"),
        (
            lambda x: torch.tensordot(x, x, 1),
            RuntimeError,
            "contracted dimensions need to match, but first has size 3 in dim -1 and second has size 2 in dim 0",
        ),
        (lambda x: torch.tensordot(x, x.T, -1), RuntimeError, "tensordot expects dims >= 0, but got dims=-1"),
        (
            lambda x: torch.tensordot(x, x.T, ([1], [0, 1])),
            RuntimeError,
            "both dimension lists should have same length",
        ),
        (
            lambda x: torch.cat([x], out=torch.empty(2, dtype=torch.int64)),
            TypeError,
            "torch.cat(): input types can't be cast to the desired output type Long",
        ),
        (lambda x: x.take(torch.tensor([6])), IndexError, "out of range: tried to access index 6 on a tensor of 6"),
        (lambda x: x.index_select(0, torch.tensor([2])), IndexError, "index out of range in self"),
        (
            lambda x: x.index_select(1, torch.tensor([-1])),
            RuntimeError,
            "INDICES element is out of DATA bounds, id=-1 axis_dim=3",
        ),
        (lambda x: x[torch.tensor([-3])], IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
    ],
)
def test_errors_are_of_torchs_type(call, kind, words):
    with pytest.raises(kind) as raised:
        call(torch.ones(2, 3))
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x**300,
        lambda x: x.clamp(max=300),
        lambda x: x.fill_(300),
        lambda x: torch.where(x > 0, x, 300),
        lambda x: torch.full((2,), 300, dtype=x.dtype),
        lambda x: torch.tensor([300], dtype=x.dtype),
        lambda x: torch.tensor([256], dtype=x.dtype),
    ],
)
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_numbers_of_a_byte_are_not_cut(call, dtype):
    with pytest.raises(RuntimeError, match=r"value cannot be converted to type u?int8\w* without overflow"):
        call(torch.tensor([1], dtype=dtype))


def test_negative_numbers_wrap_around_in_unsigned_bytes():
    x = torch.tensor([1], dtype=torch.uint8)
    assert x.clamp(min=-1).tolist() == [255] and x.masked_fill(x > 0, -1).tolist() == [255]
    assert (x + -1).tolist() == [0] and x.fill_(-1).tolist() == [255]


def test_positions_beyond_what_holds_nothing_are_taken():
    x, five = torch.ones(3, 0), torch.tensor([5])
    assert x[five].shape == (1, 0) and x.gather(0, torch.full((1, 0), 5)).shape == (1, 0)
    assert x.index_fill(0, five, 1.0).shape == x.index_add(0, five, torch.ones(1, 0)).shape == (3, 0)
    assert x.index_copy(0, five, torch.ones(1, 0)).shape == (3, 0)
    with pytest.raises(RuntimeError, match="INDICES element is out of DATA bounds, id=5 axis_dim=3"):
        x.index_select(0, five)


@pytest.mark.parametrize("make", [torch.rand, torch.randn, lambda shape: torch.randint(0, 2, shape)])
def test_random_tensors_of_more_dimensions_than_there_are_move_no_stream(make):
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="only tensors with up to 64 dims"):
        make([1] * 65)
    after = torch.rand(1)
    torch.manual_seed(0)
    assert torch.rand(1) == after
