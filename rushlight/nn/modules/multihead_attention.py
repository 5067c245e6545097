"""Multi-head attention as a layer."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.filled import empty
from rushlight.core.object.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.linear import NonDynamicallyQuantizableLinear
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.ops.sequences.attention.multi_head import as_added

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention in several heads: a query `(L, N, E)`, keys and values `(S, N, E)` give `(L, N, E)` and weights.

    With `batch_first=True` the batch comes first: `(N, L, E)`. `need_weights=False` is the fast way.
    """

    in_proj_weight: Tensor | None
    in_proj_bias: Tensor | None
    q_proj_weight: Tensor | None
    k_proj_weight: Tensor | None
    v_proj_weight: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim == self.vdim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(f"embed_dim must be divisible by num_heads: {embed_dim} and {num_heads}")
        make = lambda *shape: Parameter(empty(shape, device=device, dtype=dtype))
        widths = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if not self._qkv_same_embed_dim:
            for name, width in widths.items():
                self.register_parameter(name, make(embed_dim, width))
        self.register_parameter("in_proj_weight", make(3 * embed_dim, embed_dim) if self._qkv_same_embed_dim else None)
        if self._qkv_same_embed_dim:
            for name in widths:
                self.register_parameter(name, None)
        self.register_parameter("in_proj_bias", make(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k: Tensor | None = make(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v: Tensor | None = make(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            for bias in (self.in_proj_bias, self.out_proj.bias):
                init.zeros_(bias)  # type: ignore[arg-type]
        for each in (self.bias_k, self.bias_v):
            if each is not None:
                init.xavier_normal_(each)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The result and, unless `need_weights=False`, the weights, averaged over the heads.

        Keys that are True in `key_padding_mask` `(N, S)` are ignored; where `attn_mask` `(L, S)` or
        `(N heads, L, S)` is True a query may not see a key; floats are added. `is_causal` says what `attn_mask` is.
        """
        key_padding_mask = as_added(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
        attn_mask = as_added(attn_mask, "attn_mask", query.dtype)
        turned = self.batch_first and query.ndim == 3
        if turned:
            same = key is value, query is key
            query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
            # what was one tensor is projected at once
            query, value = key if same[1] else query, key if same[0] else value
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            not self._qkv_same_embed_dim,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return output.transpose(0, 1) if turned else output, weights
