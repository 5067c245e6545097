"""Anomaly mode: stop at the first gradient that is not a finite number, and name the line that made it."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.graph import Node
from rushlight.core.location import describe
from rushlight.core.tensor import Tensor


class detect_anomaly(modes.Mode):
    """Check every gradient inside for NaN and Inf.

    >>> with torch.autograd.detect_anomaly():
    ...     loss.backward()
    """

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.before = modes.state.anomaly, modes.state.check_anomaly
        modes.state.anomaly, modes.state.check_anomaly = True, self.check_nan

    def __exit__(self, *exception: object) -> None:
        modes.state.anomaly, modes.state.check_anomaly = self.before

    def clone(self) -> detect_anomaly:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return detect_anomaly(self.check_nan)


class set_detect_anomaly(modes.Mode):
    """Switch anomaly mode on or off, at once or for a block."""

    def __init__(self, mode: bool, check_nan: bool = True):
        self.before = modes.state.anomaly, modes.state.check_anomaly
        modes.state.anomaly, modes.state.check_anomaly = bool(mode), check_nan

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        modes.state.anomaly, modes.state.check_anomaly = self.before


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread."""
    return modes.state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN and Inf."""
    return modes.state.check_anomaly


def check(node: Node, found: list) -> None:
    """Raise if a gradient a node has computed holds NaN or Inf."""
    if not modes.state.check_anomaly:
        return
    for place, grad in enumerate(found):
        if not isinstance(grad, Tensor) or np.isfinite(grad._array).all():
            continue
        what = "nan" if np.isnan(grad._array).any() else "inf"
        raise RuntimeError(
            f"Function '{node.name()}' returned {what} values in its {place}th output.\n"
            f"  It is the gradient of {describe(node.place)}\n"
            "  fix: keep the argument away from where the derivative is infinite (clamp it, add a small constant), "
            "or choose the branch before the function: torch.where also sends zero times infinity backward"
        )
