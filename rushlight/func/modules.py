"""Modules as functions of their parameters: called with others than their own, and several stacked into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from rushlight.nn.modules.container import ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.utils.stateless import call_with, joined
from rushlight.ops.shape.joining import stack

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: dict[str, Tensor] | Sequence[dict[str, Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with the given tensors in place of its own parameters and buffers.

    >>> layer = torch.nn.Linear(2, 1)
    >>> state = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, state, torch.ones(1, 2))
    tensor([[2.]])
    """
    state = joined(parameter_and_buffer_dicts)
    return call_with(module, state, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models: Sequence[Module] | ModuleList) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of models of one kind, each stacked along a new first dimension.

    >>> models = [torch.nn.Linear(2, 1) for _ in range(3)]
    >>> params, buffers = torch.func.stack_module_state(models)
    >>> params["weight"].shape, buffers
    (torch.Size([3, 1, 2]), {})
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all([each.training for each in models]) or not any([each.training for each in models])):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if not all([type(each) is type(models[0]) for each in models]):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    params = {
        name: stacked([dict(each.named_parameters())[name] for each in models])
        for name, _ in models[0].named_parameters()
    }
    buffers = {
        name: stacked([dict(each.named_buffers())[name] for each in models]) for name, _ in models[0].named_buffers()
    }
    return params, buffers


def stacked(tensors: list[Tensor]) -> Tensor:
    """Leaves stacked into a new leaf; tensors with a history, with it."""
    wanted = [each.requires_grad for each in tensors]
    if any(wanted) and not all(wanted):
        raise RuntimeError(f"Expected {tensors[0]!r} and the tensors stacked with it to have the same .requires_grad")
    if all([each.is_leaf for each in tensors]):
        return stack([each.detach() for each in tensors]).requires_grad_(wanted[0])
    return stack(tensors)


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let each batch norm of a model use the statistics of its batch alone, in place."""
    for each in root.modules():
        if isinstance(each, (BatchNorm1d, BatchNorm2d, BatchNorm3d)):
            each.running_mean = each.running_var = each.num_batches_tracked = None
            each.track_running_stats = False
    return root
