"""Exchange: arrays that other libraries offer by the DLPack protocol."""

from __future__ import annotations

from typing import Any

import numpy as np

# the protocol's number for it
CPU = 1


class Carrier:
    """A capsule as the object that made it, which is what NumPy asks for."""

    def __init__(self, capsule: Any):
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0


def exports(value: Any) -> bool:
    """Whether an object offers its memory by the protocol."""
    return not isinstance(value, (list, tuple, np.generic)) and hasattr(value, "__dlpack__")


def array_of(value: Any, device: Any = None, copy: bool | None = None) -> np.ndarray:
    """The array behind an object with `__dlpack__`, which is asked as torch asks it."""
    place, _ = value.__dlpack_device__()
    if place != CPU:
        raise AssertionError(
            f"Torch not compiled with CUDA enabled: the object lies on device {place} of DLPack's list"
        )
    options: dict[str, Any] = {"max_version": (1, 0)}
    if copy is not None:
        options["copy"] = copy
    if device is not None:
        options["dl_device"] = (CPU, 0)
    try:
        capsule = value.__dlpack__(**options)
    except TypeError:
        # made before the protocol had versions
        capsule = value.__dlpack__()
    return array_of_capsule(capsule)


def is_capsule(value: Any) -> bool:
    return type(value).__name__ == "PyCapsule"


def array_of_capsule(capsule: Any) -> np.ndarray:
    """The array that a DLPack capsule describes; it can be taken once."""
    try:
        found = np.from_dlpack(Carrier(capsule))
    except (ValueError, BufferError) as error:
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
            "might have already constructed a tensor from it once."
        ) from error
    # NumPy takes memory for read-only that an older capsule describes, which cannot say so
    return found if found.flags.writeable else np.asarray(Writable(found))


class Writable:
    """The memory of an array, offered for writing."""

    def __init__(self, array: np.ndarray):
        self.array = array
        described = array.__array_interface__
        self.__array_interface__ = described | {"data": (described["data"][0], False)}
