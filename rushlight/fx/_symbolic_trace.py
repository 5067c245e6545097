"""The tracer: runs a module's forward on proxies and keeps what happens as a graph."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.functions import _assert
from rushlight.fx.graph import Graph
from rushlight.fx.node import Argument, base_types, map_aggregate
from rushlight.fx.proxy import ParameterProxy, Proxy, TracerBase
from rushlight.nn.modules.container import Sequential
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["PH", "ProxyableClassMeta", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

# functions to be recorded as one call: by the id of a module's dict and the name there
wrapped_names: dict[tuple[int, str], dict[str, Any]] = {}
wrapped_methods: list[tuple[type, str]] = []
proxyable: dict[type, None] = {}
tracing = False


class PHBase:
    """A mark for an argument that stays unknown: `concrete_args={"x": PH}`."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class ProxyableClassMeta(type):
    """The metaclass of classes whose objects may be made of proxies inside a traced function."""

    def __init__(cls, name: str, bases: tuple, attributes: dict):
        proxyable.setdefault(cls)
        super().__init__(name, bases, attributes)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        found: list[Proxy] = []
        map_aggregate((args, kwargs), lambda each: found.append(each) if isinstance(each, Proxy) else None)
        if found:
            return found[0].tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


def is_fx_tracing() -> bool:
    """Whether a tracer runs the program at the moment."""
    return tracing


is_fx_symbolic_tracing = is_fx_tracing


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


def wrap(fn_or_name: str | Callable) -> Any:
    """Record calls of a function of the program as one node, instead of what happens inside it."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    caller = None if frame is None else frame.f_back
    if caller is None or caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    wrapped_names[(id(caller.f_globals), name)] = caller.f_globals
    return fn_or_name


def is_wrapped(function: Any) -> bool:
    """Whether a function is recorded as one call."""
    name = getattr(function, "__name__", None)
    own = getattr(function, "__globals__", None)
    return own is not None and (id(own), name) in wrapped_names


def recorded(function: Callable) -> Callable:
    """A function that becomes a node where one of its arguments is a proxy."""

    @functools.wraps(function)
    def asked(*args: Any, **kwargs: Any) -> Any:
        found: list[Proxy] = []
        map_aggregate((args, kwargs), lambda each: found.append(each) if isinstance(each, Proxy) else None)
        if found:
            return found[0].tracer.create_proxy("call_function", function, args, kwargs)
        return function(*args, **kwargs)

    asked.__fx_recorded__ = True  # type: ignore[attr-defined]
    return asked


class Patches:
    """What is put in place of functions and methods for the time of a trace."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, str, Any, bool]] = []

    def set_item(self, space: dict[str, Any], name: str, value: Any) -> None:
        self.done.append((space, name, space.get(name), name in space))
        space[name] = value

    def set_method(self, cls: type, name: str, value: Any) -> None:
        self.done.append((cls, name, vars(cls).get(name), name in vars(cls)))
        setattr(cls, name, value)

    def undo(self) -> None:
        while self.done:
            place, name, before, was_there = self.done.pop()
            if isinstance(place, dict):
                place[name] = before
                if not was_there:
                    del place[name]
            elif was_there:
                setattr(place, name, before)
            else:
                delattr(place, name)


