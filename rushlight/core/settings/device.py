"""Devices: the CPU, and 'meta' for tensors that have a shape but no memory."""

from __future__ import annotations

from typing import Any

KNOWN = (
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone"
).split()


class device:
    """Where a tensor lives; the one that holds memory is `device('cpu')`.

    >>> torch.device("cpu")
    device(type='cpu')
    """

    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError(
                f"Cannot access accelerator device when none is available: device({type}) is a GPU; write 'cpu'"
            )
        if not isinstance(type, str):
            raise TypeError(
                "device() received an invalid combination of arguments: expected a str such as 'cpu' or a "
                f"torch.device, not {type.__class__.__name__}"
            )
        self.type, self.index = read_name(type, index)

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        from rushlight.utils._device import enter_device

        check_device(self)
        enter_device(self)
        return self

    def __exit__(self, *exception: object) -> None:
        from rushlight.utils._device import leave_device

        leave_device()

    def __call__(self, func: Any) -> Any:
        """Decorate a function that is to run with this device as the default."""
        from rushlight.utils._device import device_decorator

        return device_decorator(self, func)


def read_name(text: str, index: int | None) -> tuple[str, int | None]:
    """The kind and number in a text such as 'cuda:1'."""
    name, colon, number = text.partition(":")
    if name not in KNOWN:
        raise RuntimeError(f"Expected one of {', '.join(KNOWN)} device type at start of device string: {text}")
    if colon and not number.isdigit():
        raise RuntimeError(f"Invalid device string: '{text}'")
    if index is None:
        return name, int(number) if number else None
    if number:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    if not isinstance(index, int):
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type(index).__name__}")
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return name, index


CPU = device("cpu")
META = device("meta")


def check_device(place: device | str | int | None) -> None:
    """Refuse every device but the CPU and 'meta', in words that say what to do."""
    if place is None or place is CPU or place == "cpu":
        return
    place = device(place) if not isinstance(place, device) else place
    if place.type in ("cpu", "meta"):
        return
    if place.type == "cuda":
        raise AssertionError(
            "Torch not compiled with CUDA enabled: Rushlight runs on the CPU. "
            "Choose the device with 'cuda' if torch.cuda.is_available() else 'cpu', or write device='cpu'."
        )
    raise RuntimeError(f"Rushlight has no device '{place}': it runs on the CPU. Write device='cpu'.")


def is_meta(place: device | str | int | None) -> bool:
    """Whether a device that was asked for is the one without memory."""
    if place is None or place is CPU:
        return False
    return (place if isinstance(place, device) else device(place)).type == "meta"
