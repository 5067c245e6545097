"""Proxies: values that are not there yet; whatever is done to one becomes a node of the graph."""

from __future__ import annotations

import dis
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.fx.codegen import MAGIC
from rushlight.fx.node import Argument, Node, Target, base_types, map_aggregate
from rushlight.fx.targets import qualified_name
from rushlight.overrides import is_tensor_method_or_property

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]


class TraceError(ValueError):
    """What cannot be known of a value that is not there yet."""


class TracerBase:
    """What turns calls on proxies into nodes of its graph."""

    graph: Any
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple,
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A node at the end of the graph."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """What stands for the value of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple,
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Any:
        """A node for a call, and what stands for its value."""
        given, named = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, given, named, name, type_expr)
        if self.record_stack_traces and not node.stack_trace:
            from rushlight.errors.location import describe, user_line

            node.stack_trace = describe(user_line())
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """An argument as a node keeps it: nodes in place of proxies."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            inner = [self.create_arg(each) for each in a]
            return type(a)(*inner) if hasattr(a, "_fields") else tuple(inner)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            for key in a:
                map_aggregate(self.create_arg(key), refuse_key)
            return {key: self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, base_types) or a is None or a is ... or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """Called where a proxy decides what happens next: it cannot."""
        raise TraceError(explained("symbolically traced variables cannot be used as inputs to control flow"))

    def iter(self, obj: Proxy) -> Iterator:
        """Called where a proxy is looped over: it cannot be."""
        raise TraceError(
            explained(
                "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args "
                "or **kwargs function argument. Write the loop over a range of known length, or torch.fx.wrap the "
                "function that loops"
            )
        )

    def keys(self, obj: Proxy) -> Any:
        """Called where a proxy is passed as `**kwargs`."""
        return Attribute(obj, "keys")()


def explained(words: str) -> str:
    """The words, and the line of the program that asked."""
    from rushlight.errors.location import describe, user_line

    place = user_line()
    return words if place is None else f"{words}\n  at {describe(place)}"


def refuse_key(value: Any) -> Any:
    if isinstance(value, Node):
        raise RuntimeError("Keys for dictionaries used as an argument cannot contain a Node. Got key: " + str(value))
    return value


class GraphAppendingTracer(TracerBase):
    """A tracer that puts nodes at the end of a graph that is there already."""

    def __init__(self, graph: Any):
        self.graph = graph


class Proxy:
    """What stands for a value while a function is traced.

    Operators, methods, attributes and functions of torch that meet it are recorded as nodes.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __getstate__(self) -> dict:
        return self.__dict__

    def __setstate__(self, d: dict) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict) -> Proxy:
        raise TraceError("a value that is not there yet cannot be copied: write x.clone() instead of copy.deepcopy(x)")

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        frame = inspect.currentframe()
        calling = None if frame is None else frame.f_back
        if calling is not None:
            found = [each for each in dis.get_instructions(calling.f_code) if each.offset == calling.f_lasti]
            if found and found[0].opname == "UNPACK_SEQUENCE":
                return (operator.getitem(self, place) for place in range(found[0].argval))
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def keys(self) -> Any:
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def __contains__(self, item: Any) -> bool:
        return self.tracer.to_bool(self.tracer.create_proxy("call_function", operator.contains, (self, item), {}))

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None) -> Any:
        args, kwargs = args or (), kwargs or {}
        tracers: dict[Any, None] = {}
        map_aggregate((args, kwargs), lambda each: tracers.setdefault(each.tracer) if isinstance(each, Proxy) else None)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations")
        (tracer,) = tracers
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        name = qualified_name(orig_method).rpartition(".")[2]
        return tracer.create_proxy("call_function", orig_method, args, kwargs, tracer.graph._target_to_str(name))


class Attribute(Proxy):
    """An attribute of a value that is not there yet; a method, once it is called."""

    def __init__(self, root: Proxy, attr: str):
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        # most attributes are methods: a node is made where one is used as a value
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter: its shape is known."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any):
        super().__init__(node, tracer)
        if not isinstance(param, Tensor):
            raise AssertionError("param must be a Parameter")
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    def size(self) -> Any:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.nelement()


REFLECTED = "add sub mul floordiv truediv mod lshift rshift and_ or_ xor pow matmul".split()


def operating(target: Callable, reflected: bool = False) -> Callable:
    """A method that records an operator."""

    def method(self: Proxy, *args: Any) -> Any:
        given = (args[0], self) if reflected else (self, *args)
        return self.tracer.create_proxy("call_function", target, given, {})

    return method


for _name in MAGIC:
    setattr(Proxy, f"__{_name.strip('_')}__", operating(getattr(operator, _name)))
for _name in REFLECTED:
    setattr(Proxy, f"__r{_name.strip('_')}__", operating(getattr(operator, _name), reflected=True))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
