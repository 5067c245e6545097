"""Losses of yes-or-no questions: how unlikely each answer was."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.layout import common_strides
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import targets
from rushlight.ops.losses.loss_reduction import Steps, legacy, reduced, reduced_tensor, require_known, share
from rushlight.ops.machine.declare import Op, composed, op
from rushlight.ops.machine.gradients import refuse_history
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.layouts import COMMON, restrided
from rushlight.ops.machine.rules import MATCH, PROMOTE, UNROUNDED
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.shape.broadcasting import broadcast_shapes, broadcast_to


def answers(make, low, high):
    """Samples of a prediction between two limits and a target between 0 and 1."""
    x, y = make.floats(3, 4, low=low, high=high), make.floats(3, 4, low=0, high=1)
    return [
        *[case(x, y, reduction=each) for each in ("mean", "sum", "none")],
        *[case(x, y, make.floats(4, low=0), reduction=each) for each in ("mean", "none")],
        corner(x, (y > 0.5).astype("float32")),
        case(make.floats(low=low, high=high), make.floats(low=0, high=1)),
        case(make.floats(0, 3, low=low, high=high), make.floats(0, 3)),
        case(make.floats(4, 3, low=low, high=high).T, y),
        case(make.floats(3, low=low, high=high, dtype="float64"), y[0, :3].astype("float64")),
        case(make.floats(3, low=low, high=high, dtype="float16"), y[0, :3].astype("float16")),
        case(x, y[0]),
        case(x, y > 0.5),
        case(make.ints(3, low=0, high=2), make.ints(3, low=0, high=2)),
        case(x, y, reduction="other"),
    ]


# what torch takes for the logarithm of a probability of 0
LOWEST_LOG = -100
# and for the smallest product of a probability and its complement
SMALLEST_PRODUCT = 1e-12


@op(dtype=MATCH, layout=COMMON, operands=["input", "target"], name="_binary_cross_entropy", samples=None)
def binary_surprises(input, target, weight: "Tensor" = None, reduction="mean"):
    """The negated logarithms of the probabilities given to the right answers."""
    require_floats("binary_cross_entropy", input)
    for name, values in (("input", input), ("target", target)):
        # asked this way round, a NaN fails too
        if not ((values >= 0) & (values <= 1)).all():
            raise RuntimeError(
                f"all elements of {name} should be between 0 and 1: pass it through sigmoid, or use "
                "binary_cross_entropy_with_logits"
            )
    yes, no = np.maximum(np.log(input), LOWEST_LOG), np.maximum(np.log1p(-input), LOWEST_LOG)
    values = (target - 1) * no - target * yes
    return reduced(values if weight is None else values * weight, reduction)


def surprises_of(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str) -> Tensor:
    """As `binary_surprises`, of ops."""
    yes, no = input.log().clamp(min=LOWEST_LOG), (-input).log1p().clamp(min=LOWEST_LOG)
    return reduced_tensor(weighted((target - 1) * no - target * yes, weight), reduction)


binary_surprises.made_of(surprises_of)
binary_surprises.gradient(
    input=lambda grad, input, target, weight, reduction: (
        weighted(share(grad, reduction, input.numel()), weight)
        * ((input - target) / ((1 - input) * input).clamp(min=SMALLEST_PRODUCT))
    ),
    target=lambda grad, input, weight, reduction: (
        weighted(share(grad, reduction, input.numel()), weight)
        * ((1 - input).log().clamp(min=LOWEST_LOG) - input.log().clamp(min=LOWEST_LOG))
    ),
)


def weighted(grad: Tensor, weight: Tensor | None) -> Tensor:
    return grad if weight is None else grad * weight


@composed(name="nn.functional.binary_cross_entropy", samples=cases(lambda make: answers(make, 0.1, 0.9)))
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Mean of the negated log-probabilities of the right answers; the input holds probabilities of "yes".

    >>> F.binary_cross_entropy(torch.tensor([0.9, 0.2]), torch.tensor([1.0, 0.0]), reduction="none")
    tensor([0.1054, 0.2231])
    """
    reduction = require_known(legacy(size_average, reduce, reduction))
    if input.shape != target.shape:
        raise explained(
            ValueError,
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size.",
            fix=targets(input.shape, target.shape),
        )
    refuse_history("binary_cross_entropy", weight=weight)
    if input.dtype is not target.dtype:
        raise RuntimeError(
            f"Found dtype {target.dtype.scalar} but expected {input.dtype.scalar}: convert the target, for example "
            "with .float()"
        )
    if weight is not None:
        weight = broadcast_to(weight, target.shape)
    return binary_surprises(input, target, weight, reduction)


