"""Multi-head attention: queries, keys and values projected into several heads, and their results joined."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.products.linear import linear
from rushlight.ops.random.dropout import dropped
from rushlight.ops.sequences.attention.dot_product import attend
from rushlight.ops.shape.joining import cat


def samples(make):
    def weights(size):
        return make.floats(3 * size, size), make.floats(3 * size)

    def out(size):
        return make.floats(size, size), make.floats(size)

    query, key = make.floats(3, 2, 4), make.floats(5, 2, 4)
    plain = (4, 2, *weights(4), None, None, False, 0.0, *out(4))
    extra = (4, 2, *weights(4), make.floats(1, 1, 4), make.floats(1, 1, 4), True, 0.0, *out(4))
    separate = {
        name: make.floats(4, size) for name, size in (("q_proj_weight", 4), ("k_proj_weight", 3), ("v_proj_weight", 2))
    }
    return [
        case(query, query, query, *plain),
        case(query, key, key, *plain, need_weights=False),
        case(query, key, key + 1, *plain, attn_mask=make.bools(3, 5)[:, :1] & make.bools(3, 5)),
        case(query, key, key, *plain, key_padding_mask=make.floats(2, 5), average_attn_weights=False),
        case(query, query, query, *plain, attn_mask=make.floats(4, 3, 3), need_weights=False),
        case(query, query, query, *extra, attn_mask=make.floats(3, 3)),
        case(query[:, 0], key[:, 0], key[:, 0], *plain),
        case(
            query,
            make.floats(5, 2, 3),
            make.floats(5, 2, 2),
            4,
            2,
            None,
            make.floats(12),
            *plain[4:],
            use_separate_proj_weight=True,
            **separate,
        ),
        case(query, key, key, 5, *plain[1:]),
        case(query, key, key, 4, 3, *plain[2:]),
        case(query, key[:, 0], key, *plain),
        case(query, key, key, *plain, attn_mask=make.floats(5, 3)),
        case(query, query, query, *plain, is_causal=True),
    ]


@composed(name="nn.functional.multi_head_attention_forward", samples=cases(samples))
def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """What `nn.MultiheadAttention` computes: `(L, N, E)` and, if asked for, the weights `(N, L, S)`.

    >>> x, weights = torch.zeros(3, 1, 4), list(nn.MultiheadAttention(4, 2).parameters())
    >>> output, attention = F.multi_head_attention_forward(
    ...     x, x, x, 4, 2, *weights[:2], None, None, False, 0.0, *weights[2:]
    ... )
    >>> attention[0, 0].detach()  # three places that are alike
    tensor([0.3333, 0.3333, 0.3333])
    """
    batched = check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        # what is one tensor stays one
        made = {id(each): each.unsqueeze(1) for each in (query, key, value)}
        query, key, value = made[id(query)], made[id(key)], made[id(value)]
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    key_padding_mask = as_added(key_padding_mask, "key_padding_mask", query.dtype, attn_mask, "attn_mask")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. Transformer.generate_square_subsequent_mask makes one."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = as_added(attn_mask, "attn_mask", query.dtype)
        is_causal = is_causal and key_padding_mask is None
    check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        projected = [linear(*each) for each in zip((query, key, value), weights, biases, strict=True)]
    else:
        projected = in_projection(query, key, value, in_proj_weight, in_proj_bias)
    heads = Heads(query.shape, num_heads, projected, attn_mask, key_padding_mask, key.shape[0])
    heads.extend(bias_k, bias_v, add_zero_attn, static_k, static_v)
    output, weights = heads.attend(dropout_p if training else 0.0, is_causal, need_weights)
    output = out_projection(output, out_proj_weight, out_proj_bias)
    if need_weights:
        weights = weights.mean(1) if average_attn_weights else weights.view(weights.shape)
        weights = weights if batched else weights.squeeze(0)
    return output if batched else output.squeeze(1), weights


def out_projection(heads: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """What all heads found, (L, N, E), brought together; as in torch the rows of one matrix."""
    steps, batch, size = heads.shape
    return linear(heads.reshape(steps * batch, size), weight, bias).view(steps, batch, weight.shape[0])


class Heads:
    """Queries, keys and values `(N, heads, L, E)` and the masks that are added to their products."""

    def __init__(
        self, shape: Any, num_heads: int, projected: Any, mask: Tensor | None, padding: Tensor | None, keys: int
    ):
        self.length, self.batch, self.width = shape
        self.num_heads = num_heads
        self.query, self.key, self.value = projected
        self.mask, self.padding = mask, padding
        if mask is None:
            return
        expected = (self.length, keys) if mask.ndim == 2 else (self.batch * num_heads, self.length, keys)
        if mask.shape != expected:
            raise RuntimeError(
                f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be {tuple(expected)}."
            )
        self.mask = mask if mask.ndim == 2 else mask.view(self.batch, num_heads, self.length, keys)

    def split(self, given: Tensor) -> Tensor:
        """(L, N, E) as (N, heads, L, E / heads)."""
        return given.view(len(given), self.batch, self.num_heads, given.shape[-1] // self.num_heads).permute(1, 2, 0, 3)

    def longer(self) -> None:
        """Masks for one key more, which everybody may see."""
        if self.mask is not None:
            self.mask = cat([self.mask, self.mask.new_zeros((*self.mask.shape[:-1], 1))], -1)
        if self.padding is not None:
            self.padding = cat([self.padding, self.padding.new_zeros((*self.padding.shape[:-1], 1))], -1)

    def extend(self, bias_k: Any, bias_v: Any, add_zero_attn: bool, static_k: Any, static_v: Any) -> None:
        """Take the heads apart, after a learned key and before one of zeros, if there are such."""
        if (bias_k is None) != (bias_v is None):
            raise AssertionError("bias_k and bias_v: give both, or neither")
        if bias_k is not None:
            for name, static in (("key", static_k), ("value", static_v)):
                if static is not None:
                    raise AssertionError(f"bias cannot be added to static {name}.")
            self.key = cat([self.key, bias_k.repeat(1, self.batch, 1)])
            self.value = cat([self.value, bias_v.repeat(1, self.batch, 1)])
            self.longer()
        self.query = self.split(self.query)
        self.key = self.split(self.key) if static_k is None else self.fixed(static_k, "static_k")
        self.value = self.split(self.value) if static_v is None else self.fixed(static_v, "static_v")
        if add_zero_attn:
            nothing = self.key.new_zeros((self.batch, self.num_heads, 1, self.key.shape[-1]))
            self.key, self.value = cat([self.key, nothing], 2), cat([self.value, nothing], 2)
            self.longer()

    def fixed(self, given: Tensor, name: str) -> Tensor:
        rows, size = self.batch * self.num_heads, self.width // self.num_heads
        if given.shape[0] != rows:
            raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {given.shape[0]}")
        if given.shape[2] != size:
            raise AssertionError(f"expecting {name}.size(2) of {size}, but got {given.shape[2]}")
        return given.view(self.batch, self.num_heads, *given.shape[1:])

    def added(self) -> Tensor | None:
        """Both masks as one."""
        if self.padding is None:
            return self.mask
        keys = self.key.shape[2]
        for dim, size in enumerate((self.batch, keys)):
            if self.padding.shape[dim] != size:
                raise AssertionError(
                    f"Expected key_padded_mask.shape[{dim}] to be {size}, but got {self.padding.shape[dim]}: the mask "
                    f"has a number for each key, {(self.batch, keys)}"
                )
        padding = self.padding.view(self.batch, 1, 1, keys)
        return padding if self.mask is None else self.mask + padding

    def attend(self, dropout_p: float, causal: bool, need_weights: bool) -> tuple[Tensor, Tensor | None]:
        """The heads' results side by side, (L, N, E), and the weights (N, heads, L, S)."""
        mask, weights = self.added(), None
        if need_weights:
            products = (self.query * math.sqrt(1 / self.query.shape[-1])).matmul(self.key.transpose(-1, -2))
            weights = (products if mask is None else products + mask.to(products.dtype)).softmax(-1)
            weights = dropped(weights, dropout_p, True, False)
            found = weights.matmul(self.value)
        else:
            found, _ = attend(self.query, self.key, self.value, mask, dropout_p, causal)
        return found.permute(2, 0, 1, 3).reshape(self.length, self.batch, self.width), weights


