"""Module: what every network and every layer is, a tree of parameters with a `forward`."""

from __future__ import annotations

import inspect
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Self

from rushlight.core.object import replacements
from rushlight.core.object.conversion import typename
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import CALL, explained
from rushlight.nn.modules.module_calls import Calls, calls_may_be_compiled
from rushlight.nn.modules.module_globals import WithGlobalHooks, global_hooks
from rushlight.nn.modules.module_hooks import (
    Hooks,
    register_module_backward_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
)
from rushlight.nn.modules.module_hooks import (
    RemovableHandle as RemovableHandle,
)
from rushlight.nn.modules.module_hooks import (
    _has_any_global_hook as _has_any_global_hook,
)
from rushlight.nn.modules.module_moves import Moves
from rushlight.nn.modules.module_registration import (
    check_name,
    register_module_buffer_registration_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from rushlight.nn.modules.module_state import State
from rushlight.nn.modules.module_state import _IncompatibleKeys as _IncompatibleKeys
from rushlight.nn.modules.unregistered import warn_of_hidden
from rushlight.nn.parameter import Buffer, Parameter

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


class Module(State, Moves, Hooks, Calls):
    """The base of all networks: subclass it, assign layers in `__init__`, compute in `forward`.

    >>> class Regression(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.line = torch.nn.Linear(1, 1)
    ...     def forward(self, x):
    ...         return self.line(x)
    >>> Regression()
    Regression(
      (line): Linear(in_features=1, out_features=1, bias=True)
    )
    """

    training: bool
    # for type checkers an attribute: a subclass may take and give what it likes
    forward: Callable[..., Any]
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Module | None]

    # whether `__init__` goes on to the next class of several bases
    call_super_init: bool = False
    dump_patches: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if (args or kwargs) and not self.call_super_init:
            refuse_arguments(self, args, kwargs)
        # in torch's order, in which a pickle of it is written
        fields = self.__dict__
        fields["training"] = True
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_backward_pre_hooks"] = OrderedDict()
        fields["_backward_hooks"] = OrderedDict()
        fields["_is_full_backward_hook"] = None
        fields["_forward_hooks"] = OrderedDict()
        fields["_forward_hooks_with_kwargs"] = OrderedDict()
        fields["_forward_hooks_always_called"] = OrderedDict()
        fields["_forward_pre_hooks"] = OrderedDict()
        fields["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        fields["_state_dict_hooks"] = OrderedDict()
        fields["_state_dict_pre_hooks"] = OrderedDict()
        fields["_load_state_dict_pre_hooks"] = OrderedDict()
        fields["_load_state_dict_post_hooks"] = OrderedDict()
        fields["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    if not TYPE_CHECKING:

        def _forward_unimplemented(self, *input: Any) -> None:
            """What the module computes; every subclass defines it."""
            words = f'Module [{type(self).__name__}] is missing the required "forward" function'
            raise explained(NotImplementedError, words, stage=CALL)

        _forward_unimplemented.__qualname__ = "_forward_unimplemented"
        forward = _forward_unimplemented

    def __setattr__(self, name: str, value: Any) -> None:
        fields = self.__dict__
        parameters = fields.get("_parameters")
        # what is no tensor is told apart first: to ask whether it is a parameter takes a call of Python
        tensor = isinstance(value, Tensor)
        if tensor and isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            forget(self, name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            require_none(value, name, "parameter", "torch.nn.Parameter")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if parameters is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            forget(self, name, "_parameters", "_buffers")
            if fields["_modules"].get(name) is not None:
                new = {f"{name}.{path}": each for path, each in value.named_parameters()}
                replacements.tell(fields["_modules"][name].named_parameters(name), new)
            fields["_modules"][name] = registered("module", self, name, value)
        elif parameters is not None and name in fields["_modules"]:
            require_none(value, name, "child module", "torch.nn.Module")
            fields["_modules"][name] = registered("module", self, name, value)
        elif tensor:
            self.set_tensor(name, value)
        elif parameters is not None and name in fields["_buffers"]:
            require_none(value, name, "buffer", "torch.nn.Buffer, torch.Tensor")
            self.put_buffer(name, value)
        else:
            if type(value) in (list, dict):
                warn_of_hidden(self, name, value)
            object.__setattr__(self, name, value)

    def set_tensor(self, name: str, value: Tensor) -> None:
        """A tensor that is no parameter is a buffer, if it says so or its name is one's; else a plain attribute."""
        buffers = self.__dict__.get("_buffers")
        if buffers is None:
            if isinstance(value, Buffer):
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            object.__setattr__(self, name, value)
        elif isinstance(value, Buffer) or name in buffers:
            self.put_buffer(name, value)
        else:
            object.__setattr__(self, name, value)

    def put_buffer(self, name: str, value: Any) -> None:
        """Assign a buffer, by a `register_buffer` that a subclass has overridden if there is one."""
        persistent = name not in self._non_persistent_buffers_set
        if isinstance(value, Buffer):
            persistent = value.persistent
            forget(self, name, "_parameters", "_modules")
        own = type(self).register_buffer is Module.register_buffer
        if own or "persistent" in inspect.signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                f"the persistent argument is not allowed: give {type(self).__name__}.register_buffer that argument"
            )

    def __delattr__(self, name: str) -> None:
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        registered = [*self._parameters, *self._modules, *self._buffers]
        names = {*dir(type(self)), *self.__dict__, *registered}
        return sorted(name for name in names if not name[:1].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None holds its place."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        check_name(self, name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. A parameter is created, not computed: to "
                f"express '{name}' as a function of another Tensor, compute the value in forward()."
            )
        if param is not None:
            param = registered("parameter", self, name, param)
        if self._parameters.get(name) is not None and param is not None:
            replacements.tell([(name, self._parameters[name])], {name: param})
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is kept, moved and saved with the module, but not learned.

        `persistent=False` leaves it out of `state_dict()`.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        check_name(self, name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name; None holds its place."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name(self, name, "module", self._modules)
        self._modules[name] = registered("module", self, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> Module:
        """The submodule at a dotted path, such as `"encoder.0"`; the module itself for the empty path."""
        found: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a dotted path; `strict` demands that there is one already."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path."""
        found = self.find(target)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{target.rpartition('.')[2]}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path."""
        found = self.find(target)
        path, _, name = target.rpartition(".")
        if name not in self.get_submodule(path)._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def find(self, target: str) -> Any:
        """Whatever stands at a dotted path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        return getattr(module, name)

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module and all below it, each once, with their dotted paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """The module and all below it, each once unless told otherwise."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def _replicate_for_data_parallel(self) -> Any:
        """A module with the same attributes and submodules, and with no parameters of its own."""
        replica: Any = type(self).__new__(type(self))
        replica.__dict__ = dict(self.__dict__)
        replica._parameters = {}
        replica._buffers = dict(self._buffers)
        replica._modules = dict(self._modules)
        replica._is_replica = True
        return replica

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, members: Callable, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """The values in a dict of each module, with their dotted paths."""
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in members(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted paths."""
        return self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters: what an optimizer is given."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted paths."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def apply(self, fn: Callable[[Module], None]) -> Self:
        """Call `fn` with each module below this one, then with itself; for initialisation, for example."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Switch to training: dropout drops, statistics are gathered."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation: the opposite of `train()`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Whether the parameters are learned; `requires_grad_(False)` freezes them."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for parameter in self.parameters():
            if parameter._grad is None:
                continue
            if set_to_none:
                parameter._grad = None
            else:
                grad = parameter._grad.detach_() if parameter._grad.grad_fn is not None else parameter._grad
                grad.requires_grad_(False).zero_()

    def _get_name(self) -> str:
        return type(self).__name__

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Run this module's calls as `torch.compile` does, with its options; parameters keep their names.

        >>> torch.nn.Linear(2, 1).compile(mode="reduce-overhead")
        """
        from rushlight.compiler.entry import compile

        compile(self._call_impl, *args, **kwargs)
        if not kwargs.get("disable"):
            # native code looks for this name: whether the graph must not break
            self.__dict__["_compiled_whole"] = bool(kwargs.get("fullgraph"))
            calls_may_be_compiled()

    @property
    def _compiled_call_impl(self) -> Any:
        """What a call runs if the module was compiled in place, as torch names it; None if it was not."""
        return self._call_impl if "_compiled_whole" in self.__dict__ else None

    def extra_repr(self) -> str:
        """What to print of the module besides its submodules; for subclasses to define."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({extra})"
        if not lines and not children:
            return f"{self._get_name()}()"
        inside = "\n  ".join(lines + children)
        return f"{self._get_name()}(\n  {inside}\n)"

    def _repr_html_(self) -> str | None:
        """What a notebook shows: a tree with the number of parameters."""
        from rushlight.core.object.tensor import shown
        from rushlight.nn.display import html_of_module

        return shown(html_of_module, self)

    def __getstate__(self) -> dict:
        state = self.__dict__.copy()
        # as in torch, a copy is not compiled
        state.pop("_compiled_whole", None)
        return state

    def __setstate__(self, state: dict) -> None:
        # what an older pickle lacks has its first value
        Module.__init__(self)
        self.__dict__.update(state)


def refuse_arguments(module: Module, args: tuple, kwargs: dict) -> None:
    """torch's words, which name the class that was called."""
    name = type(module).__name__
    if kwargs:
        raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
    raise TypeError(f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")


def forget(module: Module, name: str, *kinds: str) -> None:
    """Take a name away from where it stands, before it is given to something of another kind."""
    fields = module.__dict__
    fields.pop(name, None)
    fields["_non_persistent_buffers_set"].discard(name)
    for kind in kinds:
        fields[kind].pop(name, None)


def require_none(value: Any, name: str, what: str, expected: str) -> None:
    if value is not None:
        raise TypeError(f"cannot assign '{typename(value)}' as {what} '{name}' ({expected} or None expected)")


def indented(text: str) -> str:
    """The lines after the first one, two columns to the right."""
    return _addindent(text, 2)


def _addindent(s_: str, numSpaces: int) -> str:
    """torch's own name for this; programs that print their modules use it."""
    return s_.replace("\n", "\n" + numSpaces * " ")


_EXTRA_STATE_KEY_SUFFIX = "_extra_state"

globals().update(global_hooks())
sys.modules[__name__].__class__ = WithGlobalHooks
