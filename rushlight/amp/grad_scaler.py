"""GradScaler: losses scaled up so that small gradients survive a short format, and steps skipped when they overflow."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device as Device
from rushlight.errors.warning import warn


class OptState(enum.Enum):
    """What was done for an optimizer since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


UNSCALED, STEPPED = OptState.UNSCALED, OptState.STEPPED


class GradScaler:
    """Scales losses before backward and gradients back before the step, and finds the largest scale that works.

    For GPUs: without one it is off, with a warning, and passes everything through. `GradScaler("cpu")` works.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        self._device = Device(device).type
        self._enabled = enabled and self._device == "cpu"
        if enabled and not self._enabled:
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
        if not growth_factor > 1.0:
            raise AssertionError(f"The growth factor must be > 1.0., not {growth_factor}")
        if not backoff_factor < 1.0:
            raise AssertionError(f"The backoff factor must be < 1.0., not {backoff_factor}")
        self._scale = float(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        # what was done for an optimizer since the last update, and whether its gradients were finite
        self._stages: dict[int, OptState] = {}
        self._finite: dict[int, bool] = {}

    def scale(self, outputs: Tensor | Iterable[Tensor]) -> Any:
        """A tensor, or all tensors of a list, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            return type(outputs)(self.scale(each) for each in outputs)  # type: ignore[call-arg]
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, for example to clip them."""
        if not self._enabled:
            return
        stage = self._stages.get(id(optimizer))
        if stage == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        finite, seen = True, False
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        if parameter.grad.dtype is dtypes.float16:
                            raise ValueError(
                                "Attempting to unscale FP16 gradients. Keep the parameters in float32 and compute "
                                "inside of torch.autocast"
                            )
                        seen = True
                        finite = finite and bool(parameter.grad.isfinite().all())
                        parameter.grad.mul_(1 / self._scale)
        if seen:
            self._finite[id(optimizer)] = finite
        self._stages[id(optimizer)] = UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """`optimizer.step()`, unless a gradient is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        stage = self._stages.get(id(optimizer))
        if stage == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage is None:
            self.unscale_(optimizer)
        if id(optimizer) not in self._finite:
            raise AssertionError(
                "No inf checks were recorded for this optimizer.: it has no gradients; call backward()"
            )
        self._stages[id(optimizer)] = STEPPED
        return optimizer.step(*args, **kwargs) if self._finite[id(optimizer)] else None

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Shrink the scale if a gradient overflowed, enlarge it after `growth_interval` steps without; or set it."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._finite:
            raise AssertionError("No inf checks were recorded prior to update.: call step() first")
        elif not all(self._finite.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._stages.clear()
        self._finite.clear()

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._enabled

    def get_scale(self) -> float:
        """The scale, 1 when switched off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the scale is multiplied by after steps without overflow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Change what the scale is multiplied by after steps without overflow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the scale is multiplied by after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Change what the scale is multiplied by after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """How many steps without overflow enlarge the scale."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Change how many steps without overflow enlarge the scale."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes; nothing when switched off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
