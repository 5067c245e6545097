"""Losses of a classification: how unlikely the right classes were."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.ops.losses.loss_reduction import legacy, unknown
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import refuse_history
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.loss_words import CLASSES


def index_cases(make):
    """Samples with a class number for each row."""
    x, classes = make.floats(4, 3), np.array([2, 0, 1, 2])
    images, points = make.floats(2, 3, 4, 5), make.ints(2, 4, 5, low=0, high=3)
    weight = make.floats(3, low=0.5)
    return [
        *[case(x, classes, reduction=each) for each in ("mean", "sum", "none")],
        *[case(x, classes, weight, ignore_index=2, reduction=each) for each in ("mean", "sum", "none")],
        *[case(images, points, weight, reduction=each) for each in ("mean", "sum", "none")],
        case(images, points, ignore_index=1),
        case(make.floats(2, 3, 4), make.ints(2, 4, low=0, high=3)),
        case(make.floats(3), np.array(1)),
        case(make.floats(3), np.array([1])),
        case(x, np.array([2, -100, -100, 0])),
        corner(x, np.array([-100, -100, -100, -100])),
        case(make.floats(3, 4).T, classes),
        case(x, classes.astype("uint8")),
        case(make.floats(0, 3), classes[:0]),
        case(make.floats(4, 3, dtype="float64"), classes),
        case(make.floats(4, 3, dtype="float16"), classes),
        case(x, np.array([0, 1, 2, 3])),
        case(x, np.array([0, 1, 2, -1])),
        case(x, classes[:2]),
        case(x, classes.astype("int32")),
        case(x, classes, weight[:2]),
        case(x, classes, weight.astype("float64")),
        case(x, classes, reduction="other"),
        case(images, points[:, 1:]),
        case(make.floats(), np.array(1)),
    ]


def class_dim(ndim: int) -> int:
    return 0 if ndim == 1 else 1


def class_numbers(input: Tensor, target: Tensor) -> Tensor:
    """The target as int64, in the shape of the input without its classes."""
    shape, found = input._array.shape, target._array.shape
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) == 1 and found == (1,):
        target = target.reshape(())
    elif found != (shape[:1] + shape[2:] if len(shape) > 1 else ()):
        # torch looks at the dtype before it counts the classes of one row, or compares the sides of images
        if (len(shape) == 1 and len(found) < 2) or (len(shape) == 4 and len(found) == 3 and shape[0] == found[0]):
            require_numbers(target)
        raise wrong_shape(shape, found)
    if target._array.dtype == np.int64:
        return target
    require_numbers(target)
    return target.long()


def require_numbers(target: Tensor) -> None:
    if target._array.dtype not in (np.int64, np.uint8):
        words = f"expected target dtype to be Long or Byte, but got {target.dtype.scalar}"
        fix = "class numbers are int64: target.long(); probabilities have the input's shape"
        raise explained(RuntimeError, words, fix=fix)


def wrong_shape(input: tuple[int, ...], target: tuple[int, ...]) -> Exception:
    if len(target) > 1 and (len(input) == 1 or (len(input) == 2 and input[0] == target[0])):
        return RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported: the target holds one class number for each "
            f"row, but its shape is {list(target)}"
        )
    if len(input) == len(target) == 1:
        return ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target[0]}")
    if len(input) < 3 or not target or input[0] != target[0]:
        size = target[0] if target else 0
        words = f"Expected input batch_size ({input[0]}) to match target batch_size ({size})."
        return explained(ValueError, words, fix="give each row of the input one target")
    if len(input) == 4 and len(target) != 3:
        return RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(target)}; "
            f"expected {[*input[:1], *input[2:]]}"
        )
    if len(input) == 4:
        return RuntimeError(f"size mismatch (got input: {list(input)} , target: {list(target)}")
    return RuntimeError(f"Expected target size {[*input[:1], *input[2:]]}, got {list(target)}")


def check_weight_shape(weight: Tensor, input: Tensor) -> None:
    classes = input._array.shape[class_dim(input.ndim)]
    if weight._array.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
            f"of shape: {list(weight.shape)}"
        )


def check_weight(weight: Tensor | None, input: Tensor) -> None:
    if weight is None:
        return
    refuse_history("nll_loss2d_forward" if input.ndim > 2 else "nll_loss_forward", weight=weight)
    check_weight_shape(weight, input)
    if weight.dtype is not input.dtype:
        words = f"expected scalar type {input.dtype.scalar} but found {weight.dtype.scalar}"
        raise explained(RuntimeError, words, fix="give the weight the input's dtype: weight.to(input.dtype)")


def shares_of(
    target: np.ndarray, input: np.ndarray, weight: np.ndarray | None, ignore_index: int, reduction: str
) -> Any:
    """The part that each row has in the loss; a number where it is the same for all."""
    require_room(input.shape, input.itemsize)
    classes = input.shape[class_dim(input.ndim)]
    ignored = target == ignore_index if 0 <= ignore_index < classes else None
    if any_outside(target, classes):
        ignored = target == ignore_index
        wrong = (target.view(np.uint64) >= classes) & ~ignored
        if wrong.any():
            words = f"Target {target[wrong].flat[0]} is out of bounds."
            fix = f"the input has {classes} classes, numbered from 0 to {classes - 1}"
            raise explained(IndexError, words, fix=fix)
    if ignored is None and weight is None:
        if reduction == "mean":
            return 1 / target.size if target.size else math.nan
        return 1.0
    found = np.ones(target.shape, input.dtype) if weight is None else weight[inside(target, classes)]
    if ignored is not None:
        found = np.where(ignored, found.dtype.type(0), found)
    if reduction == "mean":
        # where nothing counts there is no mean, but a gradient of zero
        found = found / (np.add.reduce(found, None) or 1)
    return found


def any_outside(target: np.ndarray, classes: int) -> bool:
    # as unsigned numbers negative ones are huge: one pass instead of two
    return bool(target.size and np.maximum.reduce(target.view(np.uint64), None) >= classes)


def inside(target: np.ndarray, classes: int) -> np.ndarray:
    """Class numbers that can be looked up: those out of range, which are ignored, become 0."""
    return np.where(target.view(np.uint64) >= classes, 0, target) if any_outside(target, classes) else target


def places(target: np.ndarray, shape: tuple[int, ...], checked: bool = False) -> tuple:
    """NumPy's index of the target classes in an array of the input's shape."""
    if not checked:
        target = inside(target, shape[class_dim(len(shape))])
    if len(shape) == 1:
        return (target,)
    if len(shape) == 2:
        return np.arange(len(target)), target
    last = target.ndim - 1
    steps = [np.arange(size).reshape((size,) + (1,) * (last - dim)) for dim, size in enumerate(target.shape)]
    return steps[0], target, *steps[1:]


def brought_together(values: np.ndarray, shares: Any, reduction: str) -> np.ndarray:
    """The rows' losses times their shares, summed up unless the reduction is "none"."""
    if reduction not in ("mean", "sum", "none"):
        raise unknown(reduction)
    if type(shares) is float:
        return values if reduction == "none" else np.add.reduce(values, None) * shares
    values = np.where(shares, values * shares, shares * 0)
    if reduction == "none":
        return values
    return np.add.reduce(values, None) if reduction == "sum" or shares.any() else values.dtype.type(math.nan)


