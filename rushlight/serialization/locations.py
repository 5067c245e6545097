"""Locations: on which device a storage was, and on which it is to be when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.memory.public_storage import UntypedStorage
from rushlight.core.settings.device import CPU, META, device

MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None

# (priority, what names a storage's place, what brings a storage to a place), the lowest priority first
_package_registry: list[tuple[int, Callable[[Any], str | None], Callable[[Any, str], Any]]] = []


def register_package(
    priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]
) -> None:
    """Add a way to name the place of a storage, and to bring a storage to a place of that name.

    Those with the lowest `priority` are asked first; who does not know answers None.
    """
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda each: each[0])


def location_tag(storage: Any) -> str:
    """The name of the place where a storage is, such as 'cpu'."""
    for _, tagger, _ in _package_registry:
        found = tagger(storage)
        if found:
            return found
    raise RuntimeError(f"don't know how to determine data location of {type_name(storage)}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place of this name."""
    for _, _, deserializer in _package_registry:
        found = deserializer(storage, location)
        if found is not None:
            return found
    raise RuntimeError(f"don't know how to restore data location of {type_name(storage)} (tagged with {location})")


def type_name(storage: Any) -> str:
    return "torch.storage.UntypedStorage" if isinstance(storage, UntypedStorage) else type(storage).__name__


def cpu_tag(storage: Any) -> str | None:
    return "cpu" if storage.device.type == "cpu" else None


def at_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" else None


def at_meta(storage: Any, location: str) -> Any:
    return UntypedStorage(storage.nbytes(), device=META) if location == "meta" else None


register_package(10, cpu_tag, at_cpu)
register_package(22, lambda storage: "meta" if storage.device.type == "meta" else None, at_meta)


def refuse_accelerator(storage: Any, location: str) -> None:
    """Say that there is no such device, and how to do without."""
    for name in ("cuda", "xpu", "mps", "hpu", "mtia", "privateuseone"):
        if location.startswith(name):
            validate_device(location, name)


def validate_device(location: str, name: str) -> None:
    raise RuntimeError(
        f"Attempting to deserialize object on a {name.upper()} device but torch.{name}.is_available() is False. If you "
        "are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
        "storages to the CPU."
    )


register_package(20, lambda storage: None, refuse_accelerator)


def validate_cuda_device(location: str) -> int:
    """Refused: there is no such device."""
    validate_device(location, "cuda")
    return -1


def validate_hpu_device(location: str) -> int:
    """Refused: there is no such device."""
    validate_device(location, "hpu")
    return -1


def restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """What brings each storage of a file to its place, as `map_location` says."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, bytes):
        map_location = map_location.decode()
    if isinstance(map_location, (str, device)):
        place = str(map_location)
        # every name of the processor is the same place
        place = "cpu" if place == f"{CPU.type}:0" else place
        return lambda storage, location: default_restore_location(storage, place)

    def restore(storage: Any, location: str) -> Any:
        found = map_location(storage, location)
        return default_restore_location(storage, location) if found is None else found

    return restore
