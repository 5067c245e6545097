"""Precedence: of several things that are wrong with a write, the one that torch names."""

from __future__ import annotations

import pytest

import rushlight as torch

PLACES = "unsupported operation: more than one element of the written-to tensor"
SHARED = "unsupported operation: some elements of the input tensor and the written-to tensor"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation"
CAST = "result type {} can't be cast to the desired output type {}"


def expanded(dtype):
    return torch.ones(3, dtype=dtype).expand(3, 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: expanded(torch.int64).log1p_(), PLACES),
        (lambda: expanded(torch.float32).add_(torch.ones(2, 3, 3)), PLACES),
        (lambda: expanded(torch.float32).mul_(torch.ones(4)), PLACES),
        (lambda: expanded(torch.float64).add_(torch.tensor(1j)), PLACES),
        (lambda: expanded(torch.float32).bitwise_and_(torch.ones(3)), PLACES),
        (lambda: expanded(torch.float32).copy_(torch.ones(2, 3, 3)), PLACES),
    ],
)
def test_elements_with_a_place_in_common_come_before_shapes_and_dtypes(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_elements_with_a_place_in_common_come_before_operands_in_the_same_memory():
    x = torch.ones(3, 1).expand(3, 3)
    with pytest.raises(RuntimeError, match=PLACES):
        x.mul_(x.T)


@pytest.mark.parametrize("name", ["remainder_", "gcd_", "bitwise_xor_", "floor_divide_"])
def test_the_shape_of_the_target_comes_before_what_the_kernel_refuses(name):
    with pytest.raises(RuntimeError, match=r"output with shape \[\] doesn't match the broadcast shape \[1\]"):
        getattr(torch.tensor(1j), name)(torch.ones(1, dtype=torch.complex64))


@pytest.mark.parametrize("name", ["remainder_", "fmod_", "floor_divide_", "copysign_"])
def test_the_dtype_of_the_target_comes_before_what_the_kernel_refuses(name):
    with pytest.raises(RuntimeError, match=CAST.format("ComplexFloat", "Float")):
        getattr(torch.ones(2), name)(torch.ones(2, dtype=torch.complex64))


def test_shapes_come_before_dtypes_that_a_kernel_refuses():
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(4\)"):
        torch.ones(2, 3).atan2_(torch.ones(4, dtype=torch.complex64))
    with pytest.raises(NotImplementedError, match="\"atan2_cpu\" not implemented for 'ComplexFloat'"):
        torch.atan2(torch.ones(4), torch.ones(4, dtype=torch.complex64))


def test_some_functions_look_at_dtypes_before_anything_else():
    mask = torch.ones(2, dtype=torch.bool)
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with a bool tensor is not supported"):
        expanded(torch.float32).sub_(mask)
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors is not supported"):
        expanded(torch.bool).sub_(mask)
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor is not supported"):
        expanded(torch.bool).neg_()
    with pytest.raises(RuntimeError, match="expected dtype float for `end` but got dtype long int"):
        expanded(torch.float32).lerp_(torch.ones(4, dtype=torch.int64), 0.5)
    with pytest.raises(RuntimeError, match="heaviside is not yet implemented for tensors with different dtypes"):
        torch.ones(3).heaviside_(torch.ones(4, dtype=torch.int64))


def test_leaves_come_before_dtypes():
    with pytest.raises(RuntimeError, match=LEAF):
        torch.ones(2, dtype=torch.complex64, requires_grad=True).abs_()


def test_index_put_looks_at_the_kinds_of_its_arguments_first():
    leaf = torch.zeros(3, requires_grad=True)
    with pytest.raises(TypeError, match=r"argument 'values' .position 2. must be Tensor, not int"):
        leaf.index_put_((torch.tensor([0]),), 1)
    with pytest.raises(RuntimeError, match=LEAF):
        leaf.index_put_((torch.tensor([7]),), torch.tensor(1.0))


NARROW = torch.tensor([True, False])


@pytest.mark.parametrize("index", [(..., NARROW), torch.tensor([0.5])])
def test_what_is_written_to_comes_before_bad_indices(index):
    leaf = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match=LEAF):
        leaf[index] = 1.0
    part = (leaf * 1).unbind(0)[0]
    with pytest.raises(RuntimeError, match="Output 0 of Unbind"):
        part[index] = 1.0
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        x[index] = x[0]
    with pytest.raises(IndexError):
        x[index] = torch.ones(3)


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
def test_a_mask_of_bytes_comes_after_what_is_written_to():
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=LEAF):
        leaf[NARROW.byte()] = 1.0