def likelihood_node(ndim: int, reduction: str) -> str:
    """torch's node: it has one for images, which other inputs of several dimensions are viewed as."""
    if ndim < 3:
        return "NllLossBackward0"
    return "ViewBackward0" if reduction == "none" and ndim != 4 else "NllLoss2DBackward0"


@op(
    dtype=MATCH,
    operands=["input"],
    name="_nll_loss",
    batch=CLASSES,
    returns=("loss", "shares"),
    node=lambda input, reduction: likelihood_node(input.ndim, reduction),
    samples=None,
)
def negative_log_likelihood(input, target, weight: "Tensor" = None, ignore_index=-100, reduction="mean"):
    """The negated input at the target class of each row, and each row's share in the loss."""
    shares = shares_of(target, input, weight, ignore_index, reduction)
    right = input[places(target, input.shape, type(shares) is float)]
    loss = brought_together(-right, shares, reduction)
    return loss, np.asarray(shares, input.dtype)


def classes_within(target: Tensor, input: Tensor) -> tuple[int, Tensor]:
    """The dimension of the classes, and class numbers along it that can be looked up, ignored ones too."""
    dim = class_dim(input.ndim)
    return dim, target.clamp(0, max(input.shape[dim] - 1, 0)).unsqueeze(dim)


def row_shares(target: Tensor, like: Tensor, weight: Tensor | None, classes: Tensor, ignore_index: int, dim: int):
    """The part of each row before it is divided, and the sum of them: as `shares_of`, of ops."""
    found = like.new_ones(like.shape) if weight is None else weight[classes.squeeze(dim)]
    found = found.masked_fill(target == ignore_index, 0)
    return found, found.sum()


