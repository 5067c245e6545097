"""Transformers: encoders and decoders of attention and feed-forward layers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import is_grad_enabled
from rushlight.core.creation.filled import full
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.activation import GELU, ReLU
from rushlight.nn.modules.container import ModuleList
from rushlight.nn.modules.dropout import Dropout
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.multihead_attention import MultiheadAttention
from rushlight.nn.modules.normalization import LayerNorm
from rushlight.ops.sequences.attention.multi_head import as_added

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Minus infinity for all later positions, zero elsewhere: `(sz, sz)`."""
    return full((sz, sz), -math.inf, dtype=dtype, device=device).triu(1)


def is_relu(activation: Any) -> bool:
    return activation is F.relu or isinstance(activation, ReLU)


def is_gelu(activation: Any) -> bool:
    return activation is F.gelu or isinstance(activation, GELU)


def _get_activation_fn(activation: Activation) -> Any:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


def _get_seq_len(src: Tensor, batch_first: bool) -> int | None:
    """The length of a sequence, alone or in a batch."""
    return src.shape[0] if src.ndim == 2 or not batch_first else src.shape[1]


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """What the caller says of a mask, or what it shows: whether it hides just the later positions."""
    if is_causal is not None or mask is None:
        return bool(is_causal)
    size = mask.shape[-2] if size is None else size
    causal = _generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.shape == causal.shape and mask.equal(causal)


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


class TransformerEncoderLayer(Module):
    """Self-attention, then a feed-forward network, each added to its input and normalized."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype, "bias": bias}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)
        # torch asks for it, so that files which it is to read have it
        self.activation_relu_or_gelu = 1 if is_relu(self.activation) else 2 if is_gelu(self.activation) else 0

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = as_added(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = as_added(src_mask, "src_mask", src.dtype)
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), mask, padding, is_causal)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, mask, padding, is_causal))
        return self.norm2(src + self._ff_block(src))

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Tensor:
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
        return self.dropout1(self.self_attn(x, x, x, **masks, need_weights=False, is_causal=is_causal)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's memory, then a feed-forward network."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"device": device, "dtype": dtype, "bias": bias}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **made)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **made)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), *own)
            tgt = tgt + self._mha_block(self.norm2(tgt), *other)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, *own))
        tgt = self.norm2(tgt + self._mha_block(tgt, *other))
        return self.norm3(tgt + self._ff_block(tgt))

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Tensor:
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
        return self.dropout1(self.self_attn(x, x, x, **masks, is_causal=is_causal, need_weights=False)[0])

    def _mha_block(
        self, x: Tensor, mem: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Tensor:
        masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask}
        return self.dropout2(self.multihead_attn(x, mem, mem, **masks, is_causal=is_causal, need_weights=False)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after another."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = why_not_nested(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            # torch's words, though nothing is ever nested here: programs filter this warning
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        padding = as_added(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = as_added(mask, "mask", src.dtype)
        is_causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, self.layers[0].self_attn.batch_first))
        packed = padding is not None and mask is None and self._packs(src, padding)
        if packed:
            absent = padding.ne(0)
            padding = absent.to(src.dtype).masked_fill(absent, -math.inf)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if packed:
            src = src.masked_fill(absent.unsqueeze(-1), 0)
        return src if self.norm is None else self.norm(src)

    def _packs(self, src: Tensor, padding: Tensor) -> bool:
        """Whether torch would leave out the padding, which then comes back as zeros."""
        layer = self.layers[0]
        if not self.use_nested_tensor or layer.training or src.ndim != 3:
            return False
        if padding.shape != src.shape[:2]:
            raise RuntimeError(f"Mask size should match input size: {list(padding.shape)} for {list(src.shape)}")
        if is_grad_enabled() and (src.requires_grad or any(each.requires_grad for each in layer.parameters())):
            return False
        return not self.mask_check or bool((padding.eq(0).int().diff(dim=1) <= 0).all())


def why_not_nested(layer: Any) -> str:
    """torch's reason not to pack sequences inside an encoder, or nothing."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not attention.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if not is_relu(layer.activation) and not is_gelu(layer.activation):
        return "encoder_layer.activation_relu_or_gelu was not True"
    return "encoder_layer.self_attn.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after another."""

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        causal = _detect_is_causal_mask(
            tgt_mask, tgt_is_causal, _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        )
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder: a source `(S, N, E)` and a target `(T, N, E)` give `(T, N, E)`."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        inner = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*inner, **made)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            other = TransformerDecoderLayer(*inner, **made)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
            custom_decoder = TransformerDecoder(other, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError(
                f"the batch number of src and tgt must be equal, not {src.shape[batch]} and {tgt.shape[batch]}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError(
                f"the feature number of src and tgt must be equal to d_model={self.d_model}, not {src.shape[-1]} and "
                f"{tgt.shape[-1]}"
            )
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The mask of a causal model: minus infinity for all later positions, zero elsewhere."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
