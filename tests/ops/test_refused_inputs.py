"""Calls that torch refuses: inputs without a gradient, weights and states that are too few, masks of other ranks."""

import pytest

import rushlight as torch

inf = float("inf")


def undifferentiable_calls():
    from rushlight.nn import functional as f

    x, w = torch.tensor([0.2, 0.4, 0.6]), torch.tensor([0.5, 0.5, 0.5], requires_grad=True)
    rows, classes = torch.rand(2, 3), torch.tensor([0, 9])
    return [
        ("soft_margin_loss", "target", lambda: f.soft_margin_loss(x.long(), w)),
        ("binary_cross_entropy", "weight", lambda: f.binary_cross_entropy(x * 5, x, w)),
        ("binary_cross_entropy_with_logits", "weight", lambda: f.binary_cross_entropy_with_logits(x, x, w)),
        (
            "binary_cross_entropy_with_logits",
            "pos_weight",
            lambda: f.binary_cross_entropy_with_logits(x, x, None, None, None, "mean", w),
        ),
        ("multi_margin_loss", "weight", lambda: f.multi_margin_loss(rows, classes, weight=w[:2])),
        ("nll_loss_forward", "weight", lambda: f.nll_loss(rows, classes, weight=w.double())),
        ("segment_reduce", "lengths", lambda: torch.segment_reduce(x, "sum", lengths=w)),
        ("segment_reduce", "offsets", lambda: torch.segment_reduce(x, "sum", offsets=w)),
        ("native_batch_norm", "running_mean", lambda: f.batch_norm(rows, w, x)),
    ]


@pytest.mark.parametrize("place", range(9))
def test_inputs_that_a_gradient_leaves_out_must_not_require_grad(place):
    function, argument, call = undifferentiable_calls()[place]
    words = f"The function '{function}' is not differentiable with respect to argument '{argument}'"
    with pytest.raises(RuntimeError, match=words):
        call()


def test_without_recording_such_inputs_may_require_grad():
    from rushlight.nn import functional as f

    w = torch.tensor([0.5, 0.5], requires_grad=True)
    with torch.no_grad():
        assert f.soft_margin_loss(torch.zeros(2), w).item() == pytest.approx(0.6931472)
        assert f.nll_loss(torch.zeros(1, 2), torch.tensor([0]), weight=w).item() == 0
        assert f.batch_norm(torch.ones(1, 2), torch.zeros(2), w).shape == (1, 2)


def test_segments_and_labels_are_whole_numbers():
    x = torch.zeros(3)
    with pytest.raises(NotImplementedError, match="_segment_reduce_offsets_cpu_kernel1\" not implemented for 'Float'"):
        torch.segment_reduce(x, "sum", offsets=x)
    with pytest.raises(RuntimeError, match="expected scalar type Long but found Float"):
        torch.nn.functional.multilabel_margin_loss(x, x)


@pytest.mark.parametrize(
    ("layer", "states", "weights", "layers", "both_ways", "words"),
    [
        ("rnn_tanh", 1, 3, 1, False, "got an incorrect number of RNN parameters"),
        ("rnn_tanh", 2, 4, 1, True, "Odd number of params or hiddens given to a bidirectional RNN"),
        ("rnn_tanh", 1, 4, 2, False, "Expected more hidden states in stacked_rnn"),
        ("gru", 2, 4, 2, False, "Expected more weights in stacked_rnn"),
        ("lstm", 1, 3, 1, False, "MatrixRef: ArrayRef size 3 not divisible by stride 4"),
        ("lstm", 2, 4, 2, False, "ArrayRef: invalid slice"),
    ],
)
def test_layers_want_as_many_weights_and_states_as_they_have(layer, states, weights, layers, both_ways, words):
    params = [torch.zeros(4, 2), torch.zeros(4, 4), torch.zeros(4), torch.zeros(4)][:weights]
    hidden = torch.zeros(states, 3, 4)
    hx = (hidden, hidden) if layer == "lstm" else hidden
    with pytest.raises(RuntimeError, match=words):
        getattr(torch, layer)(torch.zeros(5, 3, 2), hx, params, True, layers, 0.0, False, both_ways, False)


def test_attention_looks_at_the_last_two_dimensions_of_a_mask():
    x = torch.zeros(1, 2, 3, 4)
    attend = torch.nn.functional.scaled_dot_product_attention
    with pytest.raises(IndexError, match="Dimension out of range"):
        attend(x, x, x, torch.ones(3))
    assert attend(x[..., :0], x[..., :0], x).shape == (1, 2, 3, 4)


def test_a_nuclear_condition_number_is_infinite_for_singular_matrices():
    found = torch.linalg.cond(torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]), "nuc")
    assert found.tolist() == [pytest.approx(4.0), inf]


