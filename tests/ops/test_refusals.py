"""What torch refuses and what it takes, function by function."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F

nan, inf = float("nan"), float("inf")


def reduced(x, reduce, **options):
    """Its first row, into which the same row is reduced."""
    return x.index_reduce(0, torch.tensor([0]), x[:1], reduce, **options)


def signs(x):
    return np.signbit(x.numpy()).tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_a_zero_remainder_has_the_sign_of_what_is_divided(dtype):
    x = torch.tensor([-4.0, 4.0, 0.0, -0.0], dtype=dtype)
    y = torch.tensor([2.0, -2.0, -2.0, 2.0], dtype=dtype)
    assert signs(torch.remainder(x, y)) == [True, False, False, True]
    assert signs(x % -2.0) == [True, False, False, True]
    assert (torch.tensor([-3.0, 3.0, 5.5], dtype=dtype) % torch.tensor([2.0, -2.0, inf], dtype=dtype)).tolist() == [
        1.0,
        -1.0,
        5.5,
    ]


def test_nothing_may_be_divided_by_zero():
    empty = torch.tensor([], dtype=torch.int64)
    for found in (empty % 0, empty // 0, torch.fmod(empty, 0)):
        assert found.tolist() == [] and found.dtype is torch.int64
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        torch.tensor([1]) % 0


def test_nansum_into_integers_leaves_nan_out_first():
    assert torch.nansum(torch.tensor([1.5, nan, 2.5]), dtype=torch.int64).item() == 3
    assert torch.nansum(torch.tensor([1.5, nan]), 0, dtype=torch.int32).item() == 1


def test_softmax_of_no_integers_is_empty():
    empty = torch.tensor([], dtype=torch.int64)
    assert torch.softmax(empty, 0).dtype is torch.int64 and torch.log_softmax(empty, 0).tolist() == []


def test_integrals_of_few_points():
    assert torch.cumulative_trapezoid(torch.ones(0)).tolist() == []
    assert torch.cumulative_trapezoid(torch.ones(1)).tolist() == []
    assert torch.trapezoid(torch.ones(1)).item() == 0.0
    assert torch.trapezoid(torch.ones(2), torch.tensor(1.0)).item() == 0.0
    for function in (torch.trapezoid, torch.cumulative_trapezoid):
        with pytest.raises(RuntimeError, match=r"The size of tensor a \(2\) must match the size of tensor b \(3\)"):
            function(torch.ones(3), torch.arange(6.0).view(2, 3))


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: torch.unique(torch.tensor(3), dim=0), IndexError, "Dimension specified as 0 but tensor has no dim"),
        (lambda: torch.unique_consecutive(torch.tensor(3), dim=0), IndexError, "Dimension specified as 0 but tensor"),
        (
            lambda: torch.diff(torch.ones(3), dim=2),
            IndexError,
            "Dimension out of range (expected to be in range of [-1",
        ),
        (lambda: torch.diff(torch.ones(3), prepend=torch.ones(2, 2)), RuntimeError, "diff expects prepend or append"),
        (lambda: torch.diff(torch.ones(2, 3), append=torch.ones(3, 1)), RuntimeError, "diff expects the shape of tens"),
        (lambda: torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), ([5], [0])), IndexError, "Dimension out of range"),
        (
            lambda: torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), "a"),
            RuntimeError,
            "tensordot expects dims to be",
        ),
        (
            lambda: torch.broadcast_shapes((2, -1), (3,)),
            ValueError,
            "Attempting to broadcast a dimension with negative",
        ),
        (
            lambda: torch.broadcast_shapes((2.5,)),
            TypeError,
            "torch.Size() takes an iterable of 'int' (item 0 is 'float')",
        ),
        (
            lambda: torch.broadcast_shapes(2.5),
            RuntimeError,
            "Input shapes should be of type ints, a tuple of ints, or a ",
        ),
        (
            lambda: torch.ones(2).narrow_copy(3, 0, 0),
            RuntimeError,
            "Expected dim < static_cast<int64_t>(self_sizes.size",
        ),
        (lambda: torch.ones(2).narrow_copy(-3, 0, 0), IndexError, "Dimension out of range"),
        (
            lambda: torch.istft(torch.ones(4, dtype=torch.complex64), 4),
            IndexError,
            "Dimension out of range (expected t",
        ),
        (lambda: torch.ones(2).resize_(), TypeError, 'resize_() missing 1 required positional arguments: "size"'),
        (lambda: torch.tensor(1.0).reshape(), TypeError, 'reshape() missing 1 required positional arguments: "shape"'),
        (lambda: torch.tensor(1.0).tile(), TypeError, 'tile() missing 1 required positional arguments: "dims"'),
        (lambda: torch.tensor(1.0).sum_to_size(), TypeError, "sum_to_size() missing 1 required positional arguments"),
        (lambda: torch.nan_to_num(torch.ones(2), nan="a"), TypeError, "nan_to_num(): argument 'nan' must be float"),
        (lambda: torch.ones(2).requires_grad_(1), TypeError, "requires_grad_(): argument 'requires_grad' (position 1)"),
        (lambda: setattr(torch.ones(2), "requires_grad", 1), RuntimeError, "requires_grad must be a bool"),
        (lambda: torch.ones(2, requires_grad=1), TypeError, "ones(): argument 'requires_grad' must be bool, not int"),
        (lambda: torch.empty(2, pin_memory=1), TypeError, "empty(): argument 'pin_memory' must be bool, not int"),
        (lambda: torch.asarray([1.0], copy=1), TypeError, "asarray(): argument 'copy' must be bool, not int"),
        (lambda: torch.Size([1]).__add__([2]), TypeError, "can only concatenate tuple (not list) to torch.Size"),
        (lambda: torch.Size([1]) * 2.0, TypeError, "can't multiply sequence by non-int of type 'float'"),
        (lambda: torch.linalg._powsum(torch.tensor([3])), NotImplementedError, '"powsum_cpu" not implemented for \'Lo'),
        (lambda: torch.backends.opt_einsum.set_flags(True), ValueError, "opt_einsum is not available"),
        (lambda: torch.backends.opt_einsum.set_flags(None, "greedy"), ValueError, "opt_einsum is not available"),
    ],
)
def test_refused_in_torchs_words(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_lists_do_not_take_a_size():
    with pytest.raises(TypeError, match="can only concatenate list"):
        [2] + torch.Size([1])  # noqa: RUF005  (what is tested)


def test_method_only_names_are_no_functions():
    for name in ("view", "expand", "repeat", "add_", "masked_fill_", "scatter_"):
        assert not hasattr(torch, name) and hasattr(torch.Tensor, name)
    assert not hasattr(torch.special, "erf_")
    assert torch.ops.aten.view.default(torch.ones(4), (2, 2)).shape == (2, 2)


def test_weak_references_need_no_mending():
    assert torch.ones(2)._fix_weakref() is None


def test_sums_of_powers():
    x = torch.tensor([[3.0, -4.0]])
    assert torch.linalg._powsum(x).item() == 25.0
    assert torch.linalg._powsum(x, 3, 1, True).tolist() == [[91.0]]
    out = torch.empty(())
    assert torch.linalg._powsum(x, out=out) is out and out.item() == 25.0


def test_switches_of_opt_einsum():
    assert torch.backends.opt_einsum.set_flags() == (False, None)
    with torch.backends.opt_einsum.flags(False):
        assert not torch.backends.opt_einsum.is_available()


def test_type_takes_the_class_of_tensors():
    assert torch.ones(2, dtype=torch.int64).type(torch.Tensor).dtype is torch.float32


def test_capsules_are_taken_once():
    x = torch.arange(3)
    capsule = x.__dlpack__()
    y = torch.from_dlpack(capsule)
    y[0] = 7
    assert x.tolist() == [7, 1, 2]
    with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
        torch.from_dlpack(capsule)
    assert torch.asarray(x.__dlpack__()).tolist() == [7, 1, 2]
    with pytest.raises(AssertionError, match="device and copy kwargs not supported"):
        torch.from_dlpack(x.__dlpack__(), copy=True)
    with pytest.raises(TypeError, match="stream must be"):
        x.__dlpack__(stream="a")
    with pytest.raises(AssertionError, match="stream should be None on cpu"):
        x.__dlpack__(stream=1)
    assert x.__dlpack_device__() == (torch.utils.dlpack.DLDeviceType.kDLCPU, 0) == (1, 0)


functional = torch.nn.functional
c, b, n = torch.ones(2, dtype=torch.complex64), torch.ones(2, 2, dtype=torch.bool), torch.ones(2, dtype=torch.int64)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: torch.erf(c), NotImplementedError, "\"erf_vml_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: torch.digamma(c), NotImplementedError, "\"digamma\" not implemented for 'ComplexFloat'"),
        (lambda: torch.xlogy(c, c), NotImplementedError, "\"xlogy_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: torch.xlogy(torch.ones(2), 1j), NotImplementedError, '"xlogy_cpu" not implemented for \'Complex'),
        (
            lambda: torch.logit(c.to(torch.complex128)),
            NotImplementedError,
            '"logit_cpu" not implemented for \'ComplexD',
        ),
        (lambda: torch.special.airy_ai(c), NotImplementedError, "\"airy_ai_cpu\" not implemented for 'ComplexFloat'"),
        (lambda: torch.deg2rad(c), RuntimeError, "deg2rad is not supported for complex tensors."),
        (lambda: torch.cosine_similarity(c, c, 0), RuntimeError, "expected common dtype to be floating point"),
        (lambda: b @ b, NotImplementedError, "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
        (
            lambda: functional.linear(b, b),
            NotImplementedError,
            "\"addmm_impl_cpu_\" not implemented for 'Bool'",
        ),
        (lambda: torch.einsum("ij,jk", b, b), NotImplementedError, "\"bmm\" not implemented for 'Bool'"),
        (
            lambda: torch.searchsorted(b[0], b[0]),
            NotImplementedError,
            '"searchsorted_out_cpu" not impl',
        ),
        (lambda: torch.bucketize(c, torch.ones(2)), NotImplementedError, '"searchsorted_out_cpu" not implemented for'),
        (lambda: functional.kl_div(n, n), RuntimeError, "kl_div: Integral inputs not supported."),
        (lambda: functional.nll_loss(n.view(1, 2), n[:1]), NotImplementedError, '"nll_loss_out_frame" not'),
        (lambda: functional.rms_norm(n, [2]), NotImplementedError, "\"rms_norm\" not implemented for 'Long'"),
        (lambda: functional.max_unpool1d(n[None], n[None], 1), NotImplementedError, '"max_unpool2d" not impl'),
        (lambda: torch.dist(b[0], b[1]), RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not"),
        (lambda: torch.vstack(torch.ones(2, 2)), TypeError, "vstack(): argument 'tensors' (position 1) must be tuple"),
        (
            lambda: torch.unique(n, return_counts=1),
            TypeError,
            "unique(): argument 'return_counts' (position 4)",
        ),
    ],
)
def test_kinds_that_torch_has_no_kernel_for(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_index_select_of_nothing_is_refused_by_the_number_of_dimensions():
    with pytest.raises(IndexError, match="index out of range in self"):
        torch.ones(0).index_select(0, torch.tensor([0]))
    with pytest.raises(RuntimeError, match="self indexing axis dim should be positive"):
        torch.ones(0, 3).index_select(0, torch.tensor([0]))


def test_an_unknown_reduction_is_told_before_what_is_wrong_with_the_numbers():
    two = torch.tensor([2.0])
    with pytest.raises(ValueError, match="other is not a valid value for reduction"):
        torch.nn.functional.binary_cross_entropy(two, two, reduction="other")


@pytest.mark.parametrize("other", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        ((), (2,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
        ((3, 2), (), "both arguments to matmul need to be at least 1D, but they are 2D and 0D"),
        ((2,), (3, 4), r"mat1 and mat2 shapes cannot be multiplied \(1x2 and 3x4\)"),
        ((2, 3, 2), (3,), r"size mismatch, got input \(6\), mat \(6x2\), vec \(3\)"),
        ((2,), (3, 3, 3), r"Expected size for first two dimensions of batch2 tensor to be: \[3, 2\] but got: \[3, 3\]"),
        ((2, 3, 2), (3, 3, 3), r"The size of tensor a \(2\) must match the size of tensor b \(3\)"),
    ],
)
def test_a_product_that_does_not_fit_says_so_whatever_the_dtypes(one, two, words, other):
    with pytest.raises(RuntimeError, match=words):
        torch.matmul(torch.ones(one), torch.ones(two, dtype=other))


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals_of_bools_in_place_are_refused(name):
    mask = torch.tensor([True, False])
    with pytest.raises(NotImplementedError, match=f"\"{name}_out_cpu\" not implemented for 'Bool'"):
        getattr(mask, name + "_")(0)
    assert getattr(torch.tensor([1, 2], dtype=torch.int32), name + "_")(0).dtype == torch.int32


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.softmax(0), NotImplementedError, "\"softmax_kernel_impl\" not implemented for 'Bool'"),
        (lambda b: b.softmax(1), NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Bool'"),
        (lambda b: b.long().log_softmax(-2), NotImplementedError, '"log_softmax_kernel_impl" not implemented'),
        (lambda b: b @ b, RuntimeError, "mat1 and mat2 shapes cannot be multiplied"),
        (lambda b: b @ b.T, NotImplementedError, "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
        (lambda b: b[0] @ b[0], NotImplementedError, "\"dot\" not implemented for 'Bool'"),
        (lambda b: b @ b[0], NotImplementedError, "\"addmv_impl_cpu\" not implemented for 'Bool'"),
        (lambda b: b[None] @ b.T[None], NotImplementedError, "\"bmm\" not implemented for 'Bool'"),
        (lambda b: torch.mm(b, b), RuntimeError, "mat1 and mat2 shapes cannot be multiplied"),
        (lambda b: torch.bmm(b[None], b[None]), RuntimeError, "Expected size for first two dimensions of batch2"),
        (lambda b: torch.mv(b, b[:, 0]), RuntimeError, "size mismatch, got input"),
        (
            lambda b: torch.einsum("ij,ij->", b.float(), b.double()),
            RuntimeError,
            "expected scalar type Float but found Double",
        ),
    ],
)
def test_kernels_without_bools_are_named_by_rank_after_a_look_at_the_sizes(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.ones(4, 3) > 0)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (
            lambda: torch.index_copy(torch.ones(3, 2), 1, torch.tensor([-1]), torch.ones(3, 1)),
            IndexError,
            "index_copy_(): index -1 is out of bounds for dimension 1 with size 2",
        ),
        (
            lambda: torch.index_add(torch.ones(3, 2), 0, torch.tensor([5]), torch.ones(1, 2)),
            RuntimeError,
            "index 5 is out of bounds for dimension 0 with size 3",
        ),
        (
            lambda: torch.index_reduce(torch.ones(2).cfloat(), 0, torch.tensor([0]), torch.ones(1).cfloat(), "prod"),
            NotImplementedError,
            "\"index_func_\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda: reduced(torch.ones(2, 2).cfloat(), "amax", include_self=False),
            NotImplementedError,
            "\"index_reduce_func_exclude_input_init\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda: reduced(torch.ones(2, 2).cfloat(), "amin"),
            NotImplementedError,
            "\"minimum_cpu\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda: reduced(torch.ones(2, 2).bool(), "mean"),
            NotImplementedError,
            "\"div_floor_cpu\" not implemented for 'Bool'",
        ),
        (
            lambda: torch.ones(2).cfloat().scatter_reduce(0, torch.tensor([0]), torch.ones(1).cfloat(), "amax"),
            NotImplementedError,
            "\"scatter_gather_tensor_cpu_reduce_amax\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda: torch.ones(2).cfloat().nansum(3),
            IndexError,
            "Dimension out of range (expected to be in range of [-1",
        ),
        (
            lambda: torch.tensor(1.0).index_put_((torch.tensor(True),), torch.tensor(5.0)),
            IndexError,
            "too many indices for tensor of dimension 0 (got 1)",
        ),
        (
            lambda: torch.ones(2).index_put_((torch.tensor(True), torch.tensor([0])), torch.tensor(5.0)),
            IndexError,
            "too many indices for tensor of dimension 1 (got 2)",
        ),
        (lambda: torch.ones(2).resize_(2**40, 2**40), RuntimeError, "numel: integer multiplication overflow"),
        (lambda: torch.ones(2).resize_(0, 2**40, 2**40), RuntimeError, "Stride calculation overflowed"),
        (lambda: torch.histc(torch.tensor([1.0, inf])), RuntimeError, "torch.histc: range of [1, inf] is not finite"),
        (lambda: torch.histc(torch.ones(2).bool()), NotImplementedError, "\"linspace_cpu\" not implemented for 'Bool'"),
        (
            lambda: torch.histc(torch.ones(2).cfloat()),
            NotImplementedError,
            "\"aminmax_cpu\" not implemented for 'ComplexFloat'",
        ),
        (
            lambda: torch.zeros(()).unflatten(0, (-1, 1)),
            RuntimeError,
            "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions",
        ),
        (
            lambda: torch.zeros(4).requires_grad_().__setitem__(1.0, 2),
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices",
        ),
        (
            lambda: torch.index_reduce(torch.ones(3, 2), 0, torch.tensor([5]), torch.ones(1, 2), "prod"),
            IndexError,
            "index out of range in self",
        ),
        (
            lambda: torch.cholesky_solve(torch.ones(2, 2), torch.ones(3, 3)),
            RuntimeError,
            "Incompatible matrix sizes for cholesky_solve: each A matrix is 3 by 3 but each b matrix is 2 by 2",
        ),
        (lambda: torch.logsumexp(torch.ones(3)), TypeError, "logsumexp() missing 1 required positional arguments"),
        (
            lambda: functional.multilabel_soft_margin_loss(torch.ones(2, 2), torch.ones(2, 2), reduction="other"),
            ValueError,
            "other is not valid",
        ),
        (
            lambda: functional.soft_margin_loss(torch.tensor([1, 2]), torch.ones(2)),
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
    ],
)
def test_words_of_single_functions(call, kind, words):
    with pytest.raises(kind) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_a_linear_map_of_bools_is_refused_after_a_look_at_the_ranks():
    ones, linear = (lambda *shape: torch.ones(shape, dtype=torch.bool)), torch.nn.functional.linear
    with pytest.raises(RuntimeError, match="both arguments to linear need to be at least 1D"):
        linear(ones(), ones())
    for shapes, kernel in (
        ([(0,), (0,)], "dot"),
        ([(2, 3), (3,)], "addmv_impl_cpu"),
        ([(3,), (2, 3)], "addmm_impl_cpu_"),
    ):
        with pytest.raises(NotImplementedError, match=f"\"{kernel}\" not implemented for 'Bool'"):
            linear(*[ones(*each) for each in shapes])


def test_products_of_vectors_of_two_dtypes_are_refused_in_their_kernels_words():
    x, y = torch.ones(3), torch.ones(3, dtype=torch.float64)
    for call in (
        lambda: torch.vdot(x, y),
        lambda: torch.nn.functional.linear(x, y, torch.ones((), dtype=torch.float64)),
    ):
        with pytest.raises(RuntimeError, match="dot : expected both vectors to have same dtype"):
            call()
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        torch.linalg.cross(x, y)
    with pytest.raises(NotImplementedError, match="\"cross\" not implemented for 'Bool'"):
        torch.linalg.cross(x > 0, y)


def test_bounds_of_random_numbers_are_looked_at_for_no_elements_too():
    with pytest.raises(RuntimeError, match="from is out of bounds for bool"):
        torch.zeros(0, dtype=torch.bool).random_(2, 9)
    with pytest.raises(RuntimeError, match="check_random_bounds handles only"):
        torch.zeros(0, dtype=torch.complex64).random_(5)
    assert torch.zeros(0, dtype=torch.complex64).random_().shape == (0,)


def test_no_values_still_have_to_fit_where_they_are_written():
    target, places = torch.zeros(0), torch.tensor([], dtype=torch.int64)
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[3, 0\] cannot be broadcast to indexing result"):
        target[places, ...] = torch.zeros(3, 0)
    target[places] = torch.zeros(1, 0)


def test_a_part_of_integers_takes_a_value_with_a_history():
    parts = torch.tensor([[4, 5], [6, 7]], dtype=torch.int8).unbind(0)
    parts[0][...][-1] = torch.tensor(-0.875, requires_grad=True)
    assert parts[0].tolist() == [4, 0] and not parts[0].requires_grad


def test_orthogonal_matrices_are_real():
    with pytest.raises(NotImplementedError, match=r"torch\.sign is not intended to support complex numbers"):
        torch.nn.init.orthogonal_(torch.zeros(3, 1, dtype=torch.complex64))


def test_convolutions_refuse_truths_before_they_compare_dtypes():
    truths = torch.ones(1, 3, 3, dtype=torch.bool)
    with pytest.raises(NotImplementedError, match="\"slow_conv2d_cpu\" not implemented for 'Bool'"):
        torch.nn.functional.conv1d(truths, torch.ones(1, 3, 1))
    with pytest.raises(NotImplementedError, match="\"compute_columns3d\" not implemented for 'Bool'"):
        torch.nn.functional.conv3d(truths.expand(1, 3, 3, 3, 3), torch.ones(1, 3, 1, 1, 1))
    with pytest.raises(NotImplementedError, match="\"slow_conv_transpose2d_out_cpu\" not implemented for 'Bool'"):
        torch.nn.functional.conv_transpose1d(truths, torch.ones(3, 3, 1))


@pytest.mark.parametrize("shape", [(2, 3), (0, 3)])
def test_a_summand_that_cannot_be_expanded_is_refused_by_the_dimension_that_does_not_fit(shape):
    words = (
        rf"expanded size of the tensor \(3\) must match the existing size \({shape[0]}\) at non-singleton dimension 0"
    )
    with pytest.raises(RuntimeError, match=words):
        torch.addmm(torch.ones(shape), torch.ones(3, 3), torch.ones(3, 3))
    with pytest.raises(RuntimeError, match=words):
        torch.addr(torch.ones(shape), torch.ones(3), torch.ones(3))


def test_dtypes_are_named_as_torch_names_them():
    x = torch.ones(2)
    masks = {
        torch.int64: "long int",
        torch.uint8: "unsigned char",
        torch.int16: "short int",
        torch.float32: "float",
        torch.bfloat16: "c10::BFloat16",
        torch.complex64: "c10::complex<float>",
    }
    for kind, words in masks.items():
        with pytest.raises(RuntimeError, match=f"but got mask with dtype {words}: "):
            x.masked_fill(torch.ones(2, dtype=kind), 0)
    for call, words in (
        (lambda: torch.where(x, x, x), "to be a boolean tensor, but got a tensor with dtype Float"),
        (
            lambda: torch.complex(x, x.int()),
            "Expected both inputs to be Half, Float or Double tensors but got Float and Int",
        ),
        (
            lambda: torch.polar(x, x.double()),
            "Expected object of scalar type Float but got scalar type Double for second",
        ),
        (
            lambda: torch.complex(x, x, out=x.double()),
            "Expected object of scalar type ComplexFloat but got scalar type Doub",
        ),
        (lambda: F.gumbel_softmax(torch.arange(3)), "dtype must be a floating point but you specified Long"),
        (
            lambda: F.kl_div(torch.ones(3, 4), torch.ones(2), reduction="sum"),
            r"tensor a \(2\) must match the size of tensor b \(4\)",
        ),
        (
            lambda: torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 1), [1, 3]),
            "to sidestep this requirement if you",
        ),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()


@pytest.mark.parametrize("function", [torch.trapezoid, torch.cumulative_trapezoid])
def test_points_are_a_real_distance_apart(function):
    with pytest.raises(RuntimeError, match="Currently, we only support dx as a real number"):
        function(torch.ones(3), dx=1j)


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_incomplete_gamma_functions_have_a_slope_in_their_second_argument_only(name):
    a, x = torch.tensor([2.0]), torch.tensor([1.5])
    slope = torch.autograd.grad(getattr(torch, name)(a, x.requires_grad_()).sum(), x)[0]
    expected = 1.5 * np.exp(-1.5)
    assert slope.item() == pytest.approx(expected if name == "igamma" else -expected, rel=1e-5)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{name}: (self|input)' is not implemented"):
        getattr(torch, name)(a.requires_grad_(), x).sum().backward()
