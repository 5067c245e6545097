"""Parametrizations: a parameter that is computed from others each time it is read."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

# what was computed inside `cached()`, by module and name
cache: dict[tuple[int, str], Tensor] = {}
depth = 0


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed once, when it is first read."""
    global depth
    depth += 1
    try:
        yield
    finally:
        depth -= 1
        if not depth:
            cache.clear()


class ParametrizationList(ModuleList):
    """The functions that a tensor goes through, and what it is computed from: `original`, or `original0` and so on."""

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new: Any = original
            module: Any
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if isinstance(new, Tensor):
            self.is_tensor, self.ntensors = True, 1
            self.keep_one(original, new)
        elif isinstance(new, Sequence):
            self.is_tensor, self.ntensors = False, len(new)
            self.keep_several(original, new)
        else:
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        if not unsafe:
            unless = "unless `unsafe` flag is enabled"
            require_same(self(), shape, dtype, ("unparametrized", "parametrized"), unless)

    def keep_one(self, original: Tensor, new: Tensor) -> None:
        if new.dtype != original.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        # the same object stays: an optimizer may hold it
        put(original, new)
        register(self, "original", original)

    def keep_several(self, original: Tensor, new: Sequence[Any]) -> None:
        for place, each in enumerate(new):
            if not isinstance(each, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {place} of the sequence with type {type(each).__name__}."
                )
            made = Parameter(each, original.requires_grad) if isinstance(original, Parameter) else each
            register(self, f"original{place}", made.requires_grad_(original.requires_grad))

    def right_inverse(self, value: Any) -> None:
        """Change what the tensor is computed from, so that it becomes `value`."""
        with no_grad():
            module: Any
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                put_same(self.original, value, "The tensor returned by `right_inverse`", "`original`")
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                    f"length {len(value)}."
                )
            for place, each in enumerate(value):
                own = getattr(self, f"original{place}")
                put_same(own, each, f"Tensor {place} returned by `right_inverse`", f"`original{place}`")

    def forward(self) -> Tensor:
        if self.is_tensor:
            found = self[0](self.original)
        else:
            found = self[0](*[getattr(self, f"original{place}") for place in range(self.ntensors)])
        for each in list(self)[1:]:
            found = each(found)
        return found


def register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def put(tensor: Tensor, value: Tensor) -> None:
    """Give a tensor the memory of another, which may have another shape."""
    with no_grad():
        tensor.set_(value)


def put_same(own: Tensor, value: Any, what: str, target: str) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
    if value.dtype != own.dtype:
        raise ValueError(f"{what} has dtype {value.dtype} while {target} has dtype {own.dtype}")
    put(own, value)


def require_same(found: Any, shape: Any, dtype: Any, names: tuple[str, str], unless: str) -> None:
    """A parametrization keeps the dtype and the shape of the tensor."""
    if not isinstance(found, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(found).__name__}.")
    for what, old, new in (("dtype", dtype, found.dtype), ("shape", shape, found.shape)):
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, {unless}.\n"
                f"{names[0]} {what}: {old}\n{names[1]} {what}: {new}"
            )


def parametrizations_of(module: Module) -> Any:
    """What each parametrized tensor of a module is computed by."""
    return module.parametrizations


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be `parametrization(original)` from now on, each time it is read.

    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(2, 2), "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T)
    True

    A method `right_inverse` of the parametrization makes the tensor assignable; `unsafe=True` lets shape and dtype
    change.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_next(module, tensor_name, parametrization)
        parametrizations_of(module)[tensor_name].append(parametrization)
        parametrizations_of(module)[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    if tensor_name in vars(module) or hasattr(type(module), tensor_name):
        raise AssertionError(
            f"Module already has an attribute named '{tensor_name}' beside the parameter or buffer, which would hide "
            "what is computed; delete it, or give it another name"
        )
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.__class__ = parametrized_class(type(module))
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, computed(tensor_name))
    parametrizations_of(module)[tensor_name] = made
    return module


def check_next(module: Module, name: str, parametrization: Any) -> None:
    """Another parametrization on top of those that are there keeps shape and dtype, both ways."""
    old = getattr(module, name)
    found = parametrization(old)
    unless = "unless the `unsafe` flag is enabled"
    require_same(found, old.shape, old.dtype, (f"module.{name}", f"parametrization(module.{name})"), unless)
    if not hasattr(parametrization, "right_inverse"):
        return
    with contextlib.suppress(NotImplementedError):
        back = parametrization.right_inverse(found)
        if not isinstance(back, Tensor):
            raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
        for what, one, two in (("dtype", old.dtype, back.dtype), ("shape", old.shape, back.shape)):
            if one != two:
                raise ValueError(
                    f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                    f"module.{name}, {unless}.\nmodule.{name}.{what}: {one}\nreturned {what}: {two}"
                )


def parametrized_class(plain: type) -> type:
    """A class of this one module's own, where its computed tensors are properties."""

    def refuse(self: Any) -> Any:
        raise RuntimeError("Serialization of parametrized modules is only supported through state_dict().")

    fields: dict[str, Any] = {"__getstate__": refuse}
    if not hasattr(plain, "__deepcopy__"):
        fields["__deepcopy__"] = copy_fields
    return type(f"Parametrized{plain.__name__}", (plain,), fields)


def copy_fields(self: Any, memo: dict) -> Any:
    if id(self) not in memo:
        memo[id(self)] = replica = object.__new__(type(self))
        replica.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return memo[id(self)]


def computed(name: str) -> property:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not depth:
            return parametrization()
        key = (id(self), name)
        if key not in cache:
            cache[key] = parametrization()
        return cache[key]

    def put_through(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put_through)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has a parametrized tensor, or one of this name."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a tensor a plain one again, with its present value, or with that of `original`."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = parametrizations_of(module)[tensor_name]
    if parametrizations.is_tensor:
        kept = parametrizations.original
        if leave_parametrized:
            with no_grad():
                put(kept, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        kept = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del parametrizations_of(module)[tensor_name]
    register(module, tensor_name, kept)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of a module, without what parametrizations made of it."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, and what they compute from."""
    if not is_parametrized(from_module):
        return to_module
    for name in list(parametrizations_of(from_module)) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = parametrizations_of(from_module)[name]
        for each in source:
            register_parametrization(to_module, name, each)
        for original in [*source._parameters, *source._buffers]:
            setattr(parametrizations_of(to_module)[name], original, getattr(source, original))
    return to_module
