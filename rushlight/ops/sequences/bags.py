"""Bags: rows of a table looked up by number and brought together, many to one."""

from __future__ import annotations

import numpy as np

from rushlight.core.creation.ranges import arange
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.explained import explained
from rushlight.errors.fixes import INDICES
from rushlight.errors.warning import warn
from rushlight.ops.indexing.indexing import pick_into
from rushlight.ops.indexing.indices import INDEX_KINDS
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.writing import scalar_name
from rushlight.ops.sequences.embedding import shorten

SUM, MEAN, MAX = range(3)
MODES = ("sum", "mean", "max")


@op(
    dtype=MATCH,
    operands=["weight"],
    name="_embedding_bag",
    node="EmbeddingBagBackward0",
    returns=("output", "bags", "sizes", "largest"),
    samples=None,
)
def bagged(
    weight,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool,
    mode: int,
    per_sample_weights: "Tensor" = None,
    padding_idx: int = -1,
):
    """Each bag's rows brought together; the bag of each index, how many rows count in each bag, and the largest ones.

    `offsets` are where the bags begin, and where the last one ends.
    """
    bags = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    indices = indices[: len(bags)]
    kept = indices != padding_idx
    sizes = np.bincount(bags[kept], minlength=len(offsets) - 1)
    rows = weight.take(indices, 0) if len(indices) else np.empty((0, weight.shape[1]), weight.dtype)
    if mode == MAX:
        output, largest = maxima(rows[kept], indices[kept], bags[kept], sizes)
        return output, bags, sizes, largest
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[: len(rows), None].astype(rows.dtype)
    output = sums(rows[kept], sizes)
    if mode == MEAN:
        output /= np.maximum(sizes, 1)[:, None].astype(output.dtype)
    return output, bags, sizes, sizes