def in_projection(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
    """Query, key and value after one linear map each; one product for those that are the same tensor."""
    size = query.shape[-1]
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if key is value and query is key:
        return linear(query, weight, bias).chunk(3, -1)
    if key is value:
        first, rest = weight.split([size, 2 * size])
        biases = (None, None) if bias is None else bias.split([size, 2 * size])
        return linear(query, first, biases[0]), *linear(key, rest, biases[1]).chunk(2, -1)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(*each) for each in zip((query, key, value), weight.chunk(3), biases, strict=True)]


def as_added(mask: Tensor | None, name: str, dtype: Any, other: Tensor | None = None, other_name: str = "") -> Any:
    """A mask as what is added to products: minus infinity where a bool mask is True."""
    if mask is None or mask.is_floating_point():
        kind = None if mask is None else mask.dtype
    elif str(mask.dtype) != "torch.bool":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    else:
        kind = mask.dtype
        mask = mask.new_zeros(mask.shape, dtype=dtype).masked_fill_(mask, -math.inf)
    if kind is not None and other is not None and other.dtype != kind:
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return mask


def check_dims(query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any, num_heads: int) -> bool:
    """Whether there is a dimension for the batch; refuses arguments that do not agree about it."""
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    dims = query.ndim
    kind = f"{'batched (3-D)' if dims == 3 else 'unbatched (2-D)'} `query`"
    if key.ndim != dims or value.ndim != dims:
        raise AssertionError(
            f"For {kind}, expected `key` and `value` to be {dims}-D but found {key.ndim}-D and {value.ndim}-D tensors "
            "respectively"
        )
    if padding is not None and padding.ndim != dims - 1:
        raise AssertionError(
            f"For {kind}, expected `key_padding_mask` to be `None` or {dims - 1}-D but found {padding.ndim}-D tensor "
            "instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind}, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead"
        )
    if dims == 2 and mask is not None and mask.ndim == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return dims == 3


def check_sizes(query: Tensor, key: Tensor, value: Tensor, width: int, num_heads: int, separate: bool) -> None:
    size = query.shape[-1]
    if size != width:
        raise AssertionError(f"was expecting embedding dimension of {width}, but got {size}")
    if size % num_heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
