"""Anomaly mode: stop at the first gradient that is not a finite number, and name the line that made it."""

from __future__ import annotations

import threading
import traceback
import warnings
from types import TracebackType

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.graph import Node
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.location import PACKAGE, describe


class Evaluating(threading.local):
    """The node that this thread's backward runs, in anomaly mode: what is recorded meanwhile comes from it."""

    node: Node | None = None


evaluating = Evaluating()


def require_bools(mode: bool, check_nan: bool) -> None:
    """Refuse options of anomaly mode that are no bools."""
    for name, value, position in (("enabled", mode, 1), ("check_nan", check_nan, 2)):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}"
            )


class set_detect_anomaly:
    """Switch anomaly mode on or off, at once or for a block."""

    def __init__(self, mode: bool, check_nan: bool = True):
        require_bools(mode, check_nan)
        self.before = modes.state.anomaly, modes.state.check_anomaly
        modes.state.anomaly, modes.state.check_anomaly = mode, check_nan

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        modes.state.anomaly, modes.state.check_anomaly = self.before


class detect_anomaly(set_detect_anomaly):
    """Check every gradient inside for NaN and Inf; an error in backward names the line of the forward pass.

    >>> with torch.autograd.detect_anomaly():
    ...     loss.backward()
    """

    def __init__(self, check_nan: bool = True):
        self.before = modes.state.anomaly, modes.state.check_anomaly
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        require_bools(True, self.check_nan)
        self.before = modes.state.anomaly, modes.state.check_anomaly
        modes.state.anomaly, modes.state.check_anomaly = True, self.check_nan


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on in this thread.

    >>> with torch.autograd.detect_anomaly():
    ...     torch.is_anomaly_enabled()
    True
    """
    return modes.state.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN and Inf.

    >>> with torch.autograd.detect_anomaly(check_nan=False):
    ...     torch.is_anomaly_check_nan_enabled()
    False
    """
    return modes.state.check_anomaly


def note(node: Node) -> None:
    """Keep where a node is made, line by line, and the node whose backward makes it."""
    lines = traceback.extract_stack()
    node.metadata["traceback_"] = traceback.format_list(
        [each for each in lines if not each.filename.startswith(PACKAGE)]
    )
    if evaluating.node is not None:
        node.metadata["parent_"] = evaluating.node


def apply(node: Node, grads: list, wanted: list[bool] | None = None) -> list:
    """Run a node; what it raises, and what it computes that is no number, is reported with the lines that made it."""
    outer, evaluating.node = evaluating.node, node
    try:
        found = node.apply(grads) if wanted is None else node.apply_wanted(grads, wanted)
        check(node, found)
    except Exception:
        report(node)
        raise
    finally:
        evaluating.node = outer
    return found


def report(node: Node) -> None:
    """Warn with the forward call of a node that fails, and of the nodes whose backward made it."""
    lines = node.metadata.get("traceback_")
    if lines is None:
        words = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    else:
        words = "Traceback of forward call that caused the error:\n" + "".join(lines)
    warnings.warn(f"Error detected in {node.name()}. {words}", UserWarning, stacklevel=2)
    parent = node.metadata.get("parent_")
    while parent is not None:
        lines = parent.metadata.get("traceback_", [f"  {describe(parent.place)}\n"])
        warnings.warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. Traceback of forward call that induced the "
            "previous calculation:\n" + "".join(lines),
            UserWarning,
            stacklevel=2,
        )
        parent = parent.metadata.get("parent_")


def check(node: Node, found: list) -> None:
    """Raise if a gradient a node has computed holds NaN or Inf."""
    if not modes.state.check_anomaly:
        return
    for place, grad in enumerate(found):
        if not isinstance(grad, Tensor) or np.isfinite(grad._array).all():
            continue
        what = "nan" if np.isnan(grad._array).any() else "inf"
        raise explained(
            RuntimeError,
            f"Function '{node.name()}' returned {what} values in its {place}th output.",
            lines=[("It is the gradient of", node.place)],
            fix="keep the argument away from where the derivative is infinite (clamp it, add a small constant), "
            "or choose the branch before the function: torch.where also sends zero times infinity backward",
        )