def sums(rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The sums of as many rows each, one after the other."""
    found = np.zeros((len(sizes), rows.shape[1]), rows.dtype)
    filled = np.flatnonzero(sizes)
    if len(filled):
        found[filled] = np.add.reduceat(rows, (np.cumsum(sizes) - sizes)[filled], 0)
    return found


def maxima(rows: np.ndarray, indices: np.ndarray, bags: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest element of each column in each bag, and the row of the table it came from: the first of equals."""
    if len(sizes) and 0 < sizes.min() == sizes.max() and rows.dtype.kind == "f" and not np.isnan(rows).any():
        return maxima_alike(rows.reshape(len(sizes), sizes[0], -1), indices.reshape(len(sizes), -1))
    found = np.zeros((len(sizes), rows.shape[1]), rows.dtype)
    largest = np.zeros(found.shape, np.int64)
    filled = np.flatnonzero(sizes)
    if len(filled):
        starts = (np.cumsum(sizes) - sizes)[filled]
        found[filled] = np.maximum.reduceat(rows, starts, 0)
        best = rows == found[bags]
        order = np.where(best, np.arange(len(rows))[:, None], len(rows))
        first = np.minimum.reduceat(order, starts, 0)
        largest[filled] = indices[np.minimum(first, len(rows) - 1)]
    return found, largest


def maxima_alike(rows: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of bags that have as many rows each, (bags, size, columns): a tenth of the time that reduceat takes."""
    found = rows[:, 0].copy()
    largest = np.empty(found.shape, np.int64)
    largest[...] = indices[:, :1]
    for place in range(1, rows.shape[1]):
        candidate = rows[:, place]
        better = candidate > found
        np.copyto(found, candidate, where=better)
        np.copyto(largest, indices[:, place, None], where=better)
    return found, largest


def table_formula(
    grad, weight_shape, indices, bags, sizes, largest, mode, scale_grad_by_freq, per_sample_weights, padding_idx
):
    """Each bag's gradient, added to the rows that were in it."""
    if mode == MAX:
        columns = arange(weight_shape[1]).expand(largest.shape)
        grad = grad * (sizes > 0)[:, None]  # an empty bag came from no row
        return pick_into(grad, [largest, columns], (0, 1), weight_shape)
    indices = indices[: len(bags)]
    if mode == MEAN:
        grad = grad / sizes.clamp(min=1)[:, None]
    rows = grad[bags]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[: len(bags), None]
    if padding_idx >= 0:
        rows = rows.masked_fill((indices == padding_idx)[:, None], 0)
    if scale_grad_by_freq and len(bags):
        rows = rows / indices.bincount()[indices.long()][:, None]
    return pick_into(rows, [indices], (0,), weight_shape)


def sample_gradient(
    grad: Tensor, weight: Tensor, indices: Tensor, bags: Tensor, shape: tuple, padding_idx: int
) -> Tensor:
    """How much each row that was looked up counts."""
    used = indices[: len(bags)]
    found = (grad[bags] * weight[used]).sum(-1)
    if padding_idx >= 0:
        found = found.masked_fill(used == padding_idx, 0)
    rest = shape[0] - len(bags)
    return found if not rest else found.new_zeros(shape).index_put((indices.new_tensor(range(len(bags))),), found)


bagged.gradient(
    weight=table_formula,
    per_sample_weights=lambda grad, weight, indices, bags, per_sample_weights_shape, padding_idx: sample_gradient(
        grad, weight, indices, bags, tuple(per_sample_weights_shape), padding_idx
    ),
)


def check(
    weight: np.ndarray, indices: np.ndarray, offsets: np.ndarray, samples: np.ndarray | None, include_last: bool
) -> None:
    for name, each in (("indices", indices), ("offsets", offsets)):
        if each.dtype not in INDEX_KINDS:
            raise explained(
                RuntimeError,
                f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: Long, Int; but "
                f"got torch.{scalar_name(each)}Tensor instead (while checking arguments for embedding_bag)",
                fix=INDICES,
            )
    if weight.dtype.kind != "f" and weight.dtype not in HALF:
        raise explained(
            RuntimeError,
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got torch.{scalar_name(weight)}Tensor instead (while checking arguments for "
            "embedding_bag)",
            fix="the table holds floats: weight.float()",
        )
    if len(offsets):
        if offsets[0] != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                f"However, got {offsets[0]}"
            )
        if offsets[-1] > len(indices):
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {len(indices)} but got offsets[-1] of "
                f"{offsets[-1]}"
            )
        if (np.diff(offsets) < 0).any():
            raise RuntimeError(f"Expected offsets to grow from bag to bag, but got {offsets.tolist()}")
    elif include_last:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    wrong = (indices < 0) | (indices >= len(weight))
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise RuntimeError(
            f"Index {place} of input takes value {indices[place]} which is not in the valid range [0, {len(weight)})"
        )
    if samples is not None and samples.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type torch.{scalar_name(weight)}Tensor does not equal "
            f"torch.{scalar_name(samples)}Tensor (while checking arguments for embedding_bag)"
        )


def with_end(offsets: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Where the bags begin, and where the last one ends; without offsets there is no bag at all."""
    return np.append(offsets, np.asarray(len(indices) if len(offsets) else 0, offsets.dtype))


@op(dtype=MATCH, operands=["offsets"], name="_bag_ends", samples=None)
def ends_for_samples(
    offsets, weight: Tensor, indices: Tensor, per_sample_weights: "Tensor" = None, include_last_offset: bool = False
):
    """The same inside of `vmap`, which looks at each sample by itself."""
    check(weight, indices, offsets, per_sample_weights, include_last_offset)
    return offsets if include_last_offset else with_end(offsets, indices)


def inner(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`nn.functional.embedding_bag` by torch's inner name: the bags, then what their gradient needs.

    >>> table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    >>> torch.embedding_bag(table, torch.tensor([0, 1, 2]), torch.tensor([0, 2]))[0]  # sums
    tensor([[1., 1.],
            [5., 5.]])
    """
    if any([isinstance(each, Tensor) and is_mapped(each) for each in (weight, indices, offsets, per_sample_weights)]):
        offsets = ends_for_samples(offsets, weight, indices, per_sample_weights, include_last_offset)
    else:
        samples = None if per_sample_weights is None else per_sample_weights._array
        check(weight._array, indices._array, offsets._array, samples, include_last_offset)
        if not include_last_offset:
            offsets = wrap(with_end(offsets._array, indices._array))
    size = weight._array.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif not -size <= padding_idx < size:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-size} through {size - 1}, but got {padding_idx}"
        )
    elif padding_idx < 0:
        padding_idx += size
    if sparse:
        warn("sparse gradients are not in Rushlight: the gradient of the embedding is dense, with the same numbers")
    return tuple(bagged(weight, indices, offsets, scale_grad_by_freq, mode, per_sample_weights, padding_idx))


