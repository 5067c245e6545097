"""Attention and transformers: what they compute, what masks hide, and what they refuse."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

nn, F = torch.nn, torch.nn.functional
attend = F.scaled_dot_product_attention


def close(one, two, tolerance=1e-5):
    np.testing.assert_allclose(one.detach().numpy(), two.detach().numpy(), rtol=tolerance, atol=tolerance)


def written_out(query, key, value, added=None, scale=None):
    products = query @ key.transpose(-1, -2) * (scale or 1 / math.sqrt(query.shape[-1]))
    return (products if added is None else products + added).softmax(-1) @ value


def heads(*shape, seed=0, dtype=torch.float32):
    torch.manual_seed(seed)
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("shape", [(2, 3, 5, 4), (3, 5, 4), (5, 4), (1, 2, 150, 8)])
def test_attention_is_its_formula(shape):
    query, key, value = heads(*shape)
    close(attend(query, key, value), written_out(query, key, value))
    later = torch.full((shape[-2], shape[-2]), -math.inf).triu(1)
    close(attend(query, key, value, is_causal=True), written_out(query, key, value, later))
    close(attend(query, key, value, scale=0.3), written_out(query, key, value, scale=0.3))
    close(attend(query, key, value, attn_mask=later == 0), written_out(query, key, value, later))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(5, 5), (3, 6), (6, 3), (130, 70)])
def test_gradients_are_those_of_the_formula(causal, lengths):
    torch.manual_seed(1)
    query = torch.randn(2, lengths[0], 4, requires_grad=True)
    key, value = torch.randn(2, lengths[1], 4, requires_grad=True), torch.randn(2, lengths[1], 3, requires_grad=True)
    added = torch.full(lengths, -math.inf).triu(1) if causal else None
    weight = torch.randn(2, lengths[0], 3)
    found = torch.autograd.grad((attend(query, key, value, is_causal=causal) * weight).sum(), [query, key, value])
    expected = torch.autograd.grad((written_out(query, key, value, added) * weight).sum(), [query, key, value])
    for one, two in zip(found, expected, strict=True):
        close(one, two, 1e-4)


def test_gradients_of_first_and_second_order():
    inputs = heads(2, 3, 2, dtype=torch.float64)
    added = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    for options in ({}, {"is_causal": True}, {"attn_mask": torch.eye(3).bool()}, {"enable_gqa": True}):
        assert gradcheck(lambda *given, options=options: attend(*given, **options), inputs)
        assert gradgradcheck(lambda *given, options=options: attend(*given, **options), inputs)
    assert gradcheck(attend, [*inputs, added])
    assert gradgradcheck(attend, [*inputs, added])


def test_a_query_that_sees_nothing_gets_zeros():
    query, key, value = heads(2, 4, 3)
    seen = torch.ones(4, 4, dtype=torch.bool)
    seen[1] = False
    for mask in (seen, torch.where(seen, 0.0, -math.inf)):
        found = attend(query, key, value, mask)
        assert found[:, 1].abs().sum() == 0
        found.sum().backward()
        assert torch.isfinite(query.grad).all() and query.grad[:, 1].abs().sum() == 0


def test_dropout_drops_weights_and_keeps_their_mean():
    query, key, value = heads(2, 4, 8, 4)
    value = torch.ones_like(value)
    torch.manual_seed(0)
    found = attend(query, key, value, dropout_p=0.5)
    torch.manual_seed(0)
    noise = torch.empty(2, 4, 8, 8).bernoulli_(0.5) / 0.5
    weights = (query @ key.transpose(-1, -2) / 2).softmax(-1) * noise
    close(found, weights @ value)
    assert attend(query, key, value, dropout_p=1.0).abs().sum() == 0


def test_heads_may_share_keys():
    torch.manual_seed(0)
    query, key = torch.randn(2, 6, 5, 4), torch.randn(2, 3, 5, 4)
    expected = attend(query, key.repeat_interleave(2, 1), key.repeat_interleave(2, 1))
    close(attend(query, key, key, enable_gqa=True), expected)


def test_the_result_has_the_order_of_the_query_in_memory():
    query = torch.randn(2, 5, 3, 4).transpose(1, 2)
    assert attend(query, query, query).stride() == query.stride()
    assert attend(query, query, query).transpose(1, 2).is_contiguous()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: attend(x, x, x.double()), "Expected query, key, and value to have the same dtype"),
        (lambda x: attend(x[0, 0], x, x), "at least 2 dimensional"),
        (lambda x: attend(x, x, x, torch.ones(3, 3).int()), "Expected attn_mask dtype to be bool or float"),
        (lambda x: attend(x, x[..., :3], x), "Expected size for first two dimensions of batch2 tensor to be: "),
        (lambda x: attend(x, x, x, dropout_p=1.5), "dropout probability has to be between 0 and 1"),
        (lambda x: attend(x.int(), x.int(), x.int()), "expected scalar type Float but found Int"),
        (
            lambda x: attend(x, x[:1].repeat(3, 1, 1), x, enable_gqa=True),
            "Number of heads in key and value must divide",
        ),
    ],
)
def test_errors_of_attention_are_torchs(call, words):
    with pytest.raises(RuntimeError, match=words):
        call(torch.ones(2, 3, 4))


def test_multihead_attention_is_attention_of_its_projections():
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(8, 2), torch.randn(5, 3, 8)
    found, weights = layer(x, x, x)
    q, k, v = (x @ layer.in_proj_weight.T + layer.in_proj_bias).chunk(3, -1)
    split = lambda each: each.view(5, 3, 2, 4).permute(1, 2, 0, 3)
    joined = written_out(split(q), split(k), split(v)).permute(2, 0, 1, 3).reshape(5, 3, 8)
    close(found, layer.out_proj(joined))
    close(layer(x, x, x, need_weights=False)[0], found)
    assert weights.shape == (3, 5, 5)
    close(weights.sum(-1), torch.ones(3, 5))
    assert layer(x, x, x, average_attn_weights=False)[1].shape == (3, 2, 5, 5)
    close(layer(x[:, 1], x[:, 1], x[:, 1])[0], found[:, 1])


def test_padding_hides_keys():
    torch.manual_seed(0)
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(3, 5, 8)
    padding = torch.zeros(3, 5, dtype=torch.bool)
    padding[:, 3:] = True
    expected = layer(x, x[:, :3], x[:, :3])[0]
    close(layer(x, x, x, key_padding_mask=padding)[0], expected)
    close(layer(x, x, x, key_padding_mask=padding, need_weights=False)[0], expected)
    assert layer(x, x, x, key_padding_mask=padding)[1][:, :, 3:].abs().sum() == 0


def test_weights_of_multihead_attention():
    assert list(nn.MultiheadAttention(8, 2).state_dict()) == [
        "in_proj_weight",
        "in_proj_bias",
        "out_proj.weight",
        "out_proj.bias",
    ]
    names = [name for name, _ in nn.MultiheadAttention(8, 2, add_bias_kv=True, kdim=3).named_parameters()]
    assert names[:6] == ["q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias", "bias_k", "bias_v"]
    assert repr(nn.MultiheadAttention(8, 2)) == (
        "MultiheadAttention(\n"
        "  (out_proj): NonDynamicallyQuantizableLinear(in_features=8, out_features=8, bias=True)\n)"
    )


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: nn.MultiheadAttention(0, 1), ValueError, "embed_dim and num_heads must be greater than 0"),
        (lambda x: nn.MultiheadAttention(8, 3), AssertionError, "embed_dim must be divisible by num_heads"),
        (lambda x: nn.MultiheadAttention(8, 2)(x[0, 0], x, x), AssertionError, "query should be unbatched 2D or"),
        (lambda x: nn.MultiheadAttention(8, 2)(x, x[0], x), AssertionError, "expected `key` and `value` to be 3-D"),
        (lambda x: nn.MultiheadAttention(4, 2)(x, x, x), AssertionError, "was expecting embedding dimension of 4"),
        (lambda x: nn.MultiheadAttention(8, 2)(x, x, x[:2]), AssertionError, "does not match value shape"),
        (lambda x: nn.MultiheadAttention(8, 2)(x, x, x, is_causal=True), RuntimeError, "Need attn_mask"),
        (
            lambda x: nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.zeros(2, 5)),
            RuntimeError,
            "The shape of the 2D attn_mask",
        ),
        (
            lambda x: nn.MultiheadAttention(8, 2)(x, x, x, attn_mask=torch.zeros(5, 5).int()),
            AssertionError,
            "only bool and floating types of attn_mask",
        ),
        (
            lambda x: nn.MultiheadAttention(8, 2)(x, x, x, key_padding_mask=torch.zeros(5).bool()),
            AssertionError,
            "expected `key_padding_mask` to be `None` or 2-D",
        ),
    ],
)
def test_errors_of_multihead_attention_are_torchs(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.ones(5, 3, 8))


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_a_mask_beside_is_causal_is_refused_but_where_torch_has_one_kernel(shape):
    x, mask = torch.ones(shape), torch.zeros(3, 3)
    with pytest.raises(RuntimeError, match="Explicit attn_mask should not be set when is_causal=True"):
        attend(x, x, x, mask, is_causal=True)
    x = torch.arange(12.0).view(1, 1, 3, 4)
    with pytest.raises(RuntimeError, match="Explicit attn_mask should not be set when is_causal=True"):
        attend(x, x, x, mask, 0.5, is_causal=True)
    hidden = torch.tensor([[True, True, True], [False, True, True], [True, True, True]])
    close(attend(x, x, x, hidden, is_causal=True), attend(x, x, x, hidden.tril()))


def test_an_encoder_layer_is_its_parts():
    torch.manual_seed(0)
    layer, x = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), torch.randn(3, 5, 8)
    attended = layer.norm1(x + layer.self_attn(x, x, x)[0])
    close(layer(x), layer.norm2(attended + layer.linear2(layer.linear1(attended).relu())))
    first = nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", norm_first=True)
    normal = first.norm1(x)
    attended = x + first.self_attn(normal, normal, normal)[0]
    expected = attended + first.linear2(F.gelu(first.linear1(first.norm2(attended))))
    close(first(x), expected)


def test_a_causal_mask_is_recognised():
    torch.manual_seed(0)
    layer = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2, enable_nested_tensor=False)
    x, mask = torch.randn(5, 3, 8), nn.Transformer.generate_square_subsequent_mask(5)
    assert mask.tolist()[1] == [0, 0] + [-math.inf] * 3
    close(layer(x, mask), layer(x, mask == -math.inf))
    close(layer(x, mask)[:2], layer(x[:2], mask[:2, :2]))


def test_a_transformer_learns_to_copy():
    torch.manual_seed(0)
    model = nn.Transformer(16, 2, 1, 1, 32, 0.0, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    source = torch.randn(8, 4, 16)
    first = None
    for _ in range(40):
        loss = F.mse_loss(model(source, source), source)
        first = first or loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < first / 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nn.TransformerEncoderLayer(8, 2, activation="sin"), "activation should be relu/gelu, not sin"),
        (lambda: tiny()(torch.ones(5, 2, 8), torch.ones(5, 3, 8)), "the batch number of src and tgt must be equal"),
        (lambda: tiny()(torch.ones(5, 2, 4), torch.ones(5, 2, 8)), "the feature number of src and tgt must be equal"),
    ],
)
def test_errors_of_transformers_are_torchs(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def tiny():
    return nn.Transformer(8, 2, 1, 1, 16, norm_first=False, batch_first=False, custom_encoder=nn.Identity())


def test_an_encoder_that_torch_would_not_pack_warns_in_its_words():
    with pytest.warns(UserWarning, match="enable_nested_tensor is True"):
        nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 1)


def test_any_of_torchs_ways_may_be_asked_for():
    backends = torch.nn.attention.SDPBackend
    x = torch.ones(2, 3, 4)
    with torch.nn.attention.sdpa_kernel([backends.MATH, backends.FLASH_ATTENTION]):
        close(attend(x, x, x), x)
    with (
        pytest.raises(AssertionError, match="Backend must be an instance of SDPBackend"),
        torch.nn.attention.sdpa_kernel("math"),
    ):
        pass


@pytest.mark.parametrize("causal", [False, True])
def test_heads_that_are_parts_of_one_tensor_have_the_gradients_of_separate_ones(causal):
    torch.manual_seed(0)
    whole, grad = torch.randn(2, 40, 36, requires_grad=True), torch.randn(2, 3, 40, 4)
    parts = [part.view(2, 40, 3, 4).transpose(1, 2) for part in whole.split(12, 2)]
    apart = [part.detach().contiguous().requires_grad_() for part in parts]
    results = [attend(*each, is_causal=causal) for each in (parts, apart)]
    for result in results:
        result.backward(grad)
    close(results[0], results[1])
    close(whole.grad, torch.cat([each.grad.transpose(1, 2).reshape(2, 40, 12) for each in apart], 2))


def test_keys_after_the_last_query_have_no_gradient():
    query, (key, value, _) = torch.randn(1, 1, 5, 4), heads(1, 1, 9, 4)
    attend(query, key, value, is_causal=True).sum().backward()
    assert not key.grad[..., 5:, :].any() and not value.grad[..., 5:, :].any()
    assert value.grad[..., :5, :].all()


def encoder():
    torch.manual_seed(0)
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()


@torch.no_grad()
def test_an_encoder_at_inference_returns_zeros_for_padding_as_torch_does():
    model, x = encoder(), torch.randn(3, 4, 8)
    padding = torch.tensor([[0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]]).bool()
    found = model(x, src_key_padding_mask=padding)
    close(found[0, :3], model(x[:1, :3])[0])
    close(found[1], model(x[1:2])[0])
    assert (found[0, 3] == 0).all() and (found[2] == 0).all()
    # what is not zero is absent, however little it would count
    close(model(x, src_key_padding_mask=padding * -0.1), found)
    # the last norm comes after
    model.norm = nn.LayerNorm(8)
    nn.init.ones_(model.norm.bias)
    assert (model(x, src_key_padding_mask=padding)[0, 3] == 1).all()


@torch.no_grad()
def test_an_encoder_with_gaps_or_a_mask_computes_padding_too():
    model, x = encoder(), torch.randn(1, 4, 8)
    padding = torch.tensor([[False, True, False, True]])
    assert model(x, src_key_padding_mask=padding).ne(0).all()
    padding[0, 1] = False
    assert model(x, torch.zeros(4, 4).bool(), padding).ne(0).all()
    with torch.enable_grad():
        assert model(x, src_key_padding_mask=padding).ne(0).all()
    with pytest.raises(RuntimeError, match="Mask size should match input size"):
        model(x, src_key_padding_mask=padding[:, :3])


def test_transformer_layers_pass_masks_by_keyword():
    seen = []

    def note(module, args, kwargs):
        seen.append((len(args), list(kwargs)))

    encoder = torch.nn.TransformerEncoderLayer(4, 2, 8, 0.0)
    decoder = torch.nn.TransformerDecoderLayer(4, 2, 8, 0.0)
    for each in (encoder.self_attn, decoder.self_attn, decoder.multihead_attn):
        each.register_forward_pre_hook(note, with_kwargs=True)
    encoder(torch.ones(2, 1, 4))
    decoder(torch.ones(2, 1, 4), torch.ones(3, 1, 4))
    of_decoder = (3, ["attn_mask", "key_padding_mask", "is_causal", "need_weights"])
    assert seen == [(3, ["attn_mask", "key_padding_mask", "need_weights", "is_causal"]), of_decoder, of_decoder]


@pytest.mark.parametrize("length, keys, batch", [(0, 3, 2), (2, 0, 2), (2, 3, 0), (0, 0, 0)])
def test_attention_of_nothing_has_the_right_shape(length, keys, batch):
    attention = torch.nn.MultiheadAttention(4, 2)
    query = torch.ones(length, batch, 4, requires_grad=True)
    output, weights = attention(query, torch.ones(keys, batch, 4), torch.ones(keys, batch, 4))
    assert output.shape == (length, batch, 4) and weights.shape == (batch, length, keys)
    assert not output.any()
    output.sum().backward()
    assert query.grad.shape == query.shape
    layer = torch.nn.TransformerDecoderLayer(4, 2, 8, 0.0)
    assert layer(query, torch.ones(keys, batch, 4)).shape == (length, batch, 4)


def test_a_mask_of_padding_names_the_size_that_is_wrong():
    attention, x = torch.nn.MultiheadAttention(4, 2), torch.ones(3, 2, 4)
    with pytest.raises(AssertionError, match=r"Expected key_padded_mask.shape\[0\] to be 2, but got 3"):
        attention(x, x, x, key_padding_mask=torch.zeros(3, 2, dtype=torch.bool))


def test_helpers_of_transformers_have_the_names_that_programs_import():
    helpers = torch.nn.modules.transformer
    mask = helpers._generate_square_subsequent_mask(3)
    assert mask.tolist() == [[0, -math.inf, -math.inf], [0, 0, -math.inf], [0, 0, 0]]
    assert helpers._detect_is_causal_mask(mask) and helpers._detect_is_causal_mask(mask, None, 3)
    assert not helpers._detect_is_causal_mask(mask, None, 4) and not helpers._detect_is_causal_mask(mask, False)
    assert not helpers._detect_is_causal_mask(torch.zeros(3, 3)) and helpers._detect_is_causal_mask(None, True)
    assert helpers._get_seq_len(torch.ones(2, 3, 4), True) == 3 and helpers._get_seq_len(torch.ones(2, 4), True) == 2
    assert len(helpers._get_clones(torch.nn.ReLU(), 3)) == 3
    assert helpers._get_activation_fn("gelu") is torch.nn.functional.gelu


def test_weights_of_each_head_are_a_view():
    x = torch.ones(2, 1, 4)
    weights = torch.nn.MultiheadAttention(4, 2)(x, x, x, average_attn_weights=False)[1]
    assert weights.shape == (1, 2, 2, 2) and type(weights.grad_fn).__name__ == "ViewBackward0"


@pytest.mark.parametrize("shape, dropout", [((4, 3), 0.0), ((2, 4, 3), 0.0), ((1, 2, 4, 3), 0.5)])
def test_attention_by_products_may_be_written_over(shape, dropout):
    query = torch.ones(shape, requires_grad=True)
    found = F.scaled_dot_product_attention(query, query, query, dropout_p=dropout)
    found[..., :1] = 0
    found.sum().backward()
    assert query.grad.shape == shape


def test_attention_by_one_kernel_has_saved_its_result():
    query = torch.ones(1, 2, 4, 3, requires_grad=True)
    found = F.scaled_dot_product_attention(query, query, query)
    found[..., :1] = 0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


def test_attention_of_no_queries_has_gradients():
    query = torch.ones(2, 3, 0, 5, requires_grad=True)
    key = torch.ones(2, 3, 6, 5, requires_grad=True)
    found = torch.nn.functional.scaled_dot_product_attention(query, key, key)
    found.sum().backward()
    assert found.shape == query.grad.shape == (2, 3, 0, 5) and not key.grad.any()


def test_a_backward_to_the_result_of_attention_of_matrices_frees_its_product_and_of_more_dimensions_nothing():
    key = torch.ones(6, 5, requires_grad=True)
    found = attend(torch.ones(4, 5), key, torch.ones(6, 5))
    found.max().backward(inputs=[found])
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        found.max().backward()
    found = attend(torch.ones(1, 4, 5), key[None], torch.ones(1, 6, 5))
    found.max().backward(inputs=[found])
    found.max().backward()
    assert key.grad.shape == key.shape
