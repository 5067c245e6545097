"""Losses with a margin: nothing to learn once the right answer is ahead by enough."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rushlight.core.numbers.dtypes import int64
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.ops.losses.classification_losses import placed, taken
from rushlight.ops.losses.loss_reduction import legacy, reduced, reduced_tensor, require_known, share
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import refuse_history
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.level import all_numbers, is_mapped
from rushlight.ops.machine.writing import fold_parts
from rushlight.ops.pointwise.where import choose
from rushlight.ops.products.similarity import pairwise_distance

REDUCTIONS = ("mean", "sum", "none")
# pairs of a label and a class that are looked at together
PAIRS = 1 << 17


def signs(make, *shape):
    return np.asarray(np.sign(make.floats(*shape)))


@composed(
    name="nn.functional.hinge_embedding_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 4), signs(make, 3, 4), 0.5, reduction=each) for each in REDUCTIONS],
            case(make.floats(3, 4), signs(make, 4)),
            case(make.floats(3), signs(make, 3), reduction="other"),
        ]
    ),
)
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """Distances of pairs that are alike (target 1), and what pairs that are not (-1) lack to the margin.

    >>> distances = torch.tensor([0.25, 0.25, 3.0])
    >>> F.hinge_embedding_loss(distances, torch.tensor([1, -1, -1]), reduction="none")
    tensor([0.2500, 0.7500, 0.0000])
    """
    reduction = legacy(size_average, reduce, reduction)
    apart = choose(target != 1, (margin - input).clamp_min(0), 0)
    return reduced_tensor(apart + choose(target != -1, input, 0), reduction)


@composed(
    name="nn.functional.margin_ranking_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(3), make.floats(3), signs(make, 3), 0.5, reduction=each) for each in REDUCTIONS],
            case(make.floats(3, 4), make.floats(3, 1), signs(make, 3, 4)),
            case(make.floats(3, 4), make.floats(4), signs(make, 3, 4)),
        ]
    ),
)
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """What `input1` lacks to be larger (target 1) or smaller (-1) than `input2` by the margin.

    >>> F.margin_ranking_loss(torch.tensor([3.0, 3.0]), torch.tensor([1.0, 4.0]), torch.ones(2), reduction="none")
    tensor([0., 1.])
    """
    reduction = legacy(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape} "
        )
    return reduced_tensor((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@composed(
    name="nn.functional.cosine_embedding_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 4), make.floats(3, 4), signs(make, 3), 0.2, reduction=each) for each in REDUCTIONS],
            case(make.floats(4), make.floats(4), np.array(1.0, "float32")),
            case(make.floats(3, 4), make.floats(3, 4), signs(make, 3, 1)),
            case(make.floats(3, 4), make.floats(3, 4), signs(make)),
        ]
    ),
)
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """One minus the cosine for pairs that are alike (target 1), the cosine beyond the margin for others (-1).

    >>> one, two = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.0, 2.0], [3.0, 4.0]])
    >>> F.cosine_embedding_loss(one, two, torch.tensor([1, -1]), reduction="none")
    tensor([1.0000, 0.6000])
    """
    reduction = legacy(size_average, reduce, reduction)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
            f"{input1.shape} and {input2.shape}."
        )
    tiny = 1e-12
    lengths = ((input1 * input1).sum(-1) + tiny) * ((input2 * input2).sum(-1) + tiny)
    cosine = (input1 * input2).sum(-1) / lengths.sqrt()
    alike = choose(target == 1, 1 - cosine, 0)
    return reduced_tensor(alike + choose(target == -1, (cosine - margin).clamp_min(0), 0), reduction)


def triplets(make):
    return [make.floats(3, 4) for _ in range(3)]


@composed(
    name="nn.functional.triplet_margin_loss",
    samples=cases(
        lambda make: [
            *[case(*triplets(make), 2.0, reduction=each) for each in REDUCTIONS],
            case(*triplets(make), p=1.0, swap=True),
            case(make.floats(3, 4), make.floats(3, 4), make.floats(4)),
            case(*triplets(make), -1.0),
        ]
    ),
)
def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-06,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """What the negatives lack to be further from the anchors than the positives by the margin.

    `swap` takes the distance between positive and negative where that is smaller.

    >>> anchor, positive, negative = torch.tensor([[0.0]]), torch.tensor([[1.0]]), torch.tensor([[1.5]])
    >>> F.triplet_margin_loss(anchor, positive, negative, margin=1.0)
    tensor(0.5000)
    """
    reduction = legacy(size_average, reduce, reduction)
    return triplet_margin_with_distance_loss(
        anchor,
        positive,
        negative,
        distance_function=lambda one, two: pairwise_distance(one, two, p, eps),
        margin=margin,
        swap=swap,
        reduction=reduction,
    )


@composed(
    name="nn.functional.triplet_margin_with_distance_loss",
    samples=cases(lambda make: [case(*triplets(make), margin=2.0, swap=swap) for swap in (False, True)]),
)
def triplet_margin_with_distance_loss(
    anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"
):
    """Like `triplet_margin_loss`, with any distance.

    >>> anchor, positive, negative = torch.tensor([[0.0]]), torch.tensor([[2.0]]), torch.tensor([[2.5]])
    >>> F.triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=F.l1_loss)
    tensor(0.5000)
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced_tensor((margin + near - far).clamp_min(0), reduction)


