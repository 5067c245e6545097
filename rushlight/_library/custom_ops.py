"""Custom functions: Python functions that programs call as `torch.ops.library.name`, with gradients of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

from rushlight._library.infer_schema import infer_schema
from rushlight._library.schemas import FunctionSchema
from rushlight._ops import OpOverload, OpOverloadPacket, has_tensor, library, refused_libraries
from rushlight.autograd.function import Function
from rushlight.autograd.modes import is_grad_enabled, no_grad, state
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import modes
from rushlight.core.surface.tags import Tag, given_tags

__all__ = ["CustomOpDef", "Declared", "custom_op"]
# declared functions by their qualified names
DECLARED: dict[str, Declared] = {}
ON_THE_CPU = ("CPU", "CompositeExplicitAutograd", "default", "cpu")


class Declared:
    """A function with a declaration: its kernels, and what its gradient is."""

    def __init__(self, schema: FunctionSchema, tags: Any = ()):
        self.schema = schema
        self.kernels: dict[str, Callable] = {}
        self.fake: Callable | None = None
        self.vmap: Callable | None = None
        self.backward: Callable | None = None
        self.setup: Callable | None = None
        # under autocast, by device: the dtype of what it is given
        self.cast_inputs: dict[str, Any] = {}
        namespace, _, name = schema.name.partition("::")
        self.namespace, self.name, self.form = namespace, name, schema.overload_name or "default"
        space = library(namespace)
        packet = space._packets.setdefault(name, OpOverloadPacket(schema.name, name, None, []))
        self.overload = packet.add(OpOverload(packet, self.form, self.run, schema, given_tags(tags)))
        self.node = type(
            f"GeneratedBackwardFor_{namespace}_{name}_{self.form}",
            (Function,),
            {"forward": staticmethod(self.forward), "backward": staticmethod(self.run_backward)},
        )
        DECLARED[self.qualified] = self

    @property
    def qualified(self) -> str:
        return self.schema.name if self.form == "default" else f"{self.schema.name}.{self.form}"

    def kernel(self) -> Callable:
        """What computes it on the CPU."""
        for key in ON_THE_CPU:
            if key in self.kernels:
                return self.kernels[key]
        raise NotImplementedError(
            f"Could not run '{self.schema.name}' with arguments from the 'CPU' backend: no function was registered for "
            f"it; torch.library.impl('{self.schema.name}', 'CPU') does so"
        )

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call it: the kernel, and a node where a gradient is wanted."""
        given, named = self.schema.bind(args, kwargs)
        if state.levels:
            from rushlight._library.mapping import mapping_of, run_mapped

            level = mapping_of(given)
            if level is not None:
                return run_mapped(self, given, named, level)
        if "cpu" in self.cast_inputs and modes.casting is not None:
            return cast_custom(self.cast_inputs["cpu"], self.run, tuple(given), named)
        for key in ("Autograd", "AutogradCPU", "CompositeImplicitAutograd"):
            if key in self.kernels:
                return self.kernels[key](*given, **named)
        flat, form = flattened(given)
        wanted = is_grad_enabled() and any(isinstance(each, Tensor) and each.requires_grad for each in flat)
        if not wanted or self.schema.is_mutable:
            return self.checked(given, named, self.kernel()(*given, **named))
        return self.node.apply(form, named, *flat)  # type: ignore[attr-defined]

    def checked(self, given: list[Any], named: dict[str, Any], found: Any) -> Any:
        """The result, which must not be one of the arguments."""
        for each in found if isinstance(found, (tuple, list)) else (found,):
            if isinstance(each, Tensor) and any(each is one for one in (*flattened(given)[0], *named.values())):
                raise RuntimeError(
                    f"{self.name}: The output of this custom operator (1) must not also be an input to this custom "
                    "operator and (2) may not alias any inputs to this custom operator or other returns: return "
                    "a clone()"
                )
        return found

    def forward(self, ctx: Any, form: Any, named: dict[str, Any], *flat: Any) -> Any:
        given = gathered(flat, form)
        with no_grad():
            found = self.checked(given, named, self.kernel()(*given, **named))
        ctx.form = form
        if self.setup is not None:
            extra = {"keyword_only_inputs": named} if named else {}
            self.setup(ctx=ctx, inputs=tuple(given), output=found, **extra)
        return found

    def run_backward(self, ctx: Any, *grads: Any) -> Any:
        if self.backward is None:
            raise RuntimeError(
                f"Trying to backward through {self.overload} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        found = self.backward(ctx, *grads)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(ctx.form):
            raise RuntimeError(
                f"{self.overload}: the backward gave {len(found)} gradients for {len(ctx.form)} arguments: give None "
                "for what needs none"
            )
        flat: list[Any] = []
        for each, count in zip(found, ctx.form, strict=True):
            flat += [each] if count is None else list(each if each is not None else [None] * count)
        return (None, None, *flat)


def flattened(given: Iterable[Any]) -> tuple[list[Any], tuple]:
    """Arguments with the elements of lists of tensors one by one, and how many each had."""
    flat: list[Any] = []
    form: list[int | None] = []
    for each in given:
        if isinstance(each, (list, tuple)) and has_tensor(each):
            flat += each
            form.append(len(each))
        else:
            flat.append(each)
            form.append(None)
    return flat, tuple(form)


def gathered(flat: Sequence[Any], form: tuple) -> list[Any]:
    """The reverse of `flattened`."""
    given, left = [], list(flat)
    for count in form:
        if count is None:
            given.append(left.pop(0))
        else:
            given.append(left[:count])
            del left[:count]
    return given


def declared(op: Any) -> Any:
    """What an op, its name or its definition stands for."""
    if isinstance(op, CustomOpDef):
        return op._declared
    name = op.name() if isinstance(op, OpOverload) else str(op)
    found = DECLARED.get(name.removesuffix(".default"))
    if found is None and refused_libraries:
        return Unloaded()
    if found is None:
        raise RuntimeError(f"operator {name} does not exist: torch.library.define it first")
    return found


def check_autocast_device(device_type: str) -> None:
    from rushlight.amp import is_autocast_available

    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")


def cast_custom(dtype: Any, run: Callable, given: tuple, named: dict[str, Any]) -> Any:
    """A call under autocast, with its floats in another dtype."""
    from rushlight.amp.casting import cast, suspended

    with suspended():
        return run(*cast(given, dtype), **{name: cast(each, dtype) for name, each in named.items()})


class Unloaded:
    """Takes what is registered for a function of a library that could not be loaded, such as torchvision's."""

    def __init__(self) -> None:
        self.kernels: dict[str, Callable] = {}
        self.fake = self.backward = self.setup = self.vmap = None
        self.cast_inputs: dict[str, Any] = {}
        self.schema = SimpleNamespace(is_mutable=False)


class CustomOpDef:
    """A custom function: call it, or as `torch.ops.library.name`."""

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable, tags: Any = ()):
        self._namespace, self._name = namespace, name
        self._qualname = f"{namespace}::{name}"
        self._schema = schema
        self._init_fn = fn
        self._declared = Declared(FunctionSchema(self._qualname + schema), tags)
        self._opoverload = self._declared.overload
        self.__name__, self.__doc__ = name, fn.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types: Any, fn: Callable | None = None, /) -> Any:
        """What computes it on a device; only the CPU's is called."""

        def register(function: Callable) -> Callable:
            for each in [device_types] if isinstance(device_types, str) or device_types is None else device_types:
                self._declared.kernels[each or "default"] = function
            return function

        return register if fn is None else register(fn)

    def register_fake(self, fn: Callable, /) -> Callable:
        """What makes a result of the right shape without computing it."""
        self._declared.fake = fn
        return fn

    def register_autograd(self, backward: Callable, /, *, setup_context: Callable | None = None) -> None:
        """The gradient: `setup_context` keeps what `backward` needs."""
        if self._declared.schema.is_mutable:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema "
                f"{self._declared.schema}. Please create a functional operator and register an autograd formula for "
                "that."
            )
        self._declared.backward, self._declared.setup = backward, setup_context

    def register_vmap(self, func: Callable | None = None) -> Any:
        """What does it for a batch at once."""

        def register(function: Callable) -> None:
            self._declared.vmap = function

        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable | None = None, /) -> Any:
        """Kept: there is no `__torch_dispatch__`."""
        return (lambda function: function) if fn is None else fn

    def register_autocast(self, device_type: str, cast_inputs: Any) -> None:
        """Let it be given floats of a dtype under autocast; autocast is off inside of it."""
        check_autocast_device(device_type)
        self._declared.cast_inputs[device_type] = cast_inputs

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Any:
        """A context in which a kernel is switched off or on."""
        import contextlib

        return contextlib.nullcontext()


def custom_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make a Python function `torch.ops.library.name`, declared by its annotations.

    >>> @torch.library.custom_op("mine::scaled", mutates_args=())
    ... def scaled(x: torch.Tensor, k: float) -> torch.Tensor:
    ...     return x * k
    >>> torch.ops.mine.scaled(torch.ones(2), 3.0)
    tensor([3., 3.])
    """

    def define(function: Callable) -> CustomOpDef:
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, own = parsed(name)
        made = CustomOpDef(namespace, own, text, function, (Tag.pt2_compliant_tag, *given_tags(tags)))
        made.register_kernel(device_types)(function)
        return made

    return define if fn is None else define(fn)


def parsed(name: str) -> tuple[str, str]:
    """Library and name in `library::name`."""
    parts = name.split("::")
    if len(parts) != 2:
        raise ValueError(
            f"Expected there to be a namespace in {name}, i.e. the operator name should look something like ns::name"
        )
    return parts[0], parts[1].removesuffix(".default")