@pytest.mark.parametrize(("dtype", "kind"), [(torch.bool, "Bool"), (torch.complex64, "ComplexFloat")])
def test_isin_refuses_what_has_no_order_beside_numbers_too(dtype, kind):
    x, numbers = torch.ones(2, dtype=dtype), torch.arange(3)
    for call in (lambda: torch.isin(x, numbers), lambda: torch.isin(numbers, x), lambda: torch.isin(x, 1)):
        with pytest.raises(RuntimeError, match=rf"Unsupported input type encountered for isin\(\): {kind}"):
            call()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("silu", lambda x: torch.nn.functional.silu(x)),
        ("nan_to_num", lambda x: torch.nan_to_num(x)),
        ("embedding", lambda x: torch.nn.functional.embedding(torch.tensor([0]), x)),
        ("geqrf", lambda x: torch.geqrf(x)),
        ("select_copy", lambda x: torch.select_copy(x, 0, 0)),
        ("slice_copy", lambda x: torch.slice_copy(x)),
    ],
)
def test_gradients_that_torch_has_for_real_numbers_only_are_refused_where_they_would_be_recorded(name, call):
    x = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=f"^{name} does not support automatic differentiation for outputs with complex"
    ):
        call(x)
    call(x.detach())
    call(x.real.contiguous())


def test_so_is_a_softmax_of_no_complex_numbers():
    with pytest.raises(
        RuntimeError, match=r"^_softmax does not support automatic differentiation for outputs with complex"
    ):
        torch.zeros(0, dtype=torch.complex64, requires_grad=True).softmax(0)


def test_in_place_they_are_recorded():
    x = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    y = (x * 1).nan_to_num_()
    assert y.requires_grad and y.grad_fn.name() == "NanToNumBackward0"


def test_truths_have_no_trace_whatever_their_dimensions():
    with pytest.raises(NotImplementedError, match="\"trace\" not implemented for 'Bool'"):
        torch.tensor([True, False]).trace()


@pytest.mark.parametrize("which", ["input", "source"])
def test_reductions_into_places_have_gradients_of_real_numbers_only(which):
    x, y = [torch.ones(2, 2, dtype=torch.complex64, requires_grad=which == each) for each in ("input", "source")]
    at = torch.tensor([0, 0])
    for reduce in ("sum", "prod", "mean"):
        with pytest.raises(RuntimeError, match="scatter_reduce does not support automatic differentiation for outputs"):
            x.scatter_reduce(1, at.expand(2, 2), y, reduce)
        assert x.detach().scatter_reduce(1, at.expand(2, 2), y.detach(), reduce).dtype is torch.complex64
    with pytest.raises(RuntimeError, match="index_reduce does not support automatic differentiation for outputs"):
        x.index_reduce(1, at, y, "prod")
    # in place torch does not look
    assert (x * 1).scatter_reduce_(1, at.expand(2, 2), y, "sum").grad_fn.name() == "ScatterReduceBackward0"


def test_a_view_whose_history_was_lost_is_refused_before_the_sizes_are_looked_at():
    x = torch.rand(2, 3, requires_grad=True)
    part = x.split(1)[-1]
    with torch.no_grad():
        x.add_(1)
    for call in (
        torch.nn.functional.glu,
        lambda part: part.select(4, 0),
        lambda part: part + torch.ones(7),
        lambda part: torch.cat([part, torch.ones(2)]),
        lambda part: part.view(7),
    ):
        with pytest.raises(RuntimeError, match="Output 1 of Split is a view and its base or another view of its base"):
            call(part)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        part[5]
    with torch.no_grad(), pytest.raises(RuntimeError, match="Halving dimension must be even"):
        torch.nn.functional.glu(part)


def test_a_pool_of_one_number_is_a_mean_that_integers_do_not_have():
    numbers = torch.ones(1, 2, 3, dtype=torch.long)
    for call in (torch.nn.AdaptiveAvgPool1d(1), torch.nn.AdaptiveAvgPool2d(1)):
        with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype.*Got: Long"):
            call(numbers)
    with pytest.raises(NotImplementedError, match=r'"adaptive_avg_pool2d" not implemented for .Long'):
        torch.nn.AdaptiveAvgPool2d(2)(numbers)


@pytest.mark.parametrize(("shape", "size"), [((), (-1, -1)), ((), (2, -1)), ((3,), (-2, 3)), ((1,), (-3,))])
def test_a_number_has_no_size_to_keep(shape, size):
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow"):
        torch.zeros(shape).expand(size)
    with pytest.raises(RuntimeError, match=r"\(-1\) isn't allowed in a leading, non-existing dimension 0"):
        torch.zeros(3).expand(-1, 3)


def test_roll_does_not_look_at_the_dimensions_of_nothing():
    assert torch.roll(torch.zeros(0, 3), 1, 2).shape == (0, 3)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.roll(torch.zeros(2, 3), 1, 2)


def test_dimensions_of_a_number_are_refused_by_the_name_of_what_runs_over_it():
    for name in ("cummax", "cummin"):
        with pytest.raises(IndexError, match=rf"^{name}\(\): Expected reduction dim -1 or 0 for scalar but got 1"):
            getattr(torch.tensor(1.0), name)(1)
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.tensor(1.0).unbind(1)
    words = r"bilinear\(\): bias size does not match weight size: got 9 but expected 3"
    with pytest.raises(RuntimeError, match=words):
        torch.nn.functional.bilinear(torch.ones(2, 2), torch.ones(2, 2), torch.ones(3, 2, 2), torch.ones(9))