@op(dtype=MATCH, operands=["input"], name="_multi_margin_loss", samples=None)
def margins(input, target, p=1, margin=1.0, weight: "Tensor" = None, reduction="mean"):
    """What the right class of each row lacks to be ahead of each other class by the margin."""
    require_floats("multi_margin_loss", input)
    # fmax: what is not a number lacks nothing, as in torch
    own = np.arange(len(target)), target
    missing = np.fmax(margin - input[own][:, None] + input, 0)
    missing[own] = 0
    if p == 2:
        missing *= missing
    if weight is not None:
        # where nothing is missing an infinite weight adds nothing, as in torch
        missing = np.where(missing > 0, missing * weight[target][:, None], 0)
    rows = np.add.reduce(missing, 1)
    return reduced(rows / input.shape[1], reduction)


margins.gradient(
    input=lambda grad, input, target, p, margin, weight, reduction: margin_gradient(
        share(grad, reduction, input.shape[0], p / input.shape[1]), input, target, p, margin, weight
    )
)


def margin_gradient(
    grad: Tensor, input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None
) -> Tensor:
    missing = margin - taken(input, target).unsqueeze(1) + input
    lacking = (missing > 0).scatter(1, target.unsqueeze(1), False)
    slope = lacking.to(input.dtype) if p == 1 else missing
    rows = grad if weight is None else grad * weight[target]
    slope = (slope * (rows.unsqueeze(1) if rows.ndim else rows)).where(lacking, 0)
    return slope - placed(slope.sum(1), target, slope.shape)


def row_length(input: Tensor) -> int:
    """The number of classes in one row, or in the only one."""
    length = input.shape[-1] if input.ndim else 1
    if not length or input.ndim > 2:
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(input.shape)}"
        )
    return length


