"""Names in files: what Rushlight's classes and functions are called in torch, and the other way round."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rushlight.core.surface.torch_names import MODULES, torch_name

__all__ = ["is_ours", "is_torch", "our_object", "torch_name"]

# what torch's files may name that has no module of its name here
INNER = {
    "torch._C._nn": ("nn.functional", ""),
    "torch._C._fft": ("fft", "fft_"),
    "torch._C._linalg": ("linalg", "linalg_"),
    "torch._C._special": ("special", "special_"),
}
MOVED = {"torch.tensor": "torch._tensor", "torch.optim._adafactor": "torch.optim", "torch.optim._muon": "torch.optim"}


def is_ours(module: str) -> bool:
    return module == "rushlight" or module.startswith("rushlight.")


def is_torch(module: str) -> bool:
    return module == "torch" or module.startswith("torch.")


def our_object(module: str, name: str) -> Any:
    """What a file means by a name of torch's; an AttributeError where Rushlight has nothing of the kind."""
    module = MOVED.get(module, module)
    if module == "torch.return_types":
        from rushlight.serialization.results import results_from_file

        return results_from_file(name)
    if module in INNER:
        place, prefix = INNER[module]
        return attribute(import_module(f"rushlight.{place}"), name.removeprefix(prefix))
    if module == "torch._C":
        return inner_object(name)
    if name == "_WrappedHook":
        from rushlight.serialization.hooks import WrappedHook

        return WrappedHook
    for candidate in candidates(module):
        try:
            return attribute(import_module(candidate), name)
        except (ModuleNotFoundError, AttributeError):
            continue
    raise AttributeError(f"{module}.{name}, which the file names, is not in Rushlight")


def inner_object(name: str) -> Any:
    """What the inside of torch is called in files."""
    import rushlight

    tables: dict[str, Any] = {"_VariableFunctionsClass": rushlight, "TensorBase": rushlight.Tensor}
    return tables[name] if name in tables else attribute(rushlight, name.removeprefix("_"))


def candidates(module: str) -> list[str]:
    """The modules of ours that may hold what torch has in a module."""
    own = "rushlight" + module.removeprefix("torch")
    return [own, *(ours for ours, theirs in MODULES.items() if theirs == module)]


def attribute(found: Any, name: str) -> Any:
    """What a name with dots stands for."""
    for part in name.split("."):
        found = getattr(found, part)
    return found
