"""Inner functions: those of torch's own library that have no public name, under `torch._name` and `torch.ops.aten`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from rushlight.core.creation.ranges import arange
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.numbers.dtypes import int32, int64
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.refusals import no_kernel
from rushlight.ops.images.convolution import convolution, image_gradient, kernel_gradient
from rushlight.ops.images.padding import pad
from rushlight.ops.indexing.assignment import index_put
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.reductions.reductions import sum
from rushlight.ops.reductions.searching import searchsorted
from rushlight.ops.reductions.segments import segment_reduce
from rushlight.ops.reductions.softmax import log_softmax, softmax, softmax_gradient
from rushlight.ops.shape.joining import cat, stack
from rushlight.ops.shape.slicing import take_slice

_segment_reduce = segment_reduce
Indices = Sequence[Tensor | None]


def _to_copy(
    input: Tensor,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A copy, on request in another dtype or order in memory; it has a history."""
    options = {} if memory_format is None else {"memory_format": memory_format}
    return input.to(device=device, dtype=dtype or input.dtype, copy=True, **options)


def alias(input: Tensor) -> Tensor:
    """A view of the whole tensor."""
    return input.view(input.shape) if input.is_contiguous() else input[...]


def index(input: Tensor, indices: Indices) -> Tensor:
    """`input[indices]`, where None stands for a whole dimension."""
    return input[tuple([builtins.slice(None) if each is None else each for each in indices])]


def _pin_memory(input: Tensor, device: Any = None) -> Tensor:
    """A copy in memory that a GPU could read: refused, as torch refuses it without one."""
    return input.pin_memory()


def _sparse_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Refused: there are no sparse tensors."""
    raise NotImplementedError("sparse layouts are left out: keep the tensor dense, and call torch.addmm")


def _sparse_mm_reduce_impl(input: Tensor, other: Tensor, reduce: str) -> Tensor:
    """Refused: there are no sparse tensors."""
    raise NotImplementedError("sparse layouts are left out: keep the tensor dense, and call torch.mm")


def _softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """Softmax without a dtype of its own."""
    refuse_widening("softmax", half_to_float)
    return softmax(input, dim)


def _log_softmax(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """Logarithm of the softmax without a dtype of its own."""
    refuse_widening("log_softmax", half_to_float)
    return log_softmax(input, dim)


def refuse_widening(name: str, half_to_float: bool) -> None:
    if half_to_float:
        raise RuntimeError(f"{name} with half to float conversion is not supported on CPU; pass False")


def _safe_softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """Softmax that is zero, not NaN, where every element along `dim` is minus infinity."""
    dead = (input == -float("inf")).all(dim, keepdim=True)
    return softmax(input.masked_fill(dead, 0), dim, dtype).masked_fill(dead, 0)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype) -> Tensor:
    """The gradient of softmax's input from that of its result."""
    refuse_narrowing(grad_output, input_dtype)
    return softmax_gradient(grad_output * output, output, dim).contiguous()


def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype) -> Tensor:
    """The gradient of log_softmax's input from that of its result."""
    refuse_narrowing(grad_output, input_dtype)
    return (grad_output - output.exp() * grad_output.sum(dim, True)).contiguous()


def refuse_narrowing(grad: Tensor, wanted: Dtype) -> None:
    if wanted.is_floating_point and wanted.itemsize < grad.dtype.itemsize:
        raise RuntimeError(
            f"expected scalar type {grad.dtype.scalar} but found {wanted.scalar}: the CPU computes in one dtype"
        )


