"""torch._functorch.make_functional: modules as functions of their parameters, in the form before `functional_call`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.func import functional_call
from rushlight.nn.modules.module import Module
from rushlight.ops.shape.joining import stack

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "combine_state_for_ensemble",
    "make_functional",
    "make_functional_with_buffers",
]


def without_tensors(model: Module) -> Module:
    """A copy of a model that holds no numbers: its tensors are given with each call."""
    found = copy.deepcopy(model)
    for each in found.modules():
        for kept in (each._parameters, each._buffers):
            for name, value in kept.items():
                if value is not None:
                    kept[name] = value.to("meta")  # type: ignore[assignment]
    return found


def taken(tensors: Iterable[tuple[str, Tensor]], detached: bool) -> tuple[tuple[str, ...], tuple[Tensor, ...]]:
    """Names and copies of tensors, which require grad unless they shall not."""
    names, values = [], []
    for name, value in tensors:
        names.append(name)
        # a copy of the same kind: parameters stay parameters
        found = copy.deepcopy(value.detach() if value.grad_fn else value)
        values.append(found.requires_grad_(value.requires_grad and not detached))
    return tuple(names), tuple(values)


class FunctionalModuleWithBuffers(Module):
    """A model that is called with its parameters and its buffers before its arguments."""

    def __init__(
        self, stateless_model: Module, param_names: tuple[str, ...], buffer_names: tuple[str, ...] = (), *_: Any
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = param_names, buffer_names

    @classmethod
    def _create_from(
        cls, model: Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
        names, params = taken(model.named_parameters(), disable_autograd_tracking)
        buffer_names, buffers = taken(model.named_buffers(), disable_autograd_tracking)
        return cls(without_tensors(model), names, buffer_names), params, buffers

    def forward(self, params: Iterable[Tensor], buffers: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        """What the model answers with these tensors."""
        state = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(Module):
    """A model that is called with its parameters before its arguments."""

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...], *_: Any) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    @classmethod
    def _create_from(
        cls, model: Module, disable_autograd_tracking: bool = False
    ) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
        names, params = taken(model.named_parameters(), disable_autograd_tracking)
        return cls(without_tensors(model), names), params

    def forward(self, params: Iterable[Tensor], *args: Any, **kwargs: Any) -> Any:
        """What the model answers with these parameters."""
        return functional_call(self.stateless_model, dict(zip(self.param_names, params, strict=True)), args, kwargs)


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Tensor, ...]]:
    """A function of parameters and arguments, and the parameters.

    >>> function, params = torch._functorch.make_functional.make_functional(torch.nn.Linear(2, 1))
    >>> function([torch.ones_like(each) for each in params], torch.ones(2))
    tensor([3.])
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """A function of parameters, buffers and arguments, the parameters, and the buffers."""
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, tuple[Tensor, ...], tuple[Tensor, ...]]:
    """One function for models of one kind, and their parameters and buffers, stacked: to be mapped by `vmap`."""
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all([each.training for each in models]) or not any([each.training for each in models])):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if not all([type(each) is type(models[0]) for each in models]):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    made = [make_functional_with_buffers(each) for each in models]
    params = tuple([stack(list(each)).detach() for each in zip(*[one[1] for one in made], strict=True)])
    buffers = tuple([stack(list(each)).detach() for each in zip(*[one[2] for one in made], strict=True)])
    for wanted, value in zip(made[0][1], params, strict=True):
        value.requires_grad_(wanted.requires_grad)
    return made[0][0], params, buffers