NAMESPACES[""]["embedding_bag"] = NAMESPACES[""]["_embedding_bag"] = inner


def bags(make):
    table, numbers, offsets = make.floats(6, 3), np.array([1, 5, 2, 4, 2]), np.array([0, 2, 2])
    return [
        *[case(numbers, table, offsets, mode=mode) for mode in MODES],
        *[case(numbers, table, offsets, mode=mode, padding_idx=2) for mode in MODES],
        *[case(make.ints(2, 3, low=0, high=6), table.astype("float64"), mode=mode) for mode in MODES],
        case(numbers, table, offsets, mode="sum", per_sample_weights=make.floats(5)),
        case(numbers, table, offsets, mode="sum", per_sample_weights=make.floats(5), padding_idx=-1),
        case(numbers, table, np.array([0, 3, 5]), include_last_offset=True),
        case(numbers.astype("int32"), table, offsets.astype("int32")),
        case(numbers[:0], table, np.array([0, 0])),
        case(numbers, table),
        case(numbers.reshape(1, 5), table, offsets),
        case(numbers, table, offsets, mode="median"),
        case(numbers, table, offsets, mode="max", per_sample_weights=make.floats(5)),
        case(numbers, table, offsets, mode="max", scale_grad_by_freq=True),
        case(numbers, table, offsets, mode="sum", per_sample_weights=make.floats(4)),
        case(numbers, table, np.array([1, 2])),
        case(numbers, table, np.array([0, 9])),
        case(numbers + 3, table, offsets),
        case(numbers, table, offsets, padding_idx=7),
        case(numbers.reshape(1, 1, 5), table),
        case(numbers, table[0], offsets),
    ]


@composed(name="nn.functional.embedding_bag", samples=cases(bags))
def embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """The sum, mean or largest elements of the rows that each bag of numbers names.

    Bags are the rows of `input` if it has two dimensions; else they begin at the `offsets`, and with
    `include_last_offset` the last of these is the end. Rows at `padding_idx` do not count; rows longer than `max_norm`
    are shortened in the table itself; `per_sample_weights` multiply the rows of a sum.

    >>> table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    >>> F.embedding_bag(torch.tensor([0, 1, 2]), table, offsets=torch.tensor([0, 2]), mode="sum")
    tensor([[1., 1.],
            [5., 5.]])
    """
    if weight.dtype.is_floating_point is False and input.is_floating_point():
        warn("Argument order of nn.functional.embedding_bag was changed: it is `embedding_bag(input, weight, ...)`.")
        input, weight = weight, input
    check_shapes(input, weight, offsets, per_sample_weights)
    if input.ndim == 2:
        count, length = input.shape
        offsets = wrap(np.arange(count, dtype=input._array.dtype) * length)
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        cause = "scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"
        raise ValueError(f"max mode does not support {cause}")
    if max_norm is not None:
        shorten(weight, input, float(max_norm), float(norm_type))
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}')."
        )
    number = MODES.index(mode)
    return inner(
        weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights, include_last_offset, padding_idx
    )[0]


def check_shapes(input: Tensor, weight: Tensor, offsets: Tensor | None, per_sample_weights: Tensor | None) -> None:
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the "
            f"same shape as the input ({input.shape})"
        )
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
    elif input.ndim == 1:
        if not isinstance(offsets, Tensor) or offsets.ndim != 1:
            raise ValueError(f"offsets has to be a 1D Tensor, but got {type(offsets).__name__}")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
