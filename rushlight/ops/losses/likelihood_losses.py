"""Losses from distributions: how unlikely the target is under a distribution that the input describes."""

from __future__ import annotations

import math

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.numbers.promotion import result_type
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.ops.losses.loss_reduction import legacy, reduced, reduced_tensor, share
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import TARGET
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.shape.broadcasting import broadcast_tensors

REDUCTIONS = ("mean", "sum", "none")


def divergence_node(reduction, log_target):
    return {"mean": "MeanBackward0", "sum": "SumBackward0"}.get(
        reduction, "MulBackward0" if log_target else "SubBackward0"
    )


@op(dtype=PROMOTE, layout=TARGET, name="_kl_div", node=divergence_node, samples=None)
def divergences(input, target, reduction: str, log_target: bool):
    """target * (log(target) - input), or exp(target) * (target - input) where the target is a logarithm."""
    if log_target:
        return reduced(np.exp(target) * (target - input), reduction)
    return reduced(np.where(target == 0, 0, target * np.log(target)) - target * input, reduction)


def divergences_of(input: Tensor, target: Tensor, reduction: str, log_target: bool) -> Tensor:
    """As `divergences`, of ops."""
    if log_target:
        return reduced_tensor(target.exp() * (target - input), reduction)
    return reduced_tensor(target.xlogy(target) - target * input, reduction)


divergences.made_of(divergences_of)
divergences.gradient(
    input=lambda grad, target, reduction, log_target: (
        (target.exp() if log_target else target) * share(grad, reduction, target.numel(), -1.0)
    ),
    target=lambda grad, input, target, reduction, log_target: (
        divergence_slope(input, target, log_target) * share(grad, reduction, input.numel())
    ),
)


def divergence_slope(input: Tensor, target: Tensor, log_target: bool) -> Tensor:
    if log_target:
        return target.exp() * (target - input + 1)
    # as in torch this is NaN, not minus infinity, where the target is 0
    return target.log() + target / target - input


@composed(
    name="nn.functional.kl_div",
    samples=cases(
        lambda make: [
            *[
                case(make.floats(3, 4), make.floats(3, 4, low=0), reduction=each, log_target=logs)
                for each in (*REDUCTIONS, "batchmean")
                for logs in (False, True)
            ],
            corner(make.floats(4), np.array([0.0, 0.5, 0.5, 0.0], "float32"), reduction="sum"),
            case(make.floats(3, 4), make.floats(4, low=0), reduction="sum"),
            case(make.floats(3), make.floats(3, low=0), reduction="other"),
        ]
    ),
)
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Kullback-Leibler divergence of the target from the input, which holds log-probabilities.

    `reduction="batchmean"` is the divergence as mathematics defines it, per row; "mean" divides by the number of
    elements. `log_target` says that the target holds logarithms too.

    >>> F.kl_div(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.75, 0.25]]), reduction="batchmean")
    tensor(0.1308)
    """
    for each in (input, target):
        if isinstance(each, Tensor) and not each.dtype.is_floating_point:
            kind = "Complex" if each.dtype.is_complex else "Integral"
            raise RuntimeError(f"kl_div: {kind} inputs not supported.")
    if size_average is not None or reduce is not None:
        reduction = legacy(size_average, reduce, reduction)
    elif reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition."
        )
    if input._array.shape != target._array.shape:
        batch = input.shape
        if input._array.dtype != target._array.dtype:
            # before a number, which counts less than a tensor with dimensions, is spread
            kind = result_type(input, target)
            input, target = input.to(kind), target.to(kind)
        # torch names the sizes of the target first
        target, input = broadcast_tensors(target, input)
    else:
        batch = input._array.shape
    if reduction == "batchmean":
        total = divergences(input, target, "sum", log_target)
        return total / batch[0] if batch else total
    return divergences(input, target, reduction, log_target)


@composed(
    name="nn.functional.poisson_nll_loss",
    samples=cases(
        lambda make: [
            *[
                case(make.floats(3, 4, low=0.1), make.floats(3, 4, low=0, high=5), logs, full, reduction=each)
                for each in REDUCTIONS
                for logs in (True, False)
                for full in (True, False)
            ],
            case(make.floats(3), make.floats(3), reduction="other"),
        ]
    ),
)
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction="mean"
):
    """Negated log-likelihood of counts under Poisson distributions of the given rates, or log-rates.

    `full` adds Stirling's approximation of the part that does not depend on the input.

    >>> rates = torch.tensor([1.0, 2.0, 4.0])
    >>> F.poisson_nll_loss(rates, torch.tensor(2.0).expand(3), log_input=False, reduction="none")
    tensor([1.0000, 0.6137, 1.2274])
    """
    reduction = legacy(size_average, reduce, reduction)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + (target * (2 * math.pi)).log() * 0.5
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced_tensor(loss, reduction)


def spreads_over_one_dim(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a shape differs from another in one dimension alone, which has size 1."""
    return len(shape) == len(other) and [a for a, b in zip(shape, other, strict=True) if a != b] == [1]


@composed(
    name="nn.functional.gaussian_nll_loss",
    samples=cases(
        lambda make: [
            *[
                case(make.floats(3, 4), make.floats(3, 4), make.floats(3, 4, low=0), full, reduction=each)
                for each in REDUCTIONS
                for full in (True, False)
            ],
            case(make.floats(3, 4), make.floats(3, 4), make.floats(3, low=0.1)),
            case(make.floats(3, 4), make.floats(3, 4), make.floats(3, 1, low=0.1)),
            case(make.floats(3, 4), make.floats(3, 4), make.floats(1, 4, low=0.1)),
            case(make.floats(3, 4), make.floats(3, 4), 0.5),
            case(make.floats(3, 4), make.floats(3, 4), make.floats(2, 4, low=0.1)),
            case(make.floats(3), make.floats(3), -1.0),
            case(make.floats(3), make.floats(3), make.floats(3, low=-3, high=-1)),
            case(make.floats(3), make.floats(3), make.floats(3, low=0), reduction="other"),
        ]
    ),
)
def gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction="mean"):
    """Negated log-likelihood of the target under normal distributions of mean `input` and variance `var`.

    `full` adds the constant; variances below `eps` count as `eps`.

    >>> error = torch.tensor([3.0, 3.0])
    >>> F.gaussian_nll_loss(torch.zeros(2), error, var=torch.tensor([1.0, 9.0]), reduction="none")
    tensor([4.5000, 1.5986])
    """
    if isinstance(var, (int, float)):
        var = input.new_full(input.shape, var)
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not spreads_over_one_dim(var.shape, input.shape):
            raise ValueError("var is of incorrect size")
    if reduction not in REDUCTIONS:
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = (var.log() + (input - target) ** 2 / var) * 0.5
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced_tensor(loss, reduction)
