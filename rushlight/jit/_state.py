"""torch.jit._state: the switch of TorchScript, which packages read; there is nothing to switch."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["disable", "enable"]


class EnabledProxy:
    """Whether decorators of torch.jit would compile; the environment's PYTORCH_JIT=0 says no, as in torch."""

    def __init__(self) -> None:
        self.enabled = os.environ.get("PYTORCH_JIT", "1") not in ("0", "FALSE", "False", "false")

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()


def disable() -> None:
    """Turn the switch off: programs run in Python, as they always do here."""
    _enabled.enabled = False


def enable() -> None:
    """Turn the switch on: programs run in Python all the same."""
    _enabled.enabled = True


def _get_script_class(python_class: Any) -> None:
    """The compiled form of a class: there is none."""