def AS_TARGET(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order of the target, with which torch begins."""
    target = arrays[1]
    if target.flags.c_contiguous or result.ndim != target.ndim:
        return result if result.flags.c_contiguous else result.copy()
    return restrided(result, common_strides(result.shape, [target]))


@op(dtype=PROMOTE, layout=AS_TARGET, name="_binary_cross_entropy_with_logits", samples=None)
def logit_surprises(input, target, weight: "Tensor" = None, pos_weight: "Tensor" = None, reduction="mean"):
    """Like `binary_surprises`, from logits, without losing small probabilities."""
    tail = np.log1p(np.exp(-np.absolute(input)))
    if pos_weight is None:
        values = np.maximum(input, 0) - input * target + tail
    else:
        values = (1 - target) * input + (1 + (pos_weight - 1) * target) * (tail + np.maximum(-input, 0))
    return reduced(values if weight is None else values * weight, reduction)


def logit_surprises_of(
    input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: str
) -> Tensor:
    """As `logit_surprises`, of ops."""
    tail = (-input.abs()).exp().log1p()
    if pos_weight is None:
        values = input.clamp(min=0) - input * target + tail
    else:
        values = (1 - target) * input + (1 + (pos_weight - 1) * target) * (tail + (-input).clamp(min=0))
    return reduced_tensor(weighted(values, weight), reduction)


logit_surprises.made_of(logit_surprises_of)
logit_surprises.gradient(
    input=lambda grad, input, target, weight, pos_weight, reduction: (
        logit_slope(input, target, pos_weight) * weighted(share(grad, reduction, input.numel()), weight)
    ),
    target=lambda grad, input, weight, pos_weight, reduction: (
        target_slope(input, pos_weight) * weighted(share(grad, reduction, input.numel()), weight)
    ),
)


def logit_slope(input: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    if pos_weight is None:
        return input.sigmoid() - target
    return (1 - target) - (1 + (pos_weight - 1) * target) * (-input).sigmoid()


def target_slope(input: Tensor, pos_weight: Tensor | None) -> Tensor:
    from rushlight.ops.pointwise.activations import logsigmoid

    return -input if pos_weight is None else -input - (pos_weight - 1) * logsigmoid(input)


@composed(
    name="nn.functional.binary_cross_entropy_with_logits",
    samples=cases(
        lambda make: [
            *answers(make, -3, 3),
            case(make.floats(3, 4), make.floats(3, 4, low=0, high=1), pos_weight=make.floats(4, low=0)),
            case(
                make.floats(3),
                make.floats(3),
                make.floats(3),
                pos_weight=make.floats(3, low=0),
                reduction="none",
            ),
            case(make.floats(3, low=50, high=200), make.floats(3, low=0, high=1)),
            case(make.floats(3), make.ints(3)),
            case(make.floats(3), make.floats(3, dtype="float64")),
        ]
    ),
)
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    """Mean of the negated log-probabilities of the right answers; the input holds logits of "yes".

    `pos_weight` is a factor for the targets that are "yes".

    >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0]), reduction="none")
    tensor([  0.6931, 100.0000])
    """
    reduction = legacy(size_average, reduce, reduction)
    if input.shape != target.shape:
        words = f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        raise explained(ValueError, words, fix=targets(input.shape, target.shape))
    refuse_history("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    require_floats("log_sigmoid_cpu", input._array)
    if target.dtype is dtypes.bool_:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead: targets are floats here, for example target.float()"
        )
    if not target.dtype.is_floating_point:
        raise RuntimeError(
            f"result type {input.dtype.scalar} can't be cast to the desired output type {target.dtype.scalar}: "
            "convert the target, for example with .float()"
        )
    if input.dtype is not target.dtype:
        input = input.to(target.dtype)  # torch works in the memory of the target
    return logit_surprises(input, target, weight, pos_weight, reduction)


@op(dtype=UNROUNDED, operands=["input"], name="_soft_margin_loss", samples=None)
def soft_margins(input, target, reduction: str):
    """log(1 + exp(-target * input)) for each element; in half precision each step is rounded."""
    if input.dtype not in dtypes.DIFFERENTIABLE:
        kind = dtypes.from_numpy(input.dtype).scalar
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}: write input.float()")
    require_floats("soft_margin_loss", input)
    step = Steps(input)
    logit = step(-step.wide(input) * step.wide(target.astype(input.dtype)))
    values = step(np.log1p(step(np.exp(logit))))
    return reduced(values.astype(compute_dtype(input.dtype), copy=False), reduction)


soft_margins.made_of(
    lambda input, target, reduction: reduced_tensor((-input * target.to(input.dtype)).exp().log1p(), reduction)
)
soft_margins.gradient(
    input=lambda grad, input, target, reduction: (
        target * odds_share(input, -target * input) * share(grad, reduction, input.numel(), -1.0)
    )
)


def odds_share(input: Tensor, logit: Tensor) -> Tensor:
    """The sigmoid; in half precision as torch computes it, from the odds."""
    if input._array.dtype.itemsize > 2:
        return logit.sigmoid()
    odds = logit.exp()
    return odds / (odds + 1)


@composed(
    name="nn.functional.soft_margin_loss",
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 4), make.ints(3, 4) * 2.0 - 1, reduction=each) for each in ("mean", "sum", "none")],
            case(make.floats(), np.array(1.0, "float32")),
            case(make.floats(0), make.floats(0)),
            case(make.ints(3), make.ints(3)),
        ]
    ),
)
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """Mean of log(1 + exp(-target * input)); the target holds -1 and 1.

    >>> F.soft_margin_loss(torch.tensor([3.0, 3.0]), torch.tensor([1.0, -1.0]), reduction="none")
    tensor([0.0486, 3.0486])
    """
    reduction = require_known(legacy(size_average, reduce, reduction))
    refuse_history("soft_margin_loss", target=target)
    if input._array.shape != target._array.shape:
        refuse_wider(input, target)
    return soft_margins(input, target, reduction)


def refuse_wider(input: Tensor, target: Tensor) -> None:
    """The losses have the size of the input, whatever that of the targets."""
    shape = broadcast_shapes(input.shape, target.shape)
    if shape != input.shape:
        raise explained(
            RuntimeError,
            f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}",
            fix="give each number of the input one target",
        )


@composed(
    name="nn.functional.multilabel_soft_margin_loss",
    samples=cases(
        lambda make: [
            *[
                case(make.floats(3, 4), make.floats(3, 4, low=0, high=1), make.floats(4, low=0), reduction=each)
                for each in ("mean", "sum", "none")
            ],
            case(make.floats(4), make.floats(4, low=0, high=1)),
            case(make.floats(3, 4), make.floats(3, 4, low=0, high=1), reduction="other"),
        ]
    ),
)
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Mean, over rows and classes, of the negated log-probabilities of each class being there or not.

    >>> scores, labels = torch.tensor([[5.0, -5.0, 5.0]]), torch.tensor([[1.0, 0.0, 0.0]])
    >>> F.multilabel_soft_margin_loss(scores, labels)
    tensor(1.6734)
    """
    from rushlight.ops.pointwise.activations import logsigmoid

    reduction = legacy(size_average, reduce, reduction)
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not valid: write 'mean', 'sum' or 'none' for reduction")
    values = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    values = weighted(values, weight)
    dim = input.ndim - 1
    return reduced_tensor(values.sum(dim) / input.shape[dim], reduction)
