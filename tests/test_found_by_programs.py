"""What random programs found: results that were wrong without a word, each as a test of its own."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F

OVERLAP = "some elements of the input tensor and the written-to tensor refer to a single memory location"


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_kept_with_its_graph_is_no_expanded_tensor():
    x = torch.zeros(2, requires_grad=True)
    x.sum().backward(create_graph=True)
    x.grad[0] = 5.0
    assert x.grad.tolist() == [5, 1]


def test_an_expanded_gradient_of_the_users_is_refused_where_it_would_be_written():
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(1).expand(2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x.sum().backward()
    assert x.grad.tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_plain_backward_adds_into_a_gradient_that_has_a_history():
    x = torch.ones(2, requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    kept = x.grad
    x.sum().backward()
    assert x.grad is kept and kept.grad_fn is not None and kept.tolist() == [4, 4]


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_"])
def test_a_comparison_in_place_has_no_gradient_and_is_refused_on_leaves(name):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    getattr(y, name)(2.0)
    y.sum().backward()
    assert x.grad.tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(x, name)(2.0)


def test_a_write_through_strides_that_reach_beyond_their_view_keeps_the_whole_gradient():
    x = torch.arange(6.0, requires_grad=True)
    y = x * 1
    y[1:3].as_strided((4,), (1,), 1).mul_(3)
    y.sum().backward()
    assert x.grad.tolist() == [1, 3, 3, 3, 3, 1]


def test_strides_over_an_empty_slice_begin_where_it_does():
    assert torch.zeros(5)[3:3].as_strided((1,), (1,)).storage_offset() == 3


def test_an_input_that_is_named_twice_counts_once():
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward(inputs=[x, x])
    assert x.grad.tolist() == [2, 2]


def test_a_function_that_gives_no_gradient_does_not_end_the_walk():
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None

    x, seen = torch.ones(2, requires_grad=True), []
    y = x * 3
    y.register_hook(seen.append)
    Nothing.apply(y).sum().backward()
    assert seen == [None] and x.grad is None


def test_hooks_of_a_layer_run_bias_first_and_each_leaf_accumulates_at_once():
    layer, order = nn.Linear(2, 2), []
    for name, each in layer.named_parameters():
        each.register_hook(lambda grad, name=name: order.append(name))
        each.register_post_accumulate_grad_hook(lambda each, name=name: order.append(f"{name} is there"))
    layer(torch.ones(1, 2)).sum().backward()
    assert order == ["bias", "bias is there", "weight", "weight is there"]


@pytest.mark.parametrize(
    ("function", "strides"),
    [
        (lambda x: torch.cat([x, x]), (6, 3, 1)),
        (lambda x: torch.stack([x, x]), (24, 6, 3, 1)),
        (lambda x: torch.hstack([x, x]), (12, 3, 1)),
        (lambda x: torch.vstack([x, x]), (6, 3, 1)),
        (lambda x: x.cumprod(0), (6, 3, 1)),
        (lambda x: x.cummax(1)[0], (6, 3, 1)),
        (lambda x: x.logcumsumexp(1), (6, 3, 1)),
        (lambda x: x.median(1)[0], (3, 1)),
        (lambda x: torch.distributions.Categorical(logits=x).log_prob(torch.zeros(4, 2, dtype=torch.int64)), (2, 1)),
    ],
)
def test_results_of_permuted_tensors_lie_as_torch_lays_them(function, strides):
    x = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1)
    assert function(x).stride() == strides


def test_images_stacked_to_a_batch_may_be_viewed():
    image = torch.rand(4, 5, 3).permute(2, 0, 1)
    assert torch.stack([image, image]).view(2, -1).shape == (2, 60)


def test_out_that_requires_grad_is_refused():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.add(torch.ones(2), 1, out=x)
    assert x.tolist() == [1, 1]


def test_out_that_changes_its_shape_keeps_older_views_on_its_memory():
    out = torch.zeros(10)
    view = out[:2]
    with pytest.warns(UserWarning, match="resized"):
        torch.add(torch.ones(3), 1, out=out)
    view[0] = 9
    assert out.tolist() == [9, 2, 2]


def test_results_of_floats_go_into_integers_where_torch_lets_them():
    out = torch.zeros(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.add(torch.ones(2), 1, out=out)
    assert torch.cat([torch.ones(2)], out=torch.zeros(2, dtype=torch.float64)).dtype == torch.float64


def test_inference_mode_makes_inference_tensors_of_new_memory_alone():
    ordinary = torch.ones(3)
    with torch.inference_mode():
        made = torch.ones(2)
        assert not any(each.is_inference() for each in (ordinary[:1], ordinary.detach(), ordinary.view(-1)))
        assert made[:1].is_inference()
    for refused in (lambda: made.fill_(1), lambda: made.requires_grad_(), lambda: made._version):
        with pytest.raises(RuntimeError, match=r"[Ii]nference"):
            refused()


def test_values_for_a_mask_may_have_leading_dimensions_of_one():
    x = torch.zeros(3)
    x[x > -1] = torch.ones(1, 3)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.masked_fill_(torch.ones(1, dtype=torch.bool), 2.0),
        lambda x: x.index_put_((torch.tensor([0]),), torch.tensor(2.0)),
        lambda x: x.fill_diagonal_(2.0),
    ],
)
@pytest.mark.filterwarnings("ignore:Use of")
def test_some_writes_to_expanded_tensors_are_allowed(write):
    assert (write(torch.zeros(1, 1).expand(3, 3)) == 2).all()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(x[0]),
        lambda x: x.add_(x.T),
        lambda x: x.__setitem__(x > 0, x),
        lambda x: x.__setitem__(slice(2), x[1:]),
        lambda x: x[1:].add_(x[:-1]),
        lambda x: x.copy_(x.T),
    ],
)
def test_a_source_that_overlaps_its_target_is_refused(write):
    x = torch.arange(9.0).reshape(3, 3)
    with pytest.raises(RuntimeError, match=OVERLAP):
        write(x)
    assert x.tolist() == torch.arange(9.0).reshape(3, 3).tolist()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_weight_norm_of_a_vector_has_a_length_for_each_number():
    module = nn.Module()
    module.w = nn.Parameter(torch.ones(3))
    module = nn.utils.weight_norm(module, "w")
    assert module.w_g.shape == (3,) and module.w_v.shape == (3,)


def test_a_transformer_hands_keywords_to_its_attention():
    layer, seen = nn.TransformerEncoderLayer(4, 1, 4), []
    layer.self_attn.register_forward_pre_hook(
        lambda module, given, named: seen.append((len(given), sorted(named))), with_kwargs=True
    )
    layer(torch.ones(2, 1, 4))
    assert seen == [(3, ["attn_mask", "is_causal", "key_padding_mask", "need_weights"])]


def test_a_cell_keeps_only_what_a_wanted_gradient_needs():
    cell = nn.LSTMCell(2, 3)
    for each in cell.parameters():
        each.requires_grad_(False)
    x = torch.ones(1, 2, requires_grad=True)
    found, _ = cell(x)
    x.data.zero_()
    with torch.no_grad():
        x.add_(1)
    found.sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8])
def test_numbers_that_do_not_fit_are_refused(kind):
    for write in (lambda: torch.tensor([300], dtype=kind), lambda: torch.zeros(1, dtype=kind).fill_(300)):
        with pytest.raises(RuntimeError, match="without overflow"):
            write()


def test_a_nansum_in_integers_leaves_nan_out():
    assert torch.tensor([1.5, float("nan")]).nansum(dtype=torch.int64).item() == 1


def test_a_remainder_of_zero_has_the_sign_that_torch_gives_it():
    found = torch.remainder(torch.tensor([-0.0, 4.0, -4.0]), 2)
    assert found.signbit().tolist() == [True, False, True]


def test_the_product_of_one_nan_is_nan():
    assert torch.tensor([float("nan")]).prod().isnan()


def test_a_bfloat16_sum_goes_into_a_wider_result():
    assert torch.sum(torch.ones(3).bfloat16(), 0, out=torch.zeros(())).item() == 3


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.diff(torch.tensor(1.0)), RuntimeError, "diff expects input to be at least one-dimensional"),
        (lambda: torch.tensordot(torch.ones(2), torch.ones(3), 1), RuntimeError, "contracted dimensions need to match"),
        (
            lambda: torch.take_along_dim(torch.ones(2), torch.zeros(2), 0),
            RuntimeError,
            "dtype of indices should be Long",
        ),
        (lambda: torch.cat([torch.ones(2)], out=3), TypeError, "argument 'out' must be Tensor"),
        (lambda: F.embedding(torch.tensor([5]), torch.ones(2, 2)), IndexError, "index out of range in self"),
        (lambda: torch.ones(1).repeat(), TypeError, "missing 1 required positional argument"),
        (lambda: torch.tensor(1).unique(dim=0), IndexError, "Dimension specified as 0 but tensor has no dimensions"),
        (lambda: torch.ones(2, dtype=torch.int64).softmax(0), NotImplementedError, "not implemented for 'Long'"),
    ],
)
def test_refusals_have_the_type_and_the_words_of_torch(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_what_is_computed_cannot_be_made_a_leaf():
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = True


def test_a_remainder_of_nothing_by_zero_is_nothing():
    assert (torch.zeros(0, dtype=torch.int64) % 0).shape == (0,)
