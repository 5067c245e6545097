"""Cross entropy: how unlikely the right classes were, straight from logits."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.losses.classification_losses import (
    brought_together,
    check_weight,
    check_weight_shape,
    class_dim,
    class_numbers,
    classes_within,
    index_cases,
    likelihood_node,
    likelihood_of,
    negative_log_likelihood,
    places,
    shares_of,
)
from rushlight.ops.losses.loss_reduction import legacy, unknown
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import MATCH, PROMOTE, WIDENED
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.loss_words import AT_CLASSES, CLASSES
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.reductions.folding import fold
from rushlight.ops.reductions.softmax import log_softmax, require_real, softmax_gradient


@op(
    dtype=MATCH,
    operands=["input"],
    name="_cross_entropy",
    batch=CLASSES,
    returns=("loss", "probs", "shares"),
    node=lambda input, reduction: likelihood_node(input.ndim, reduction),
    samples=None,
)
def cross_entropy_of_classes(input, target, weight: "Tensor" = None, ignore_index=-100, reduction="mean"):
    """The loss, the softmax over the classes, and each row's share in the loss."""
    require_real(input, "log_softmax")
    dim = class_dim(input.ndim)
    shares = shares_of(target, input, weight, ignore_index, reduction)
    if not input.size:
        rows = np.zeros(target.shape, input.dtype)
        return brought_together(rows, shares, reduction), input, np.asarray(shares, input.dtype)
    logits = input - np.maximum.reduce(input, dim, keepdims=True)
    right = logits[places(target, input.shape, type(shares) is float)]
    probs = np.exp(logits, logits)
    total = fold(np.add, probs, dim, True)
    probs /= total
    rows = np.log(total.reshape(right.shape)) - right
    return brought_together(rows, shares, reduction), probs, np.asarray(shares, input.dtype)


def cross_entropy_of(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str):
    """As `cross_entropy_of_classes`, of ops."""
    logs = log_softmax(input, class_dim(input.ndim))
    loss, shares = likelihood_of(logs, target, weight, ignore_index, reduction)
    return loss, logs.exp(), shares


cross_entropy_of_classes.made_of(cross_entropy_of)
cross_entropy_of_classes.gradient(
    input=lambda grads, probs, shares, target: cross_entropy_gradient(grads, probs, shares, target)
)


def cross_entropy_gradient(grads: list, probs: Tensor, shares: Tensor, target: Tensor) -> Tensor:
    """Through the loss, and through the probabilities where these were used by a gradient of this gradient."""
    found = None
    if grads[0] is not None:
        rows = grads[0] * shares
        found = less_one_at_target(probs, target, rows.unsqueeze(1) if rows.ndim and probs.ndim > 1 else rows)
    if grads[1] is not None:
        through = softmax_gradient(grads[1] * probs, probs, class_dim(probs.ndim))
        found = through if found is None else found + through
    return found


@op(dtype=WIDENED, operands=["probs", "scale"], batch=AT_CLASSES, name="_less_one_at_target", samples=None)
def less_one_at_target(probs, target, scale):
    """The probabilities, less one for the right classes, times the scale of each row."""
    found = probs * scale
    # rows that share one scale are not ignored
    where = places(target, probs.shape, checked=scale.ndim == 0 and probs.ndim > 1)
    found[where] -= scale.reshape(target.shape) if scale.ndim else scale
    return found


def less_one_of(probs: Tensor, target: Tensor, scale: Tensor) -> Tensor:
    """As `less_one_at_target`, of ops."""
    dim, classes = classes_within(target, probs)
    ones = probs.new_zeros(probs.shape).scatter(dim, classes, 1.0)
    return (probs - ones) * scale


less_one_at_target.made_of(less_one_of)
less_one_at_target.gradient(
    probs=lambda grad, scale: grad * scale,
    scale=lambda grad, probs, target, scale: grad * less_one_at_target(probs, target, scale.new_ones(scale.shape)),
)


@op(dtype=PROMOTE, batch=ELEMENTWISE, name="_negated_share", node="DivBackward1", samples=None)
def negated_share(input, count: float):
    """The negated input, divided by a count."""
    return -input / count


negated_share.gradient(input=lambda grad, count: -grad / count)