def likelihood_of(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str):
    """As `negative_log_likelihood`, of ops."""
    dim, classes = classes_within(target, input)
    right = input.gather(dim, classes).squeeze(dim)
    shares, total = row_shares(target, right, weight, classes, ignore_index, dim)
    if reduction == "mean":
        shares = shares / total.masked_fill(total == 0, 1)
    values = (-right * shares).masked_fill(shares == 0, 0)
    if reduction == "none":
        return values, shares
    summed = values.sum()
    return (summed.masked_fill(total == 0, math.nan) if reduction == "mean" else summed), shares


negative_log_likelihood.made_of(likelihood_of)
negative_log_likelihood.gradient(
    input=lambda grad, shares, target, input_shape: (
        None if grad is None else -placed(grad * shares, target, input_shape)
    )
)


@op(dtype=SAME, linear=True, name="_placed", samples=None)
def placed(rows, target, shape: tuple):
    """Zeros, and the value of each row at its target class."""
    found = np.zeros(shape, rows.dtype)
    found[places(target, shape)] = rows
    return found


def placed_of(rows: Tensor, target: Tensor, shape: tuple) -> Tensor:
    """As `placed`, of ops."""
    zeros = target.new_zeros(shape, dtype=rows.dtype)
    dim, classes = classes_within(target, zeros)
    return zeros.scatter(dim, classes, rows.expand(target.shape).unsqueeze(dim))


def taken_of(input: Tensor, target: Tensor) -> Tensor:
    """As `taken`, of ops."""
    dim, classes = classes_within(target, input)
    return input.gather(dim, classes).squeeze(dim)


placed.made_of(placed_of)
placed.gradient(rows=lambda grad, target: taken(grad, target))


@op(dtype=SAME, linear=True, name="_taken", samples=None)
def taken(input, target):
    """The value of each row at its target class."""
    return input[places(target, input.shape)]


taken.made_of(taken_of)
taken.gradient(input=lambda grad, target, input_shape: placed(grad, target, input_shape))


@composed(name="nn.functional.nll_loss", samples=cases(index_cases))
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Mean of the negated log-probabilities of the right classes: `(N, C)` or `(N, C, d1, ...)`.

    `weight` has a factor for each class; targets equal to `ignore_index` do not count.

    >>> log_probabilities = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]).log()
    >>> F.nll_loss(log_probabilities, torch.tensor([0, 2]), reduction="none")
    tensor([0.6931, 2.0794])
    """
    reduction = legacy(size_average, reduce, reduction)
    target = class_numbers(input, target)
    require_floats("nll_loss_out_frame", input._array)
    check_weight(weight, input)
    return negative_log_likelihood(input, target, weight, ignore_index, reduction)[0]
