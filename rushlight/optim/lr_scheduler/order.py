"""The order of calls: an optimizer steps first, its schedule after it; the other order skips the first rate."""

from __future__ import annotations

from functools import wraps
from typing import Any
from weakref import ref

from rushlight.errors.warning import warn
from rushlight.optim.optimizer import Optimizer

# torch's names, which programs and libraries look for
MARK = "_wrapped_by_lr_sched"
STEPPED = "_opt_called"

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Call `scheduler.step()` without it; given an epoch, the closed form is used where there is one."
)


def watch(optimizer: Optimizer) -> None:
    """Have `optimizer.step` note that it was called."""
    if hasattr(optimizer.step, MARK):
        return
    own = vars(optimizer).get("step")
    method = type(optimizer).step
    # weak: an optimizer that held itself would be freed by the garbage collector only
    watched = ref(optimizer)

    @wraps(method if own is None else own)
    def step(*args: Any, **kwargs: Any) -> Any:
        self: Any = watched()
        setattr(self, STEPPED, True)
        return method(self, *args, **kwargs) if own is None else own(*args, **kwargs)

    setattr(step, MARK, True)
    optimizer.step = step  # type: ignore[method-assign]


def check(optimizer: Optimizer) -> None:
    """Warn at a schedule's first step if the optimizer has not stepped yet, as far as one can tell."""
    if not hasattr(optimizer.step, MARK):
        warn(
            "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
            "Replace it before the scheduler is built, and call it before `lr_scheduler.step()`."
        )
    elif not getattr(optimizer, STEPPED, False):
        warn(
            "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In this order no step is taken with "
            "the first learning rate of the schedule: call `optimizer.step()` first."
        )
