"""Averages of a model's weights over the course of training, and the learning rate that goes with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.creation import tensor
from rushlight.core.object.tensor import Tensor
from rushlight.nn import Module
from rushlight.nn.modules.batchnorm import _BatchNorm
from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import Rate, one_per_group
from rushlight.optim.optimizer import Optimizer

Average: TypeAlias = Callable[[Tensor, Tensor, Tensor | int], Tensor]
MultiAverage: TypeAlias = Callable[[Sequence[Tensor], Sequence[Tensor], Tensor | int], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """An exponential moving average, for `avg_fn`."""
    require_decay(decay)

    @no_grad()
    def average(ema_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return average


def get_swa_avg_fn() -> Average:
    """The mean of all models so far, for `avg_fn`."""

    @no_grad()
    def average(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAverage:
    """An exponential moving average of many tensors in place, for `multi_avg_fn`."""
    average = get_ema_avg_fn(decay)

    def update(ema_params: Sequence[Tensor], current_params: Sequence[Tensor], num_averaged: Tensor | int) -> None:
        approach(ema_params, current_params, 1 - decay, average, num_averaged)

    return update


def get_swa_multi_avg_fn() -> MultiAverage:
    """The mean of all models so far of many tensors in place, for `multi_avg_fn`."""
    average = get_swa_avg_fn()

    def update(averaged: Sequence[Tensor], current_params: Sequence[Tensor], num_averaged: Tensor | int) -> None:
        approach(averaged, current_params, 1 / (int(num_averaged) + 1), average, num_averaged)

    return update


@no_grad()
def approach(
    averaged: Sequence[Tensor], params: Sequence[Tensor], weight: float, average: Average, count: Tensor | int
) -> None:
    """Move tensors towards others in place by a part of the way; integers, which cannot, are averaged and cut off."""
    for one, other in zip(averaged, params, strict=True):
        if one.is_floating_point() or one.is_complex():
            one.lerp_(other, weight)
        else:
            one.copy_(average(one, other, count))


def require_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """A copy of a model whose parameters average those of the model over time: their mean, or what a function says.

    `avg_fn(averaged, current, count)` returns the new average of one tensor, `multi_avg_fn` changes a list of them in
    place. Buffers are averaged with `use_buffers`, else copied.

    >>> average = torch.optim.swa_utils.get_ema_multi_avg_fn(0.999)
    >>> averaged = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=average)
    >>> optimizer.step()
    >>> averaged.update_parameters(model)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: MultiAverage | None = None,
        use_buffers: bool = False,
    ):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the model with the averaged parameters computes."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take the model as it is now into the average; the first one is copied."""
        if self.use_buffers:
            averaged = [*self.module.parameters(), *self.module.buffers()]
            params = [*model.parameters(), *model.buffers()]
        else:
            # its own too, not those of the copy alone
            averaged, params = list(self.parameters()), list(model.parameters())
        # in their order: what one of the two has beyond the other is left alone
        pairs = list(zip(averaged, params, strict=False))
        self._average([each.detach() for each, _ in pairs], [each.detach() for _, each in pairs])
        if not self.use_buffers:
            for buffer, other in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.copy_(other)
        self.n_averaged += 1

    def _average(self, averaged: list[Tensor], params: list[Tensor]) -> None:
        if self.n_averaged == 0:
            for one, other in zip(averaged, params, strict=True):
                one.copy_(other)
        elif self.multi_avg_fn is not None:
            for same in by_dtype(averaged, params):
                self.multi_avg_fn(*same, self.n_averaged)
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for one, other in zip(averaged, params, strict=True):
                one.copy_(average(one, other, self.n_averaged))


def by_dtype(averaged: list[Tensor], params: list[Tensor]) -> Iterable[tuple[list[Tensor], list[Tensor]]]:
    """Pairs of tensors as lists of one dtype each: a `multi_avg_fn` may look at the first alone."""
    kinds: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
    for one, other in zip(averaged, params, strict=True):
        ones, others = kinds.setdefault((one.dtype, other.dtype), ([], []))
        ones.append(one)
        others.append(other)
    return kinds.values()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch norms anew, in one pass over the data: averaged weights need their own.

    A batch is a tensor, or a list or tuple that starts with one. `momentum=None` means the mean over all batches.
    """
    norms = [each for each in model.modules() if isinstance(each, _BatchNorm)]
    if not norms:
        return
    momenta = [each.momentum for each in norms]
    was_training = model.training
    try:
        model.train()
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None
        for batch in loader:
            first = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(first if device is None else first.to(device))
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """From the rate as it is to a constant `swa_lr` in `anneal_epochs`, evenly or along a cosine.

    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.05, anneal_epochs=20)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ):
        rates = one_per_group("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            # the rate that the way began with, from the one it has come to
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * now + start * (1 - now))
        return rates

    def _part(self, step: int) -> float:
        """How much of the way is done."""
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2


__all__ = [
    "AveragedModel",
    "update_bn",
    "SWALR",
    "get_ema_multi_avg_fn",
    "get_swa_multi_avg_fn",
    "get_ema_avg_fn",
    "get_swa_avg_fn",
]
