"""Names in files: what Rushlight's classes and functions are called in torch, and the other way round."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

# modules of ours that torch has under another name
MODULES = {
    "rushlight.autograd.anomaly": "torch.autograd.anomaly_mode",
    "rushlight.autograd.modes": "torch.autograd.grad_mode",
    "rushlight.core.random.streams": "torch._C",
    "rushlight.distributions.nested_transforms": "torch.distributions.transforms",
    "rushlight.distributions.number_transforms": "torch.distributions.transforms",
    "rushlight.distributions.parted_constraints": "torch.distributions.constraints",
    "rushlight.distributions.matrix_constraints": "torch.distributions.constraints",
    "rushlight.distributions.transform": "torch.distributions.transforms",
    "rushlight.distributions.vector_transforms": "torch.distributions.transforms",
    "rushlight.autograd.handles": "torch.utils.hooks",
    "rushlight.nn.modules.ctc": "torch.nn.modules.loss",
    "rushlight.nn.modules.lazy": "torch.nn.modules.linear",
    "rushlight.nn.modules.lazy_conv": "torch.nn.modules.conv",
    "rushlight.nn.modules.lazy_norm": "torch.nn.modules.batchnorm",
    "rushlight.nn.modules.linear_cross_entropy": "torch.nn.modules.loss",
    "rushlight.nn.modules.multihead_attention": "torch.nn.modules.activation",
    "rushlight.nn.modules.parameter_containers": "torch.nn.modules.container",
    "rushlight.nn.modules.rnn_cells": "torch.nn.modules.rnn",
    "rushlight.nn.utils.pruning_methods": "torch.nn.utils.prune",
    "rushlight.optim.adafactor": "torch.optim",
    "rushlight.optim.muon": "torch.optim",
    "rushlight.serialization.rebuilding": "torch._utils",
    "rushlight.utils.replay": "torch.utils.checkpoint",
}
# and single names
NAMES = {
    ("rushlight.serialization.rebuilding", "_rebuild_from_type_v2"): ("torch._tensor", "_rebuild_from_type_v2"),
    ("rushlight.serialization.rebuilding", "_get_layout"): ("torch.serialization", "_get_layout"),
    ("rushlight.storage", "UntypedStorage"): ("torch.storage", "UntypedStorage"),
    ("rushlight.storage", "TypedStorage"): ("torch.storage", "TypedStorage"),
    ("rushlight.storage", "_load_from_bytes"): ("torch.storage", "_load_from_bytes"),
    ("rushlight.core.numbers.dtypes", "bool_"): ("torch", "bool"),
    ("rushlight.core.memory.public_storage", "StorageBase"): ("torch._C", "StorageBase"),
    ("rushlight.errors.kinds", "LinAlgError"): ("torch._C", "_LinAlgError"),
}
# what is gathered in one module, or in the top one, whatever file it stands in
GATHERED = (
    ("rushlight.core.", "torch"),
    ("rushlight.errors.", "torch"),
    ("rushlight.optim.lr_scheduler.", "torch.optim.lr_scheduler"),
)
# what torch's files may name that has no module of its name here
INNER = {
    "torch._C._nn": ("nn.functional", ""),
    "torch._C._fft": ("fft", "fft_"),
    "torch._C._linalg": ("linalg", "linalg_"),
    "torch._C._special": ("special", "special_"),
}
MOVED = {"torch.tensor": "torch._tensor", "torch.optim._adafactor": "torch.optim", "torch.optim._muon": "torch.optim"}


@cache
def torch_name(module: str, name: str) -> tuple[str, str]:
    """Where torch has what stands in a module of ours under this name."""
    found = NAMES.get((module, name))
    if found is not None:
        return found
    if module == "rushlight.nn.modules.lazy_norm" and "Instance" in name:
        return "torch.nn.modules.instancenorm", name
    if module == "rushlight.storage" and name.endswith("Storage"):
        return "torch", name
    if module in MODULES:
        return MODULES[module], name
    for begins, gathered in GATHERED:
        if module.startswith(begins):
            return gathered, name
    return "torch" + module.removeprefix("rushlight"), name


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
