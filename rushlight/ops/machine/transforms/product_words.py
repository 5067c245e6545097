"""Words for products of matrices, and for kernels that slide over images."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.words import Batch, each_sample


def PRODUCT(batch: Batch) -> Any:
    """A product of two operands, vectors or matrices with dimensions in front."""
    first, second = batch.tensors()[:2]
    return product(batch, first, second)


def product(batch: Batch, first: int, second: int) -> Tensor:
    """What `matmul` gives for each sample of two arguments."""
    one, two = batch.ndim(first), batch.ndim(second)
    if batch.is_mapped(first) and not batch.is_mapped(second) and two <= 2:
        return batch.arguments[first].matmul(batch.arguments[second])
    if one == 1:
        batch.arguments[first] = batch.arguments[first].unsqueeze(-2)
    if two == 1:
        batch.arguments[second] = batch.arguments[second].unsqueeze(-1)
    batch.align(first, second)
    found = batch.arguments[first].matmul(batch.arguments[second])
    if one == 1:
        found = found.squeeze(-2)
    return found.squeeze(-1) if two == 1 else found


def CONJUGATED(batch: Batch) -> Any:
    """The product of two vectors, the first conjugated."""
    first = batch.arguments[0]
    batch.arguments[0] = first.conj() if first.is_complex() else first
    return product(batch, 0, 1)


def COLUMNS(batch: Batch) -> Any:
    """The first matrix transposed, times the second."""
    return batch.arguments[0].transpose(-1, -2).matmul(batch.arguments[1])


def LINEAR(batch: Batch) -> Any:
    """The product with a transposed weight, and a bias."""
    weight, bias = 1, 2
    if not batch.is_mapped(weight) and not batch.is_mapped(bias):
        return batch.call()
    ndim = batch.ndim(0)
    if batch.ndim(weight) != 2:
        return each_sample(batch)
    batch.arguments[weight] = batch.arguments[weight].transpose(-1, -2)
    own = batch.arguments[bias]
    if ndim == 2 and own is not None and batch.is_mapped(weight) and batch.is_mapped(bias):
        rows = batch.arguments[0]
        # torch's last step is the sum
        return (rows if batch.is_mapped(0) else batch.spread(rows)).bmm(batch.arguments[weight]) + own.unsqueeze(1)
    found = product(batch, 0, weight)
    if own is None:
        return found
    if batch.is_mapped(bias):
        own = own.reshape(batch.size, *[1] * (ndim - 1), -1)
        if not batch.is_mapped(0) and not batch.is_mapped(weight):
            found = batch.spread(found)
    return found + own


def CONVOLVED(batch: Batch) -> Any:
    """Images with kernels: the batch is more images, or more groups of channels where kernels differ."""
    names = batch.op.positions
    weight, bias = names["weight"], names["bias"]
    if not batch.is_mapped(weight) and not batch.is_mapped(bias):
        value = batch.arguments[0]
        found = batch.call(input=value.flatten(0, 1))
        return found.unflatten(0, (batch.size, value.shape[1]))
    batch.fill(0, weight)
    kernels, own = batch.arguments[weight], batch.arguments[bias]
    found = batch.call(
        input=in_channels(batch.arguments[0]),
        weight=kernels.flatten(0, 1),
        bias=None,
        groups=batch["groups"] * batch.size,
    )
    found = out_of_channels(found, batch.size)
    if own is None:
        return found
    own = own if batch.is_mapped(bias) else own.unsqueeze(0)
    return found + own.reshape(own.shape[0], 1, -1, *[1] * (found.ndim - 3))


def in_channels(images: Tensor) -> Tensor:
    """(B, N, C, *) as (N, B * C, *)."""
    return images.transpose(0, 1).flatten(1, 2)


def out_of_channels(images: Tensor, size: int) -> Tensor:
    """(N, B * C, *) as (B, N, C, *)."""
    return images.unflatten(1, (size, -1)).transpose(0, 1)


def KERNELS(batch: Batch) -> Any:
    """The gradient of kernels, another one for each sample: the batch is more groups of channels."""
    batch.fill(0, 1)
    found = batch.call(
        image=in_channels(batch.arguments[0]),
        output=in_channels(batch.arguments[1]),
        groups=batch["groups"] * batch.size,
    )
    return found.unflatten(0, (batch.size, -1))
