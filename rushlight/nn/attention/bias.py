"""Causal biases: masks of attention that are known by their corner, so that the usual one need not be made."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Self

from rushlight.core.creation.filled import empty, ones
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.nn.functional import scaled_dot_product_attention

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """Where the diagonal of a causal mask that is not square begins: in its first corner, or in its last."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """What `causal_upper_left` and `causal_lower_right` make: an `attn_mask` for `scaled_dot_product_attention`.

    It is printed as the mask that it stands for; there are no numbers in it to compute with.
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Self:
        return empty(1, seq_len_q, seq_len_kv).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(
                f"variant must be a CausalVariant, got {type(variant).__name__}: call causal_upper_left(q, kv) or "
                "causal_lower_right(q, kv)"
            )
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv

    def _materialize(self, device: Any = None) -> Tensor:
        """The mask of booleans that it stands for: True where a query sees a key."""
        shift = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        mask: Tensor = ones(self.seq_len_q, self.seq_len_kv, dtype=dtypes.bool_, device=device)
        return mask.tril(diagonal=shift)

    @staticmethod
    def _dispatch(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: CausalBias,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        """Attention with the bias: by `is_causal` where that means the same, else with the mask itself."""
        if is_causal:
            raise ValueError(
                "CausalBias should not be used with causal=True: it is the causal mask already; leave is_causal out"
            )
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        by_corner = square or attn_mask.variant == CausalVariant.UPPER_LEFT
        mask = None if by_corner else attn_mask._materialize(query.device)
        return scaled_dot_product_attention(query, key, value, mask, dropout_p, by_corner, scale, enable_gqa)

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {} if kwargs is None else kwargs
        if func is scaled_dot_product_attention:
            return cls._dispatch(*args, **kwargs)
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self) -> str:  # type: ignore[override]
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """A causal mask whose diagonal begins in the first corner: query i sees the keys up to i.

    >>> torch.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *two(size, "causal_upper_left"))


def causal_lower_right(*size: int) -> CausalBias:
    """A causal mask whose diagonal ends in the last corner: the last query sees all keys.

    >>> torch.nn.attention.bias.causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *two(size, "causal_lower_right"))


def two(size: tuple[int, ...], name: str) -> tuple[int, int]:
    if len(size) != 2:
        raise AssertionError(
            f"{name} only supports 2D tensors: it takes the numbers of queries and of keys, but got {len(size)} sizes"
        )
    return size[0], size[1]