def test_shapes_of_values_under_a_mask_come_before_their_dtype():
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[7\] cannot be broadcast"):
        torch.ones(2, 3)[NARROW] = torch.ones(7, dtype=torch.float64)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [(torch.float32, "torch.FloatTensor"), (torch.bool, "CPUBoolType"), (torch.complex64, "CPUComplex")],
)
def test_values_with_too_many_dimensions_are_named_by_their_kind(dtype, name):
    x = torch.ones(2, 3, dtype=dtype)
    with pytest.raises(RuntimeError) as raised:
        x[0] = x
    assert str(raised.value).startswith(f"expand({name}")


def test_expanded_elements_written_over_themselves_stay():
    x = torch.tensor([1.0, 2.0]).expand(2, 2)
    x.copy_(x.detach())
    x[...] = x
    x[:] = x[0]
    assert x.tolist() == [[1, 2], [1, 2]] and x._version == 3
    y = (torch.ones(2, requires_grad=True) * 2).expand(2, 2)
    y.copy_(y)
    assert y.grad_fn.name() == "AsStridedBackward0"
    with pytest.raises(RuntimeError, match=PLACES):
        x.copy_(x[0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.add(torch.ones(2, 3), torch.ones(4), out=expanded(torch.float32)), PLACES),
        (lambda: torch.div(torch.ones(3), 2, out=expanded(torch.int64)), PLACES),
        (
            lambda: torch.remainder(torch.ones(3), torch.ones(3) * 1j, out=torch.ones(3)),
            CAST.format("Complex", "Float"),
        ),
        (
            lambda: torch.maximum(torch.ones(3), torch.ones(4) * 1j, out=torch.ones(3)),
            "maximum not implemented for compl",
        ),
    ],
)
def test_out_is_looked_at_in_the_same_order(call, words):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value).startswith(words.partition("Complex can't")[0])


def test_the_shape_of_an_out_that_is_read_comes_before_its_dtype():
    powers = torch.tensor([2], dtype=torch.int32)
    with pytest.raises(RuntimeError, match=r"output with shape \[1\] doesn't match the broadcast shape \[2, 3\]"):
        torch.pow(torch.ones(2, 3), powers, out=powers)


def test_the_out_of_a_composed_function_is_no_operand():
    with pytest.raises(RuntimeError, match=r"functions with out=... arguments don't support automatic differentiation"):
        torch.square(torch.ones(2, 3, requires_grad=True), out=torch.ones(4))


