"""flex_attention: scores changed by a function, masks described by one; torch's numbers are in tests/conformance."""

import math

import pytest

import rushlight as torch
from rushlight.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    noop_mask,
    or_masks,
)


def causal(b, h, q, kv):
    return q >= kv


@pytest.fixture
def qkv():
    torch.manual_seed(0)
    return torch.randn(3, 2, 2, 5, 4).unbind()


def test_without_functions_it_is_attention(qkv):
    wanted = torch.nn.functional.scaled_dot_product_attention(*qkv)
    assert torch.allclose(flex_attention(*qkv), wanted, atol=1e-6)
    causally = torch.nn.functional.scaled_dot_product_attention(*qkv, is_causal=True)
    mask = create_block_mask(causal, None, None, 5, 5)
    assert torch.allclose(flex_attention(*qkv, block_mask=mask), causally, atol=1e-6)
    hidden = flex_attention(*qkv, score_mod=lambda s, b, h, q, kv: torch.where(q >= kv, s, -math.inf))
    assert torch.allclose(hidden, causally, atol=1e-6)


def test_scores_know_their_positions(qkv):
    query, key, value = qkv
    found = flex_attention(query, key, value, score_mod=lambda s, b, h, q, kv: s * 0 + 100.0 * (kv == h))
    assert torch.allclose(found[:, 1], value[:, 1, 1:2].expand(2, 5, 4), atol=1e-5)


def test_gradients_reach_the_inputs_and_what_a_function_uses(qkv):
    query, key, value = (each.clone().requires_grad_() for each in qkv)
    bias = torch.zeros(2, 9, requires_grad=True)
    flex_attention(query, key, value, lambda s, b, h, q, kv: s + bias[h, q - kv + 4]).square().sum().backward()
    for each in (query, key, value, bias):
        assert each.grad.abs().sum() > 0


def test_rows_that_see_nothing_are_zero(qkv):
    mask = create_block_mask(lambda b, h, q, kv: q > kv, None, None, 5, 5)
    result, lse = flex_attention(*qkv, block_mask=mask, return_lse=True)
    assert result[:, :, 0].abs().sum() == 0
    assert (lse[:, :, 0] == -math.inf).all()
    _, aux = flex_attention(*qkv, return_aux=AuxRequest(max_scores=True))
    assert aux.lse is None
    assert aux.max_scores.shape == (2, 2, 5)


def test_blocks():
    mask = create_block_mask(causal, 1, 1, 256, 256)
    assert mask.shape == (1, 1, 256, 256)
    assert mask.sparsity() == 25
    assert mask.to_dense().tolist() == [[[[1, 0], [1, 1]]]]
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1]]]
    assert "sparsity=25.00%" in repr(mask)
    assert mask[0].shape == mask.shape
    assert mask.to("cpu").numel() == 65536


def test_masks_are_joined():
    near = and_masks(causal, lambda b, h, q, kv: q - kv < 2)
    assert create_mask(near, None, None, 3, 3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    first = or_masks(near, lambda b, h, q, kv: kv == 0)
    assert create_mask(first, None, None, 3, 3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert create_mask(noop_mask, 2, 3, 1, 1).shape == (2, 3, 1, 1)
    assert create_mask(and_masks(), 1, 1, 1, 1).item()
    assert not create_mask(or_masks(), 1, 1, 1, 1).item()
    for joined in (and_masks, or_masks):
        with pytest.raises(RuntimeError, match="should be callable"):
            joined(3)


def test_what_does_not_go_together(qkv):
    query, key, value = qkv
    with pytest.raises(NotImplementedError, match="must be 4D"):
        flex_attention(query[0], key[0], value[0])
    with pytest.raises(ValueError, match="same number of heads"):
        flex_attention(query, key[:, :1], value[:, :1])
    assert flex_attention(query, key[:, :1], value[:, :1], enable_gqa=True).shape == (2, 2, 5, 4)
    with pytest.raises(ValueError, match="multiple of kv heads"):
        flex_attention(query[:, :1], key, value, enable_gqa=True)
    with pytest.raises(ValueError, match="same dtype"):
        flex_attention(query, key.double(), value)
    with pytest.raises(ValueError, match="same embedding dimension"):
        flex_attention(query[..., :2], key, value)
    with pytest.raises(ValueError, match="block_mask was created for"):
        flex_attention(query, key, value, block_mask=create_block_mask(causal, 1, 1, 8, 8))
    with pytest.raises(ValueError, match="cannot both be specified"):
        flex_attention(query, key, value, return_lse=True, return_aux=AuxRequest())
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        BlockMask((1, 1), *[torch.ones(1)] * 8)
    with pytest.raises(AssertionError, match="both provided or omitted"):
        BlockMask.from_kv_blocks(torch.ones(1, 1), torch.ones(1, 1, 1), torch.ones(1, 1))