class Tracer(TracerBase):
    """Runs a module or function on proxies; `is_leaf_module` says which modules stay one node."""

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable, ...] = (),
        param_shapes_constant: bool = False,
    ):
        functions = [
            value
            for module in autowrap_modules
            for name, value in vars(module).items()
            if not name.startswith("_") and callable(value)
        ]
        self._autowrap_function_ids = {id(each) for each in (*functions, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] = {}
        self.root_module_name = ""
        self.root: Module
        self.tensor_attrs: dict[int, str] = {}
        self.kept: list[Any] = []

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a module is recorded as one call: those of `torch.nn` are, but for Sequential."""
        ours = type(m).__module__.startswith(("rushlight.nn", "torch.nn"))
        return ours and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Where a module stands inside the root."""
        for name, each in self.root.named_modules(remove_duplicate=False):
            if each is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a call of a submodule becomes: a node, or what its forward does."""
        name = self.path_of_module(m)
        if not self.is_leaf_module(m, name):
            return forward(*args, **kwargs)
        return self.create_proxy("call_module", name, args, kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What reading an attribute of a module gives: for a parameter a proxy."""
        if isinstance(attr_val, Parameter):
            return self.proxy_for(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            return self.proxy_for(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def proxy_for(self, value: Any, named: Any, cache: dict[str, Any]) -> Any:
        for name, each in named:
            if each is value:
                if name not in cache:
                    make = functools.partial(parameter_proxy, self, name, value)
                    factory = make if self.param_shapes_constant else None
                    cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
                return cache[name]
        return value

    def create_arg(self, a: Any) -> Argument:
        """An argument as a node keeps it; tensors and modules by their names in the root."""
        if isinstance(a, Parameter):
            name = name_in(self.root.named_parameters(), a)
            if name is None:
                raise NameError("parameter is not a member of this module")
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Tensor):
            name = name_in(self.root.named_buffers(), a) or self.tensor_attrs.get(id(a)) or self.keep(a)
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Module):
            name = name_in(self.root.named_modules(), a)
            if name is not None:
                return self.create_node("get_attr", name, (), {})
        if type(a) in proxyable:
            name = self.keep(a, f"_{type(a).__name__}_constant_")
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def keep(self, value: Any, prefix: str = "_tensor_constant") -> str:
        """Put a constant on the root, under a name of its own."""
        name = self.get_fresh_qualname(prefix)
        self.tensor_attrs[id(value)] = name
        self.kept.append(value)
        setattr(self.root, name, value)
        return name

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root does not have yet."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    def trace(self, root: Module | Callable, concrete_args: dict[str, Any] | None = None) -> Graph:
        """The graph of what a module's forward, or a function, does."""
        global tracing
        if isinstance(root, Module):
            self.root, function = root, getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
        else:
            self.root, function = Module(), root
        self.graph = Graph(tracer_cls=getattr(self, "__class__", None))
        self.tensor_attrs = tensors_of(self.root)
        function, args = self.create_args_for_root(function, isinstance(root, Module), concrete_args)
        patches, before, tracing = Patches(), tracing, True
        try:
            self.patch(patches, function)
            found = function(*args)
            result = self.create_arg(found)
        finally:
            tracing = before
            patches.undo()
        self.create_node("output", "output", (result,), {}, type_expr=annotation_of(function, "return"))
        return self.graph

    def patch(self, patches: Patches, function: Callable) -> None:
        """Let calls of modules, reads of parameters and wrapped functions come here first."""
        call, read, cache = Module.__call__, Module.__getattribute__, {}  # type: ignore[var-annotated]
        own = self

        def called(module: Module, *args: Any, **kwargs: Any) -> Any:
            own.autowrap(patches, getattr(type(module).forward, "__globals__", {}))
            return own.call_module(module, functools.partial(call, module), args, kwargs)

        def looked_up(module: Module, name: str) -> Any:
            value = read(module, name)
            return own.getattr(name, value, cache) if isinstance(value, Tensor) else value

        patches.set_method(Module, "__call__", called)
        patches.set_method(Module, "__getattribute__", looked_up)
        self.autowrap(patches, getattr(function, "__globals__", {}))
        for module in self._autowrap_search:
            self.autowrap(patches, vars(module))
        for (_, name), space in list(wrapped_names.items()):
            value = space.get(name, getattr(builtins, name, None))
            if value is not None and not hasattr(value, "__fx_recorded__"):
                patches.set_item(space, name, recorded(value))

    def autowrap(self, patches: Patches, space: dict[str, Any]) -> None:
        """Record the functions of `autowrap_modules` that a module's globals have."""
        for name, value in list(space.items()):
            if not name.startswith("_") and callable(value) and id(value) in self._autowrap_function_ids:
                patches.set_item(space, name, recorded(value))

    def create_args_for_root(
        self, root_fn: Callable, is_module: bool, concrete_args: dict[str, Any] | None = None
    ) -> tuple[Callable, list[Any]]:
        """The function with every argument by position, and a proxy for each of them."""
        inner = inspect.unwrap(root_fn)
        code = getattr(inner, "__code__", None)
        if code is None:
            raise TypeError(f"symbolic_trace: {root_fn!r} is not written in Python")
        names = list(code.co_varnames)
        count = code.co_argcount + code.co_kwonlyargcount
        args: list[Any] = [self.root] if is_module else []
        if is_module and count == 0:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        parameters = inspect.signature(inner).parameters
        concrete = concrete_args or {}
        for name in names[len(args) : count]:
            args.append(self.placeholder_for(name, parameters[name], inner, concrete))
        flags = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
        if code.co_flags & inspect.CO_VARARGS:
            args.append(self.create_proxy("placeholder", "*" + names[count], (), {}))
            count += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            args.append(self.create_proxy("placeholder", "**" + names[count], (), {}))
        if code.co_kwonlyargcount or code.co_flags & flags:
            plain = code.replace(
                co_argcount=len(args), co_kwonlyargcount=0, co_posonlyargcount=0, co_flags=code.co_flags & ~flags
            )
            made = FunctionType(plain, inner.__globals__, inner.__name__, None, inner.__closure__)
            made.__annotations__ = inner.__annotations__
            return made, args
        return root_fn, args

    def placeholder_for(self, name: str, parameter: Any, function: Callable, concrete: dict[str, Any]) -> Any:
        """A proxy for one argument, or its value where the caller has settled it."""
        default = () if parameter.default is parameter.empty else (parameter.default,)
        if name not in concrete or isinstance(concrete[name], PHBase):
            return self.create_proxy("placeholder", name, default, {}, type_expr=annotation_of(function, name))
        value = concrete[name]
        number = list(concrete).index(name) + 1
        out = self.create_proxy("placeholder", f"{name}_{number}", default, {})
        words = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (out, words), {})
        elif isinstance(value, base_types) and not isinstance(value, Tensor):
            self.create_proxy("call_function", _assert, (out == value, words), {})
        return value


def parameter_proxy(tracer: Tracer, name: str, value: Any, node: Any) -> ParameterProxy:
    return ParameterProxy(tracer, node, name, value)


def annotation_of(function: Callable, name: str) -> Any:
    """What a function says of a parameter; what Rushlight's own say in words is kept only where torch says it too."""
    found = getattr(inspect.unwrap(function), "__annotations__", {}).get(name)
    ours = isinstance(found, str) and (function.__module__ or "").startswith("rushlight")
    return (Tensor if found == "Tensor" else None) if ours else found


def name_in(named: Any, value: Any) -> str | None:
    """The name of something among named things."""
    return next((name for name, each in named if each is value), None)


def tensors_of(root: Module) -> dict[int, str]:
    """Tensors that are plain attributes of a module or of its parts, by identity."""
    found: dict[int, str] = {}
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, Tensor):
                found[id(value)] = f"{path}.{name}".lstrip(".")
    return found


def symbolic_trace(root: Module | Callable, concrete_args: dict[str, Any] | None = None) -> Any:
    """A module's forward, or a function, as a module that runs the graph of what it does.

    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> traced(torch.tensor([-1.0, 1.0]))
    tensor([1., 2.])
    """
    from rushlight.fx.graph_module import GraphModule

    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


_wrapped_fns_to_patch = wrapped_names
_Patcher = Patches