@composed(
    name="nn.functional.multi_margin_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 4), np.array([0, 3, 1]), p, reduction=each) for p in (1, 2) for each in REDUCTIONS],
            case(make.floats(3, 4), np.array([0, 3, 1]), 1, 0.5, make.floats(4, low=0)),
            case(make.floats(4), np.array(1)),
            case(make.floats(3, 4), np.array([0, 4, 1])),
            case(make.floats(3, 4), np.array([0, 1, 1]), 3),
        ]
    ),
)
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    """What the right class lacks to be ahead of each other class by the margin, to the power `p`, 1 or 2.

    >>> F.multi_margin_loss(torch.tensor([[3.0, 2.5, 0.0]]), torch.tensor([0]))
    tensor(0.1667)
    """
    reduction = require_known(legacy(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    refuse_history("multi_margin_loss", weight=weight)
    width = row_length(input)
    rows, classes = input.reshape(-1, width), target.reshape(-1)
    if weight is not None and len(weight) != width:
        raise RuntimeError(f"inconsistent weight size, expected {width} but got {list(weight.shape)}")
    if target.ndim > 1 or len(rows) != len(classes):
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples. Expected "
            f"target size [{len(rows)}], but got {list(target.shape)}."
        )
    if target.dtype is not int64:
        words = f"expected scalar type Long but found {target.dtype.scalar}"
        raise explained(RuntimeError, words, fix="class numbers are int64: target.long()")
    given = all_numbers(classes)
    # one comparison: what is below 0 is huge without its sign
    if np.count_nonzero(given.view(np.uint64) >= rows.shape[1]):
        raise RuntimeError("target out of range")
    found = margins(rows, classes, p, margin, weight, reduction)
    return found.reshape(target.shape) if reduction == "none" and input.ndim < 2 else found


@op(dtype=MATCH, operands=["input"], name="_multilabel_margin_loss", samples=None)
def label_margins(input, wanted, reduction: str):
    """What the labels of each row lack to be ahead of each other class by 1; `wanted` counts the labels."""
    require_floats("multilabel_margin_loss", input)
    rows, classes = input.reshape(wanted.shape), wanted.shape[1]
    sums = np.zeros(len(rows))
    for places, _, missing in lacks(rows, wanted):
        sums += np.bincount(places, np.add.reduce(missing, 1), len(rows))
    found = reduced((sums / classes).astype(input.dtype), reduction)
    return found.reshape(input.shape[:-1]) if reduction == "none" else found


def lacks(rows: np.ndarray, wanted: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield rows and labels of these, some at a time, with what each label lacks towards every other class."""
    places, labels = wanted.nonzero()
    # all pairs of classes at once would be a gigabyte for 300 rows of 1000
    step = max(1, PAIRS // max(wanted.shape[1], 1))
    for start in range(0, len(places), step):
        some, label = places[start : start + step], labels[start : start + step]
        missing = np.fmax(1 - rows[some, label][:, None] + rows[some], 0)
        missing[wanted[some] != 0] = 0
        missing *= wanted[some, label][:, None]
        yield some, label, missing


label_margins.gradient(
    input=lambda grad, input, wanted, reduction: label_gradient(
        share(grad, reduction, wanted.shape[0], 1 / wanted.shape[1]), input, wanted
    )
)


def label_gradient(grad: Tensor, input: Tensor, wanted: Tensor) -> Tensor:
    found = label_slopes(input.detach(), wanted) * (grad.unsqueeze(1) if grad.ndim else grad)
    return found.reshape(input.shape)


@op(dtype=MATCH, operands=["input"], name="_label_slopes", samples=None)
def label_slopes(input, wanted):
    """How often each class is too close to a label, less how many classes are too close to it as one."""
    found = np.zeros(wanted.shape)
    for places, labels, missing in lacks(input.reshape(wanted.shape), wanted):
        lacking = (missing > 0) * wanted[places, labels].astype(found.dtype)[:, None]
        fold_parts(found, 0, places, lacking)
        # each label of a row comes once
        found[places, labels] -= np.add.reduce(lacking, 1)
    return found.astype(input.dtype)


@composed(
    name="nn.functional.multilabel_margin_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(2, 4), np.array([[3, 0, -1, 1], [1, 2, 0, 3]]), reduction=each) for each in REDUCTIONS],
            case(make.floats(4), np.array([1, -1, -1, -1])),
            case(make.floats(2, 4), np.array([1, -1])),
        ]
    ),
)
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """What a row's labels lack to be ahead of the other classes by 1; the labels end at the first -1.

    >>> F.multilabel_margin_loss(torch.tensor([2.0, 0.9, 1.5, 0.0]), torch.tensor([0, 2, -1, -1]))
    tensor(0.1000)
    """
    reduction = require_known(legacy(size_average, reduce, reduction))
    width = row_length(input)
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    if target.dtype is not int64:
        words = f"expected scalar type Long but found {target.dtype.scalar}"
        raise explained(RuntimeError, words, fix="class numbers are int64: target.long()")
    if is_mapped(target):
        wanted = labels_of_samples(target, width).to(input.dtype)
    else:
        wanted = input.new_tensor(counted_labels(target._array, width))
    return label_margins(input, wanted, reduction)


@op(dtype=MATCH, operands=["target"], name="_counted_labels", samples=None)
def labels_of_samples(target, width: int):
    """`counted_labels` inside of `vmap`, which looks at each sample by itself."""
    return counted_labels(target, width)


def counted_labels(target: np.ndarray, width: int) -> np.ndarray:
    """How often each class is among the labels of a row, which end at the first -1."""
    labels = target.reshape(-1, width)
    if labels.size and not -1 <= labels.min() <= labels.max() < labels.shape[1]:
        raise RuntimeError("argument #2 'target' is out of range")
    listed = np.logical_and.accumulate(labels >= 0, 1)
    places = (labels + np.arange(0, labels.size, width)[:, None])[listed]
    return np.bincount(places, minlength=labels.size).reshape(labels.shape)
