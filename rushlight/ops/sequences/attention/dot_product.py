"""Dot-product attention: softmax of the products of queries and keys, times the values, as one op."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.layout import empty_like_array
from rushlight.core.memory.meta import beside, reserve
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random.random import bernoulli
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.replay import array_of, arrays_of, replayed
from rushlight.ops.machine.rules import MATCH, SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.layer_words import ATTENDED
from rushlight.ops.machine.transforms.words import PLAIN

# torch has one kernel for the usual call; else its last step is a product, of matrices or of stacks of them, or a sum
# where tensors are empty
NODES = {
    None: "ScaledDotProductFlashAttentionForCpuBackward0",
    False: "MmBackward0",
    True: "UnsafeViewBackward0",
    (): "AddBackward0",
}


@op(
    dtype=MATCH,
    batch=ATTENDED,
    operands=["tensors"],
    name="_attention",
    node=lambda steps: NODES[steps],
    returns=("output", "totals"),
    samples=None,
)
def attention(
    tensors: "list[Tensor]", allowed: "Tensor" = None, noise: "Tensor" = None, causal=False, scale=1.0, steps=None
):
    """The result, and for each query the logarithm of the sum of exponentials that its weights were divided by.

    `tensors` are query, key, value and, if there is one, what is added to the products; `allowed` says which keys a
    query may see; `causal` that it may see no later ones; weights are multiplied by `noise`; `steps` tells under
    which name of NODES the node is shown.
    """
    query, key, value, *added = tensors
    products = scores(query, key, added[0] if added else None, allowed, causal, scale)
    highest = np.maximum.reduce(products, -1, keepdims=True, initial=-np.inf)
    highest[highest == -np.inf] = 0
    weights = np.exp(products - highest)
    sums = np.add.reduce(weights, -1, keepdims=True)
    # a query that may see nothing gets zeros
    weights /= np.where(sums == 0, 1, sums)
    totals = np.where(sums == 0, np.inf, np.log(sums) + highest)
    if noise is not None:
        weights *= noise
    found = np.matmul(weights, value)
    if (
        noise is None
        and found.ndim == query.ndim
        and found.shape[:-1] == query.shape[:-1]
        and query.ndim == 4
        and query.size
    ):
        # the order of the dimensions in memory is the query's, as with torch's own kernel
        output = empty_like_array(query if found.shape == query.shape else query[..., :1].repeat(found.shape[-1], -1))
        output[...] = found
        found = output
    return found, totals[..., 0]


attention.gradient(
    tensors=lambda grad, tensors, allowed, noise, causal, scale, output, totals: gradients(
        grad, tensors, allowed, noise, causal, scale, output, totals
    )
)


def scores(query: Any, key: Any, added: Any, allowed: Any, causal: bool, scale: float) -> np.ndarray:
    """The scaled products, minus infinity where a query may not see a key."""
    products = np.matmul(query, key.swapaxes(-1, -2))
    products *= scale
    if added is not None:
        products = products + added
    if allowed is not None:
        products = np.where(allowed, products, -np.inf).astype(products.dtype, copy=False)
    if causal:
        rows, columns = products.shape[-2:]
        products[..., np.arange(columns) > np.arange(rows)[:, None]] = -np.inf
    return products


def gradients(
    grad: Tensor | None,
    tensors: list[Tensor],
    allowed: Tensor | None,
    noise: Tensor | None,
    causal: bool,
    scale: float,
    output: Tensor,
    totals: Tensor,
) -> list[Tensor | None]:
    if grad is None:
        return [None] * len(tensors)
    if not state.backward:
        return replayed(lambda *given: [plain(given, allowed, noise, causal, scale)], tensors, [grad])
    query, key, value, *added = arrays_of(tensors)
    given, result, divisors = arrays_of([grad, output, totals])
    hidden = None if allowed is None else allowed._array
    weights = np.exp(scores(query, key, added[0] if added else None, hidden, causal, scale) - divisors[..., None])
    slopes = np.matmul(given, value.swapaxes(-1, -2))
    dropped = weights
    if noise is not None:
        factor = array_of(noise)
        slopes *= factor
        dropped = weights * factor
    slopes -= np.add.reduce(given * result, -1, keepdims=True)
    slopes *= weights
    found = [
        np.matmul(slopes, key) * scale,
        np.matmul(slopes.swapaxes(-1, -2), query) * scale,
        np.matmul(dropped.swapaxes(-1, -2), given),
    ]
    if added:
        found.append(slopes)
    return [wrap(each) if tensor.requires_grad else None for each, tensor in zip(found, tensors, strict=True)]


def plain(
    tensors: Sequence[Tensor], allowed: Tensor | None, noise: Tensor | None, causal: bool, scale: float
) -> Tensor:
    """The same out of plain ops."""
    query, key, value, *added = tensors
    products = query.matmul(key.transpose(-1, -2)) * scale
    if added:
        products = products + added[0]
    if causal:
        products = products.masked_fill(
            wrap(beside(products._array, np.arange(products.shape[-1]) > np.arange(products.shape[-2])[:, None])),
            -math.inf,
        )
    if allowed is not None:
        products = products.masked_fill(allowed.logical_not(), -math.inf)
    nothing = products == -math.inf
    blind = nothing.all(-1, True)
    weights = products.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
    return (weights if noise is None else weights * noise).matmul(value)


def samples(make):
    query, key, value = make.floats(2, 3, 4, 5), make.floats(2, 3, 6, 5), make.floats(2, 3, 6, 5)
    blind = make.bools(4, 6)
    blind[1] = False
    turned = make.floats(2, 4, 3, 5).swapaxes(1, 2)
    return [
        case(query, key, value),
        case(query, key, value, is_causal=True),
        case(query, key, value, blind),
        case(query, key, value, make.floats(4, 6)),
        case(query, key, value, make.floats(2, 1, 4, 6), scale=0.3),
        case(query, key, value, None, 1.0),
        case(turned, turned, turned, is_causal=True),
        case(query, key[..., :2, :, :][:, :1], value[:, :1], enable_gqa=True),
        case(query[0], key[0], value[0, :, :, :2]),
        case(query[0, 0], key[0, 0], value[0, 0]),
        case(query[:, :, :0], key, value),
        case(query, key[:, :, :0], value[:, :, :0]),
        case(make.floats(70, 8), make.floats(70, 8), make.floats(70, 8), is_causal=True),
        case(query.astype("float64"), key.astype("float64"), value.astype("float64")),
        case(query, key, value.astype("float64")),
        case(query, key, value, make.ints(4, 6)),
        case(query[0, 0, 0], key, value),
        case(query, key[..., :3], value),
        case(query, key, value, None, 1.5),
        case(query, key[:, :2], value[:, :2], enable_gqa=True),
    ]


@composed(name="nn.functional.scaled_dot_product_attention", samples=cases(samples))
def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Attention: `softmax(query key^T scale + attn_mask) value`, each `(N, ..., L, E)`.

    A bool `attn_mask` says which keys a query may see; `is_causal=True` that it may see no later ones. `scale` is
    1 / sqrt(E) if not given. With `enable_gqa=True` several heads of the query may share one of the key.

    >>> query = key = torch.tensor([[[0.0], [0.0]]])
    >>> value = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    >>> F.scaled_dot_product_attention(query, key, value, is_causal=True)  # the first may not look ahead
    tensor([[[1.0000, 0.0000],
             [0.5000, 0.5000]]])
    """
    found, steps = attend(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    # where torch's last step is a product its result is not saved: programs may write over it
    if steps is None or not found.requires_grad:
        return found
    return handed_over(found, steps=steps) if steps is not False else multiplied(found)


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> tuple[Tensor, Any]:
    """The result of attention, which its node has saved, and which of NODES that is."""
    check(query, key, value, attn_mask, dropout_p)
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    if enable_gqa:
        key, value = shared_heads(query, key), shared_heads(query, value)
    tensors = [query, key, value]
    steps: Any = None
    if not all([math.prod(each._array.shape[:-1]) for each in tensors]) or not value._array.size:
        steps = ()
    elif not is_fused(query, key, value, attn_mask, dropout_p):
        steps = max(query.ndim, key.ndim, value.ndim) > 2
    if steps is not None and is_causal and attn_mask is not None:
        raise explained(
            RuntimeError,
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
            fix="leave is_causal out and hide the later keys in the mask, with torch.ones(L, S).tril().bool()",
        )
    if not all([has_dense_rows(each) for each in tensors]):
        # one arithmetic for all layouts; torch's other way has contiguous results
        tensors = [each.contiguous() for each in tensors]
    allowed = None
    if attn_mask is not None:
        if not has_dense_rows(attn_mask):
            attn_mask = attn_mask.contiguous()
        if attn_mask._array.dtype == bool:
            allowed = attn_mask
        else:
            tensors.append(attn_mask.to(query.dtype))
    noise = noise_of(query, key, dropout_p) if dropout_p > 0 else None
    return attention(tensors, allowed, noise, bool(is_causal), float(scale), steps)[0], steps


@op(dtype=SAME, batch=PLAIN, linear=True, name="_handed_over", node=lambda steps: NODES[steps], samples=None)
def handed_over(input, *, steps=None):
    """A copy, under the name of torch's last step."""
    return input.copy()


handed_over.gradient(input=lambda grad: grad)


@op(dtype=SAME, batch=PLAIN, linear=True, name="_multiplied", node=NODES[False], samples=None)
def multiplied(input):
    """As `handed_over`, where torch's last step is a product of matrices, which a backward frees."""
    return input.copy()


# named to be saved, as the factors of the product are
multiplied.gradient(input=lambda grad, input: grad)


def is_fused(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> bool:
    """Whether torch has one kernel for such a call."""
    one, two, three = [each._array.shape for each in (query, key, value)]
    if len(one) != 4 or len(two) != 4 or two != three or one[:2] != two[:2] or one[3] != two[3] or dropout_p > 0:
        return False
    if not all([has_dense_rows(each) for each in (query, key, value)]):
        return False
    if mask is None:
        return True
    if mask.requires_grad and state.grad:
        return False
    # torch's kernel looks at the last two dimensions of the mask
    axis(-2, mask._array.ndim)
    return mask._array.ndim in (2, 4)


def has_dense_rows(tensor: Tensor) -> bool:
    """Whether the last dimension has no gaps."""
    array = tensor._array
    return not array.ndim or array.strides[-1] == array.itemsize or array.shape[-1] == 1


def check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    kinds = [each._array.dtype for each in (query, key, value)]
    if kinds[0] != kinds[1] or kinds[0] != kinds[2]:
        raise explained(
            RuntimeError,
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype} key.dtype: "
            f"{key.dtype} and value.dtype: {value.dtype} instead.",
            fix=one_dtype(query.dtype, key.dtype, value.dtype),
        )
    if query._array.ndim < 2 or key._array.ndim < 2 or value._array.ndim < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    for wanted, found, rest in (
        (query.shape[-1], key.shape[-1], "the last sizes of query and key"),
        (key.shape[-2], value.shape[-2], "the numbers of keys and values"),
    ):
        if wanted != found:
            batch = math.prod(key.shape[:-2])
            raise explained(
                RuntimeError,
                f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {wanted}] but got: "
                f"[{batch}, {found}].",
                fix=f"{rest} must be equal",
            )
    if kinds[0] not in DIFFERENTIABLE or kinds[0].kind == "c":
        words = f"expected scalar type Float but found {query.dtype.scalar}"
        raise explained(RuntimeError, words, fix="convert query, key and value with .float()")
    if mask is not None and mask.dtype != query.dtype and str(mask.dtype) not in ("torch.bool", "torch.float32"):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{mask.dtype} and query.dtype: {query.dtype} instead."
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")


def shared_heads(query: Tensor, given: Tensor) -> Tensor:
    """Each head of a key or value as often as there are heads of the query for it."""
    heads, own = query.shape[-3], given.shape[-3]
    if not own or heads % own:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query: {own} does not divide {heads}"
        )
    return given if heads == own else given.repeat_interleave(heads // own, -3)


def noise_of(query: Tensor, key: Tensor, dropout_p: float) -> Tensor:
    """What weights are multiplied by in dropout, drawn as torch draws it."""
    batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    shape, kind = (*batch, query.shape[-2], key.shape[-2]), query._array.dtype
    if query.is_meta:
        return wrap(reserve(shape, kind))
    if dropout_p == 1:
        return wrap(np.zeros(shape, kind))
    noise = bernoulli(1 - dropout_p, shape, kind)
    noise /= 1 - dropout_p
    return wrap(noise)