def _powsum(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Sum of the absolute values raised to a power: a vector norm before its root. It stands in `torch.linalg`."""
    if dtype is None and not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise no_kernel("powsum_cpu", x.dtype.scalar)
    sizes = (x if dtype is None else x.to(dtype)).abs().pow(ord)
    return sizes.sum(dim, keepdim) if out is None else sum(sizes, dim, keepdim, out=out)


def slice(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """A slice along one dimension, in Python's terms."""
    if step <= 0:
        raise RuntimeError(f"slice step must be positive, got {step}")
    return take_slice(input, dim, start, end, step)


def _unsafe_index(input: Tensor, indices: Indices) -> Tensor:
    """`input[indices]`; indices are checked nonetheless."""
    return input[whole(indices)]


def _unsafe_index_put(input: Tensor, indices: Indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with `values` at the indices, which are checked nonetheless."""
    return index_put(input, tuple(indices), values, accumulate)


def _unsafe_masked_index(input: Tensor, mask: Tensor, indices: Indices, fill: float) -> Tensor:
    """`input[indices]` where the mask holds, elsewhere `fill`: there an index may be anything."""
    if not input.numel():
        return input.new_full(mask.shape, fill)
    inside = [None if each is None else each.masked_fill(~mask, 0) for each in indices]
    return input[whole(inside)].masked_fill(~mask, fill)


def _unsafe_masked_index_put_accumulate(input: Tensor, mask: Tensor, indices: Indices, values: Tensor) -> Tensor:
    """A copy with `values` added at the indices where the mask holds."""
    if not input.numel():
        return input.clone()
    inside = [None if each is None else each.masked_fill(~mask, 0) for each in indices]
    return index_put(input, tuple(inside), values.masked_fill(~mask, 0), True)


def whole(indices: Indices) -> tuple:
    """Indices as a subscript: None stands for a whole dimension."""
    everything = builtins.slice(None)
    return tuple([everything if each is None else each for each in indices])


def _chunk_cat(tensors: Sequence[Tensor], dim: int, num_chunks: int, *, out: Tensor | None = None) -> Tensor:
    """Each tensor cut into chunks along `dim`, padded with zeros and laid flat; the chunks of all side by side."""
    dim = check_chunks(tensors, dim, num_chunks)
    rows = []
    for each in tensors:
        size = -(-each.shape[dim] // num_chunks)
        missing = size * num_chunks - each.shape[dim]
        padded = pad(each, (0, 0) * (each.ndim - dim - 1) + (0, missing))
        rows.append(padded.reshape(*each.shape[:dim], num_chunks, -1))
    return cat(rows, dim + 1) if out is None else cat(rows, dim + 1, out=out)


def check_chunks(tensors: Sequence[Tensor], dim: int, num_chunks: int) -> int:
    """Refuse what `_chunk_cat` cannot lay side by side; gives `dim` counted from the front."""
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError(f"_chunk_cat expects positive num_chunks, got {num_chunks}")
    first = tensors[0]
    if any(each.dtype is not first.dtype for each in tensors):
        raise explained(
            RuntimeError,
            "_chunk_cat expects all input tensors with the same dtype",
            fix=one_dtype(*[each.dtype for each in tensors]),
        )
    if any(not each.numel() for each in tensors):
        raise RuntimeError("_chunk_cat expects non-empty tensor")
    if dim < 0:
        if any(each.ndim != first.ndim for each in tensors):
            raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
        dim += first.ndim
    if any(not 0 <= dim < each.ndim for each in tensors):
        raise RuntimeError(f"_chunk_cat expects dim < ndim for all input tensors, got dim {dim}")
    if any(each.shape[:dim] != first.shape[:dim] for each in tensors):
        raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
    return dim


def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each of `size` rows begins among sorted row numbers, and where the last one ends."""
    if input.dim() > 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {input.dim()} dimensional tensor.")
    return searchsorted(input, arange(size + 1, dtype=input.dtype), out_int32=out_int32)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Rows and columns, of which the rows are given by where each begins: `(2, N)`, columns first if transposed."""
    if crow_indices.dim() > 1:
        raise RuntimeError(
            "crow_indices and col_indices are supposed to have the same dimensionality, but got "
            f"{crow_indices.dim()} and {col_indices.dim()} dimensional tensors, respectively: rows of one matrix alone "
            "are converted"
        )
    kind = int32 if out_int32 else int64
    rows = arange(len(crow_indices) - 1).repeat_interleave(crow_indices.diff())
    pair = [rows.to(kind), col_indices.to(kind)]
    return stack(pair[::-1] if transpose else pair)


def _convolution(input: Tensor, weight: Tensor, bias: Tensor | None, *options: Any) -> Tensor:
    """A convolution with the switches of cuDNN after its options, which say nothing about a CPU."""
    stride, padding, dilation, transposed, output_padding, groups, *_ = options
    return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def convolution_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The gradients of a convolution's input, weight and bias, those that the mask asks for."""
    made: list[Tensor | None] = [None, None, None]
    if output_mask[0]:
        made[0] = image_gradient(
            grad_output, conjugate(weight), input.shape, stride, padding, dilation, transposed, groups
        )
    if output_mask[1]:
        image, grad = conjugate(input), grad_output
        if transposed:
            image, grad = grad, image
        made[1] = kernel_gradient(image, grad, weight.shape[2:], stride, padding, dilation, groups)
    if output_mask[2]:
        made[2] = sum(grad_output, [0, *range(2, grad_output.dim())])
    return tuple(made)  # type: ignore[return-value]


__all__ = [
    "_chunk_cat",
    "_convolution",
    "convolution_backward",
    "_convert_indices_from_coo_to_csr",
    "_convert_indices_from_csr_to_coo",
    "_pin_memory",
    "_sparse_addmm",
    "_sparse_mm_reduce_impl",
    "_log_softmax",
    "_log_softmax_backward_data",
    "_safe_softmax",
    "_segment_reduce",
    "_softmax",
    "_softmax_backward_data",
    "_to_copy",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_masked_index",
    "_unsafe_masked_index_put_accumulate",
    "alias",
    "index",
    "slice",
]
