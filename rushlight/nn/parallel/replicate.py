"""Replicas: copies of a module for several devices, of which there is one."""

from __future__ import annotations

from typing import Any

from rushlight.core.settings.device import check_device
from rushlight.nn.modules.module import Module


def replicate(network: Module, devices: Any, detach: bool = False) -> list[Module]:
    """The module once for each device, all of which must be the CPU: it is the same one."""
    for each in devices:
        check_device(each)
    return [network for _ in devices]
