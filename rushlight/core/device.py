"""Devices: there is one, the CPU."""

from __future__ import annotations

KNOWN = (
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone"
).split()


class device:
    """Where a tensor lives; `device('cpu')` is the only one that holds memory."""

    def __init__(self, type: str | device = "cpu", index: int | None = None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(
                f"device(): argument 'type' must be str, int or torch.device, not {type.__class__.__name__}"
            )
        name, _, number = type.partition(":")
        if name not in KNOWN or (number and not number.isdigit()) or type.endswith(":"):
            raise RuntimeError(
                f"Expected one of {', '.join(KNOWN[:-1])} device type at start of device string: {type}"
            )
        if number:
            if index is not None:
                raise RuntimeError("type (string) must not include an index because index was passed explicitly")
            index = int(number)
        self.type = name
        self.index = index

    def __repr__(self) -> str:
        return f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        check_device(self)
        return self

    def __exit__(self, *exception: object) -> None:
        return None


CPU = device("cpu")


def check_device(place: device | str | int | None) -> None:
    """Refuse every device but the CPU, in words that say what to do."""
    if place is None or place is CPU or place == "cpu":
        return
    place = device(place) if not isinstance(place, device) else place
    if place.type == "cpu":
        return
    if place.type == "cuda":
        raise AssertionError(
            "Torch not compiled with CUDA enabled: Rushlight runs on the CPU. "
            "Choose the device with 'cuda' if torch.cuda.is_available() else 'cpu', or write device='cpu'."
        )
    raise RuntimeError(f"Rushlight has no device '{place}': it runs on the CPU. Write device='cpu'.")
