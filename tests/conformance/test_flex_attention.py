"""flex_attention beside torch's: results, log-sum-exps and block masks for functions and masks of several kinds."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import rushlight  # noqa: E402

FIELDS = "kv_num_blocks kv_indices full_kv_num_blocks full_kv_indices q_num_blocks q_indices".split()
SCORES = {
    "plain": lambda torch: None,
    "slope": lambda torch: lambda s, b, h, q, k: s + (q - k) * 0.1 * (h + 1),
    "hidden": lambda torch: lambda s, b, h, q, k: torch.where(q >= k, s, -float("inf")),
}
MASKS = {
    "none": None,
    "causal": lambda b, h, q, k: q >= k,
    "near": lambda b, h, q, k: (q - k).abs() < 3,
    "by head": lambda b, h, q, k: (k < 2) | (h == 1),
}


def found(torch, flex, score, mask, shape):
    batch, heads, keys, length, size = shape
    generator = np.random.default_rng(0)
    shapes = ((batch, heads, length, 4), (batch, keys, size, 4), (batch, keys, size, 5))
    query, key, value = (torch.from_numpy(generator.standard_normal(each).astype(np.float32)) for each in shapes)
    blocks = None if MASKS[mask] is None else flex.create_block_mask(MASKS[mask], batch, heads, length, size, "cpu")
    result = flex.flex_attention(query, key, value, SCORES[score](torch), blocks, enable_gqa=True, return_lse=True)
    numbers = [each.numpy() for each in result]
    if blocks is not None:
        numbers += [getattr(blocks, each).numpy() for each in FIELDS]
    return numbers, repr(blocks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [(1, 2, 2, 5, 7), (2, 4, 2, 130, 130), (2, 2, 1, 3, 300)])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("score", SCORES)
def test_results_and_masks(score, mask, shape):
    import torch.nn.attention.flex_attention as theirs

    import rushlight.nn.attention.flex_attention as ours

    wanted, words = found(torch, theirs, score, mask, shape)
    numbers, own_words = found(rushlight, ours, score, mask, shape)
    for one, other in zip(wanted, numbers, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)
    assert own_words == words
