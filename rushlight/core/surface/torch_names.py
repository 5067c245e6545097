"""Torch names: where torch has what stands in a module of ours."""

from __future__ import annotations

from functools import cache

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
