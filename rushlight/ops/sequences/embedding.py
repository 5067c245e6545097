"""Embedding: rows of a table looked up by number, and numbers written as rows of zeros with a one."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import INDICES
from rushlight.errors.warning import warn
from rushlight.ops.indexing.indexing import pick_into
from rushlight.ops.indexing.indices import INDEX_KINDS
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.inplace import call_inplace, written
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.index_words import LOOKED_UP
from rushlight.ops.machine.transforms.layer_words import COUNTED
from rushlight.ops.machine.transforms.level import is_lifted
from rushlight.ops.machine.writing import check_range, scalar_name


@op(
    dtype=SAME,
    batch=LOOKED_UP,
    linear=True,
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(5, 3), make.ints(2, 4, low=0, high=5)),
            corner(make.floats(5, 3), np.array([1, 2, 2], "int32"), 2),
            case(make.floats(3, 5).T, np.array(2)),
            case(make.floats(5, 3), np.array([], "int64")),
            case(make.floats(5, 3), np.array([5])),
            case(make.floats(5, 3), np.array([-1])),
            case(make.floats(5), np.array([1])),
            case(make.floats(5, 3), make.floats(2)),
        ]
    ),
)
def embedding(weight: Tensor, indices: Tensor, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """Rows of `weight`; see `nn.functional.embedding`.

    >>> torch.embedding(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1, 0, 1]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if weight.ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, not of shape {list(weight.shape)}")
    if indices.dtype not in INDEX_KINDS:
        raise explained(
            RuntimeError,
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
            f"but got torch.{scalar_name(indices)}Tensor instead (while checking arguments for embedding)",
            fix=INDICES,
        )
    size = len(weight)
    if not size and indices.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive: the table has no rows")
    require_room((*indices.shape, weight.shape[1]), weight.itemsize)
    check_range(indices, 0, size, f"index out of range in self: the table has {size} rows, numbered from 0")
    return weight.take(indices, 0) if indices.size else np.empty((*indices.shape, weight.shape[1]), weight.dtype)


embedding.gradient(
    weight=lambda grad, weight_shape, indices, padding_idx, scale_grad_by_freq: pick_into(
        row_gradients(grad, indices, padding_idx, scale_grad_by_freq), [indices], (0,), weight_shape
    )
)
embedding.op.refuse_complex_gradients()


def row_gradients(grad: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """The gradient of each row that was looked up: none for padding, shared by those looked up together."""
    if padding_idx >= 0:
        grad = grad.masked_fill((indices == padding_idx)[..., None], 0)
    if scale_grad_by_freq and indices.numel():
        times = indices.reshape(-1).bincount()[indices.long()]
        grad = grad / times[..., None]
    return grad


@composed(
    name="nn.functional.embedding",
    samples=cases(
        lambda make: [
            case(make.ints(2, 4, low=0, high=5), make.floats(5, 3)),
            corner(np.array([1, 4, 1]), make.floats(5, 3), padding_idx=-1),
            corner(np.array([1, 4, 1]), make.floats(5, 3), padding_idx=1),
            case(np.array(2), make.floats(5, 3)),
            case(np.array([5]), make.floats(5, 3)),
            case(np.array([1]), make.floats(5, 3), padding_idx=7),
            case(np.array([1]), make.floats(5)),
        ]
    ),
)
def embedding_function(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """Rows of `weight` by number: `(*)` integers and a table `(V, D)` give `(*, D)`.

    The row `padding_idx` receives no gradient; rows longer than `max_norm` are shortened in the table itself;
    `scale_grad_by_freq` divides a row's gradient by how often it was looked up. Gradients are dense.

    >>> words = torch.tensor([[2, 0]])
    >>> F.embedding(words, torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    tensor([[[0.5000, 0.6000],
             [0.1000, 0.2000]]])
    """
    size = weight._array.shape[0] if weight._array.ndim else 0
    if padding_idx is None:
        padding_idx = -1
    elif not -size <= padding_idx < size:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx = padding_idx + size
    if sparse:
        warn("sparse gradients are not in Rushlight: the gradient of the embedding is dense, with the same numbers")
    if max_norm is not None:
        shorten(weight, input, float(max_norm), float(norm_type))
    return embedding(weight, input, padding_idx, scale_grad_by_freq)


def shorten(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows about to be looked up down to a norm of `max_norm`, without history."""
    if is_lifted(weight):
        weight = weight.detach()
    if is_lifted(weight) or is_lifted(indices):
        call_inplace(shortened.op, (weight, indices, max_norm, norm_type))
        return
    shorten_rows(weight._array, indices._array, max_norm, norm_type)
    written(weight)


def shorten_rows(table: np.ndarray, indices: np.ndarray, max_norm: float, norm_type: float) -> None:
    rows = np.unique(indices)
    check_range(rows, 0, len(table), "index out of range in self")
    # half precision adds up in float32; its norms and factors are rounded
    taken = table[rows].astype(compute_dtype(table.dtype), copy=False)
    norms = np.linalg.norm(taken, norm_type, 1).astype(table.dtype).astype(np.float64)
    long = norms > max_norm
    table[rows[long]] *= (max_norm / (norms[long] + 1e-7)).astype(table.dtype)[:, None]


@op(dtype=SAME, operands=["input"], name="_embedding_renorm", samples=None)
def shortened(input, indices: Tensor, max_norm: float, norm_type: float):
    """The table with the rows that are looked up no longer than `max_norm`; function transforms write it into one."""
    found = input.copy()
    shorten_rows(found, indices, max_norm, norm_type)
    return found


@op(
    dtype=SAME,
    batch=COUNTED,
    name="nn.functional.one_hot",
    samples=cases(
        lambda make: [
            case(np.array([0, 2, 1])),
            case(np.array([[0, 2], [1, 1]]), 4),
            case(np.array(2)),
            case(np.array([], "int64"), 3),
            case(np.array([0, 2]), num_classes=2),
            case(np.array([-1])),
            case(np.array([], "int64")),
            case(np.array([1], "int32")),
        ]
    ),
)
def one_hot(input, num_classes=-1):
    """A new last dimension of `num_classes` zeros, with a one at the position that the number gives.

    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if input.dtype != np.int64:
        raise RuntimeError(
            f"one_hot is only applicable to index tensor of type LongTensor, not {scalar_name(input)}Tensor."
        )
    if not input.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return np.zeros((*input.shape, num_classes), np.int64)
    require_room((*input.shape, max(num_classes, 1)), 8)
    if input.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = int(input.max())
    if num_classes == -1:
        num_classes = largest + 1
    elif largest >= num_classes:
        raise RuntimeError(f"Class values must be smaller than num_classes. ({largest} is not below {num_classes})")
    require_room((*input.shape, num_classes), 8)
    found = np.zeros((*input.shape, num_classes), np.int64)
    found.reshape(-1, num_classes)[np.arange(input.size), input.reshape(-1)] = 1
    return found
