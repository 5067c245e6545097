"""What optimizers of other packages import from torch's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import set_grad_enabled


def use_grad_for_differentiable(func: Callable) -> Callable:
    """Decorates a `step`: it records only if the optimizer is `differentiable`."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return step


def default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether fused steps, or steps over lists of tensors, are faster: neither, these are for GPUs."""
    return False, False


def capturable_devices(supports_xla: bool = True) -> list[str]:
    """Devices whose steps a graph can hold."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]