def cross_entropy_of_shares(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float):
    """The loss where the target holds a probability for each class."""
    if not target.is_floating_point():
        raise RuntimeError(
            f"Expected floating point type for target with class probabilities, got {target.dtype.scalar}"
        )
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions: there is one number for each class")
    dim = class_dim(input.ndim)
    classes = input.shape[dim]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    products = log_softmax(input, dim) * target
    if weight is not None:
        check_weight_shape(weight, input)
        products = products * along_classes(weight, input.ndim)
    if reduction == "none":
        return -products.sum(dim)
    if reduction == "sum":
        return -products.sum()
    if reduction != "mean":
        raise unknown(reduction)
    return negated_share(products.sum(), input.numel() / classes if input.numel() else math.nan)


def along_classes(weight: Tensor, ndim: int) -> Tensor:
    """A value for each class in a shape that spreads over the rows."""
    return weight.reshape([1, -1] + [1] * (ndim - 2)) if ndim > 1 else weight


def smoothed_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float
) -> Tensor:
    """The loss where a part of each target's probability is spread over all classes."""
    dim = class_dim(input.ndim)
    logs = log_softmax(input, dim)
    sharp = negative_log_likelihood(logs, target, weight, ignore_index, reduction)[0]
    spread = -(logs if weight is None else logs * along_classes(weight, input.ndim)).sum(dim)
    ignored = target == ignore_index
    spread = spread.masked_fill(ignored, 0)
    if reduction == "mean":
        # the weights do not scale this part again, only its total
        total = (
            (~ignored).sum() if weight is None else weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0).sum()
        )
        spread = spread.sum() / total
    elif reduction == "sum":
        spread = spread.sum()
    return sharp * (1 - smoothing) + spread * (smoothing / input.shape[dim])


def share_cases(make):
    """Samples with a probability for each class, and smoothed ones."""
    x, y, classes = make.floats(4, 3), make.floats(4, 3, low=0), np.array([2, 0, 1, 2])
    images, points = make.floats(2, 3, 4), make.ints(2, 4, low=0, high=3)
    weight = make.floats(3, low=0.5)
    return [
        *[case(x, y, weight, reduction=each) for each in ("mean", "sum", "none")],
        *[case(x, y, reduction=each, label_smoothing=0.2) for each in ("mean", "sum", "none")],
        *[case(x, classes, reduction=each, label_smoothing=0.2) for each in ("mean", "sum", "none")],
        *[
            case(images, points, weight, ignore_index=1, reduction=each, label_smoothing=0.2)
            for each in ("mean", "none")
        ],
        case(make.floats(3), make.floats(3, low=0)),
        case(x, y.astype("float64")),
        case(x, y, ignore_index=1),
        case(x, classes, label_smoothing=1.5),
        case(x, make.ints(4, 3)),
        case(make.ints(4, 3), classes),
        case(x, y, reduction="other"),
    ]


def check_logits(input) -> None:
    """Refuse what has no logarithms of a softmax, which torch computes before it looks at the target."""
    if not input.ndim:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    require_real(input, "log_softmax")


@composed(name="nn.functional.cross_entropy", samples=cases(lambda make: index_cases(make) + share_cases(make)))
def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    """Mean of the negated log-probabilities of the right classes, from logits: `(N, C)` or `(N, C, d1, ...)`.

    The target holds class numbers `(N, d1, ...)`, or probabilities in the shape of the input. `weight` has a
    factor for each class; targets equal to `ignore_index` do not count; `label_smoothing` spreads a part of each
    target over all classes.

    >>> logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> F.cross_entropy(logits, torch.tensor([0, 2]), reduction="none")
    tensor([0.0360, 1.0986])
    """
    reduction = legacy(size_average, reduce, reduction)
    if not label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    # as in torch, a negative one smooths nothing
    label_smoothing = max(label_smoothing, 0.0)
    if input._array.shape == target._array.shape:
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return cross_entropy_of_shares(input, target, weight, reduction, label_smoothing)
    check_logits(input._array)
    target = class_numbers(input, target)
    check_weight(weight, input)
    if label_smoothing > 0:
        return smoothed_cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    return cross_entropy_of_classes(input, target, weight, ignore_index, reduction)[0]