def test_joining_looks_at_shared_memory_before_shared_places():
    out = torch.ones(3).expand(2, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.cat([out, out], out=out)


def test_a_leaf_comes_before_dimensions_that_t_does_not_take():
    with pytest.raises(RuntimeError, match=LEAF):
        torch.ones(2, 3, 4, requires_grad=True).t_()


def test_shared_memory_comes_before_shapes_in_index_put():
    x = torch.ones(4)
    with pytest.raises(RuntimeError, match=SHARED):
        x[2:].index_put_((torch.tensor([1]),), x.unsqueeze(-1))
    with pytest.raises(IndexError, match="too many indices"):
        x.index_put_((torch.tensor([1]), torch.tensor([1])), x.unsqueeze(-1))


def test_an_operand_that_lost_its_history_comes_before_dtypes():
    base = torch.ones(2, 3, requires_grad=True) * 1
    part = base.chunk(2, 1)[0].diagonal()
    with torch.no_grad():
        part.mul_(2)
    with pytest.raises(RuntimeError, match="Output 0 of Diagonal is a view and its base or another view of its base"):
        torch.ones(2, dtype=torch.bool).mul_(part)


def test_joining_nothing_looks_at_no_memory():
    x = torch.ones(0)
    assert torch.cat([x, x], out=x).shape == (0,)
    assert torch.stack([x, x], out=x).shape == (2, 0)
    y = torch.ones(0, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.cat([y, y], out=y)


def test_bounds_and_bools_are_looked_at_before_memory():
    mask = torch.ones(1, dtype=torch.bool)
    with pytest.raises(RuntimeError, match=CAST.format("Float", "Bool")):
        mask.expand(2).clamp_(-0.25)
    with pytest.raises(RuntimeError, match="Subtraction, the `-` operator, with two bool tensors"):
        mask.sub_(mask[None])


@pytest.mark.parametrize("name", ["scatter_", "scatter_add_", "index_copy_", "index_add_"])
def test_dimensions_are_looked_at_before_the_places_of_elements(name):
    x, index = torch.ones(1).expand(2), torch.zeros(2, dtype=torch.int64)
    with pytest.raises(IndexError, match="Dimension out of range"):
        getattr(x, name)(1, index, torch.ones(2))
    with pytest.raises(RuntimeError, match=PLACES):
        getattr(x, name)(0, index, torch.ones(2))


def test_joined_tensors_are_compared_before_the_memory_of_out():
    x, y = torch.tensor(1.0), torch.ones(2)
    with pytest.raises(RuntimeError, match=r"zero-dimensional tensor \(at position 0\) cannot be concatenated"):
        torch.cat([x, x], out=x)
    with pytest.raises(RuntimeError, match="Tensors must have same number of dimensions"):
        torch.cat([y, torch.ones(2, 2)], out=y)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.stack([y, y], 7, out=y)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.cat([y, y], out=y)


def test_extremes_compare_the_dtype_of_out_before_they_look_at_dimensions():
    out = torch.ones(3, dtype=torch.float64)
    for x in (torch.ones(3, dtype=torch.uint8), torch.ones(3, dtype=torch.complex64)):
        with pytest.raises(RuntimeError, match="Expected the dtype for input and out to match"):
            torch.amax(x, 1, out=out)
    with pytest.raises(RuntimeError, match="all only supports bool tensor for result, got: Double"):
        torch.all(torch.ones(3), 1, out=out)


def test_pools_of_negative_sizes_are_refused_as_those_of_planes():
    x = torch.ones(2, 3, 4)
    with pytest.raises(RuntimeError, match=r"Trying to create tensor with negative dimension -1: \[2, 3, 1, -1\]"):
        torch.nn.functional.adaptive_max_pool1d(x, -1)
    with pytest.raises(RuntimeError, match="adaptive_avg_pool2d: elements of output_size must be greater"):
        torch.nn.functional.adaptive_avg_pool1d(x, -1)


def test_the_shape_of_a_mask_comes_after_leaves_and_for_one_number_before_shared_memory():
    x, leaf = torch.arange(4.0), torch.ones(4, requires_grad=True)
    for index in ([True, False], ([True, False],)):
        with pytest.raises(IndexError, match="The shape of the mask"):
            x[index] = x[0]
        with pytest.raises(RuntimeError, match=SHARED):
            x[index] = x[:2]
        with pytest.raises(RuntimeError, match=LEAF):
            leaf[index] = 1.0


def test_a_nansum_in_a_complex_dtype_refuses_its_dimension_first():
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.nansum(torch.ones(2, 3), 2, dtype=torch.complex64)
    with pytest.raises(NotImplementedError, match='"nansum_cpu" not implemented'):
        torch.nansum(torch.ones(2, 3), 1, dtype=torch.complex64)
