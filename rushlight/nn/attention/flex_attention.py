"""flex_attention: attention whose scores a function changes, and masks that a function describes.

A function of positions is called once, on tensors of positions that broadcast against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import rushlight
from rushlight.core.object.tensor import Tensor
from rushlight.nn.attention.block_mask import (
    _DEFAULT_SPARSE_BLOCK_SIZE as _DEFAULT_SPARSE_BLOCK_SIZE,
)
from rushlight.nn.attention.block_mask import BlockMask, create_block_mask, create_mask, mask_of, noop_mask, positions

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]
FlexKernelOptions = dict
_score_mod_signature = _mask_mod_signature = Callable


class AuxRequest(NamedTuple):
    """What else is wanted beside the result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What was wanted beside the result."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def or_masks(*mask_mods: Callable) -> Callable:
    """The mask that shows what one of the masks shows."""
    check_masks(mask_mods)

    def together(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found: Any = None
        for each in mask_mods:
            shown = each(b, h, q_idx, kv_idx)
            found = shown if found is None else found | shown
        return q_idx.new_zeros((), dtype=rushlight.bool) if found is None else found

    return together


def and_masks(*mask_mods: Callable) -> Callable:
    """The mask that shows what all masks show."""
    check_masks(mask_mods)

    def together(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        found: Any = None
        for each in mask_mods:
            shown = each(b, h, q_idx, kv_idx)
            found = shown if found is None else found & shown
        return q_idx.new_ones((), dtype=rushlight.bool) if found is None else found

    return together


def check_masks(mask_mods: tuple) -> None:
    if not all(callable(each) for each in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Callable | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: Any = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Attention with scores changed by `score_mod(score, batch, head, q, kv)`, where `block_mask` shows them.

    Shapes: `query` `(B, Hq, L, E)`, `key` `(B, H, S, E)`, `value` `(B, H, S, Ev)`; the result `(B, Hq, L, Ev)`.
    """
    check_inputs(query, key, value, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError("return_lse and return_aux cannot both be specified: return_aux=AuxRequest(lse=True)")
    batch, heads, length, width = query.shape
    groups = heads // key.shape[1]
    if groups > 1:
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = (query @ key.transpose(-2, -1)) * (1 / math.sqrt(width) if scale is None else scale)
    if score_mod is not None:
        changed = score_mod(scores, *positions(batch, heads, length, key.shape[2]))
        scores = changed.expand(scores.shape) if changed.shape != scores.shape else changed
    if block_mask is not None:
        check_mask(block_mask, length, key.shape[2])
        scores = scores.masked_fill(~mask_of(block_mask, batch, heads), -math.inf)
    lse = scores.logsumexp(-1)
    # rows that see nothing give zeros
    nothing = lse == -math.inf
    weights = (scores - lse.masked_fill(nothing, 0).unsqueeze(-1)).exp()
    result = weights.to(query.dtype) @ value
    if return_lse:
        return result, lse
    if return_aux is not None:
        highest = scores.max(-1).values if return_aux.max_scores else None
        return result, AuxOutput(lse if return_aux.lse else None, highest)
    return result


def check_inputs(query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool) -> None:
    """Raise for shapes that do not go together."""
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not query.dtype == key.dtype == value.dtype:
        raise ValueError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, key.dtype: "
            f"{key.dtype}, and value.dtype: {value.dtype} instead."
        )
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"Expect query and key/value to have the same embedding dimension but got E={query.shape[-1]} and "
            f"E={key.shape[-1]}."
        )
    if not enable_gqa and query.shape[1] != key.shape[1]:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={query.shape[1]} and "
            f"Hkv={key.shape[1]}. Try setting enable_gqa=True for GQA."
        )
    if query.shape[1] % key.shape[1]:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query.shape[1]} and "
            f"Hkv={key.shape[1]}."
        )


def check_mask(block_mask: BlockMask, length: int, keys: int) -> None:
    """Raise for a mask that was made for other lengths."""
    rows, columns = block_mask.seq_lengths
    if (length, keys) != (rows, columns):
        raise ValueError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={length} and kv_len={keys}. "
            "As the block mask was created for another length, create a new one"
        )
