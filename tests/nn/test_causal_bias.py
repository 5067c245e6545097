"""Causal biases: masks known by their corner."""

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.nn.attention.bias import CausalBias, CausalVariant, causal_lower_right, causal_upper_left


def test_they_are_printed_as_their_masks():
    assert repr(causal_upper_left(2, 3)) == "tensor([[ True, False, False],\n        [ True,  True, False]])"
    assert repr(causal_lower_right(2, 3)) == "tensor([[ True,  True, False],\n        [ True,  True,  True]])"
    bias = causal_lower_right(2, 3)
    assert isinstance(bias, CausalBias) and isinstance(bias, torch.Tensor)
    assert (bias.variant, bias.seq_len_q, bias.seq_len_kv) == (CausalVariant.LOWER_RIGHT, 2, 3)
    assert list(CausalVariant) == [1, 2] and bias.shape == (1, 2, 3)


@pytest.mark.parametrize("make", [causal_upper_left, causal_lower_right])
@pytest.mark.parametrize("queries, keys", [(3, 3), (3, 5), (5, 3)])
def test_attention_with_one_is_attention_with_its_mask(make, queries, keys):
    query, key, value = torch.randn(2, queries, 4), torch.randn(2, keys, 4), torch.randn(2, keys, 4)
    bias = make(queries, keys)
    expected = F.scaled_dot_product_attention(query, key, value, bias._materialize())
    for found in (
        F.scaled_dot_product_attention(query, key, value, bias),
        F.scaled_dot_product_attention(query, key, value, attn_mask=bias),
    ):
        assert type(found) is torch.Tensor and torch.allclose(found, expected, atol=1e-6)
    # the queries before the first key see nothing
    hidden = make is causal_lower_right and queries > keys
    assert bool((expected[:, 0] == 0).all()) is hidden


def test_what_makes_no_sense_is_refused():
    query = torch.randn(2, 3, 4)
    with pytest.raises(ValueError, match="CausalBias should not be used with causal=True"):
        F.scaled_dot_product_attention(query, query, query, causal_upper_left(3, 3), is_causal=True)
    for make, size in ((causal_upper_left, (3,)), (causal_lower_right, (2, 3, 4))):
        with pytest.raises(AssertionError, match=f"{make.__name__} only supports 2D tensors"):
            make(*size)
    with pytest.raises(AssertionError, match="variant must be a CausalVariant, got int"):
        CausalBias(1, 2, 3)
