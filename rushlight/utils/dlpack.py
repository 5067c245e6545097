"""torch.utils.dlpack: tensors handed to and taken from other libraries without a copy."""

import enum
from typing import Any

from rushlight.core.creation.creation import from_dlpack
from rushlight.core.object.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The devices of the DLPack protocol, by its numbers."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Tensor) -> Any:
    """The capsule that describes a tensor's memory to another library."""
    return tensor.__dlpack__()
