"""What packages that carry their own copy of a function of `torch.nn.functional` import from there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core.numbers.dtypes import dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.ops.products.linear import linear
from rushlight.ops.sequences.attention.multi_head import as_added, check_dims, in_projection


def _mha_shape_check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Whether the arguments of attention have a dimension for the batch; refuses those that do not agree."""
    return check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: dtype | None,
    other_name: str,
    target_type: dtype,
    check_other: bool = True,
) -> Tensor | None:
    """A mask as what is added to products: minus infinity where a bool mask is True."""
    found = as_added(mask, mask_name, target_type)
    if check_other and mask is not None and other_type is not None and mask.dtype != other_type:
        warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.")
    return found


def _none_or_dtype(input: Tensor | None) -> dtype | None:
    """The dtype of a tensor, or None for None."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError(f"input to _none_or_dtype() must be None or torch.Tensor, not {type(input).__name__}")


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> Any:
    """Query, key and value after the three linear maps whose weights stand on top of each other in `w`."""
    return tuple([each.contiguous() for each in in_projection(q, k, v, w, b)])


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value after a linear map each, all of them to the size of the query."""
    size = q.shape[-1]
    named = (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v))
    for name, given, weight, _ in named:
        if weight.shape != (size, given.shape[-1]):
            expected = (size, given.shape[-1])
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {weight.shape}")
    for name, _, _, bias in named:
        if bias is not None and bias.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {bias.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _check_key_padding_mask(key_padding_mask: Tensor, src_len: int, bsz: int) -> None:
    """Refuse a mask that does not have a number for each key, (N, S)."""
    for dim, size in enumerate((bsz, src_len)):
        if key_padding_mask.shape[dim] != size:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {size}, but got {key_padding_mask.shape[dim]}"
            )


def _verify_batch_size(size: Sequence[int]) -> None:
    """Refuse a batch whose channels have one value each: it has no variance."""
    if math.prod(size) == size[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(size)}")
