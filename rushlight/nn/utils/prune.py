"""Pruning: parts of a weight set to zero, and kept there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.core.creation.likeness import ones_like
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.convert_parameters import parameters_to_vector
from rushlight.nn.utils.pruning_methods import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
)
from rushlight.nn.utils.pruning_methods import _compute_norm as _compute_norm
from rushlight.nn.utils.pruning_methods import _compute_nparams_toprune as _compute_nparams_toprune
from rushlight.nn.utils.pruning_methods import _validate_pruning_amount as _validate_pruning_amount
from rushlight.nn.utils.pruning_methods import _validate_pruning_amount_init as _validate_pruning_amount_init
from rushlight.nn.utils.pruning_methods import _validate_pruning_dim as _validate_pruning_dim
from rushlight.nn.utils.pruning_methods import _validate_structured_pruning as _validate_structured_pruning

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def identity(module: Module, name: str) -> Module:
    """Prune nothing, but give the module the names that pruning gives."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: float) -> Module:
    """Prune elements by chance: a number of them, or a part of all."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Module:
    """Prune the elements nearest to zero."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: float, dim: int) -> Module:
    """Prune whole slices along a dimension, by chance."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prune the slices along a dimension that have the smallest norms of order `n`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: dict | None = None, **kwargs: Any
) -> None:
    """Prune several parameters, given as pairs of module and name, as if they were one vector."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    values = [getattr(module, name) for module, name in parameters]
    chosen = [scores.get(pair, value) for pair, value in zip(parameters, values, strict=True)]
    masks = [
        getattr(module, name + "_mask", ones_like(value))
        for (module, name), value in zip(parameters, values, strict=True)
    ]
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    found = PruningContainer(method).compute_mask(parameters_to_vector(chosen), parameters_to_vector(masks))
    for (module, name), value, part in zip(
        parameters, values, found.split([each.numel() for each in values]), strict=True
    ):
        custom_from_mask(module, name, mask=part.view_as(value))


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune where a given mask is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Module, name: str) -> Module:
    """Make a pruned tensor a plain parameter, zeros and all."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """Whether a parameter of the module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod) for each in module.modules() for hook in each._forward_pre_hooks.values()
    )
