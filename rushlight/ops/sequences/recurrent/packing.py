"""Packing: sequences of different lengths as rows, step by step, and padded to one length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import SAME


def places_of(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each row of a packed sequence its step and its member of the batch."""
    times = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.cumsum(sizes) - sizes
    return times, np.arange(len(times)) - np.repeat(starts, sizes)


def pack(input: Tensor, lengths: Tensor, batch_first: bool) -> tuple[Tensor, Tensor]:
    """The rows of padded sequences, step by step, and how many there are in each step."""
    input.size(1)
    if batch_first:
        input = input.transpose(0, 1)
    counts = lengths._array
    check_lengths(input, lengths)
    sizes = (counts[None] > np.arange(counts.max())[:, None]).sum(1)
    times, members = places_of(sizes)
    return packed_rows(input, wrap(times), wrap(members)), wrap(sizes)


def check_lengths(input: Tensor, lengths: Tensor) -> None:
    if lengths.ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.ndim}D cpu "
            f"{lengths.dtype.scalar} tensor"
        )
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    counts = lengths._array
    if len(counts) != input.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={input.shape[1]})"
        )
    if (counts[1:] > counts[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability: they are sorted for you then."
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if counts[0] > input.shape[0]:
        raise RuntimeError(f"Expected lengths up to {input.shape[0]}, the length of the padded input, got {counts[0]}")


@op(dtype=SAME, linear=True, name="_packed_rows", node="PackPaddedSequenceBackward0", samples=None)
def packed_rows(input, times: "Tensor", members: "Tensor"):
    """Rows by their step and their member of the batch."""
    return input[times, members]


packed_rows.gradient(
    input=lambda grad, input_shape, times, members: grad.new_zeros(input_shape).index_put((times, members), grad)
)


def unpack(data: Tensor, sizes: Tensor, padding_value: float, total_length: int) -> tuple[Tensor, Tensor]:
    """Padded sequences `(T, B, *)` out of packed ones, and their lengths."""
    counts = sizes._array
    if counts.sum() != len(data) or (counts[1:] > counts[:-1]).any():
        raise RuntimeError(
            f"shape '{[len(counts), int(counts.max())]}' is invalid for input of size {len(data)}: batch_sizes says "
            "how many rows each step has, from the most to the fewest, and they are the rows of data"
        )
    times, members = places_of(counts)
    padded = data.new_full((total_length, int(counts[0]), *data.shape[1:]), padding_value)
    lengths = (counts[:, None] > np.arange(counts[0])).sum(0)
    return padded.index_put((wrap(times), wrap(members)), data), wrap(lengths)


def pad(sequences: Sequence[Tensor], batch_first: bool, padding_value: float, padding_side: str) -> Tensor:
    """Sequences of different lengths as one tensor `(T, B, *)`, the shorter ones padded at an end."""
    for place, each in enumerate(sequences):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not sequences[0].ndim:
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0: a sequence has at least one dimension")
    return padded(list(sequences), padding_value, padding_side == "left", batch_first)


@op(dtype=SAME, name="_padded", node="torch::autograd::CopySlices", samples=None)
def padded(tensors: "list[Tensor]", value: float, left: bool, batch_first: bool):
    """The sequences side by side in an array that is filled with the value elsewhere."""
    first = tensors[0]
    shape = [max(len(each) for each in tensors), *first.shape[1:]]
    shape.insert(0 if batch_first else 1, len(tensors))
    found = np.full(shape, value, first.dtype)
    for place, each in enumerate(tensors):
        row = found[place] if batch_first else found[:, place]
        ends = row[len(row) - len(each) :] if left else row[: len(each)]
        try:
            ends[...] = each
        except ValueError:
            raise RuntimeError(
                f"The size of tensor a {list(first.shape[1:])} must match the size of tensor b {list(each.shape[1:])}: "
                "sequences may differ in their first dimension alone"
            ) from None
    return found


padded.gradient(
    tensors=lambda grad, tensors_shape, left, batch_first: [
        part(grad.select(0 if batch_first else 1, place), shape[0], left) for place, shape in enumerate(tensors_shape)
    ]
)


def part(grad: Tensor, length: int, left: bool) -> Tensor:
    return grad.narrow(0, len(grad) - length if left else 0, length)
