"""torch.library: functions of one's own under `torch.ops`, written in Python, with gradients of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from rushlight._library.custom_ops import CustomOpDef, Declared, check_autocast_device, custom_op, declared, parsed
from rushlight._library.infer_schema import infer_schema
from rushlight._library.schemas import FunctionSchema
from rushlight.core.surface.lazy import names_of

if TYPE_CHECKING:
    from rushlight._library.kernels import Kernel

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]
KEYS = {"cpu": "CPU", "cuda": "CUDA", "meta": "Meta", "default": "CompositeExplicitAutograd"}


class Library:
    """A library of functions: `define` declares one, `impl` says what computes it.

    >>> library = torch.library.Library("sums", "DEF")
    >>> library.define("add(Tensor x, int n=1) -> Tensor")
    'add'
    >>> library.impl("add", lambda x, n=1: x + n, "CPU")
    >>> torch.ops.sums.add(torch.zeros(2))
    tensor([1., 1.])
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported kind: ", kind)
        if ns in ("prim",) and kind in ("DEF", "FRAGMENT"):
            raise ValueError(ns, " is a reserved namespace. Please try creating a library with another name.")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._defined: list[str] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Declare a function; returns its name."""
        if self.kind not in ("DEF", "FRAGMENT"):
            raise RuntimeError(f"define: {self.kind} libraries implement functions; declare them with a DEF library")
        made = Declared(FunctionSchema(schema, self.ns), tags)
        self._defined.append(made.qualified)
        return made.name if made.form == "default" else f"{made.name}.{made.form}"

    def impl(
        self,
        op_name: Any,
        fn: Callable,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Say what computes a function."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if isinstance(op_name, str):
            name = op_name if "::" in op_name else f"{self.ns}::{op_name}"
        else:
            name = op_name.name()
        found = declared(name)
        found.kernels[dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"] = fn

    def _destroy(self) -> None:
        self._defined.clear()


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Declare a function: `define("library::name", "(Tensor x) -> Tensor")`."""
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = parsed(qualname)
    Declared(FunctionSchema(name + schema, namespace), tags)


def impl(qualname: Any, types: str | Sequence[str], func: Callable | None = None, *, lib: Library | None = None) -> Any:
    """Say what computes a function on a kind of device."""
    if isinstance(qualname, Library):
        # the old form: impl(library, name, dispatch_key)
        own, name, key = qualname, types, func

        def old(function: Callable) -> Callable:
            own.impl(name, function, str(key) if key is not None and not callable(key) else "")
            return function

        return old

    def register(function: Callable) -> Callable:
        found = declared(qualname)
        for each in (types,) if isinstance(types, str) else types:
            found.kernels[KEYS.get(each, each)] = function
        return function

    return register if func is None else register(func)


def register_kernel(op: Any, device_types: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """Say what computes a function on a kind of device."""
    kinds = ["default"] if device_types is None else [device_types] if isinstance(device_types, str) else device_types

    def register(function: Callable) -> Callable:
        for each in kinds:
            declared(op).kernels[KEYS.get(each, each)] = function
        return function

    return register if func is None else register(func)


def register_fake(
    op: Any, func: Callable | None = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = True
) -> Any:
    """Say what makes a result of the right shape without computing it; it is kept, and checked by `opcheck`."""

    def register(function: Callable) -> Callable:
        declared(op).fake = function
        return function

    return register if func is None else register(func)


impl_abstract = register_fake


def register_autograd(
    op: Any, backward: Callable, /, *, setup_context: Callable | None = None, lib: Any = None
) -> None:
    """Give a function its gradient: `setup_context` keeps what `backward` needs."""
    found = declared(op)
    if found.schema.is_mutable:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {op} with schema {found.schema}. Please "
            "create a functional operator and register an autograd formula for that."
        )
    found.backward, found.setup = backward, setup_context


def register_vmap(op: Any, func: Callable | None = None, /, *, lib: Any = None) -> Any:
    """Say what does a function for a batch at once."""

    def register(function: Callable) -> None:
        declared(op).vmap = function

    return register if func is None else register(func)


def register_torch_dispatch(
    op: Any, torch_dispatch_class: Any, func: Callable | None = None, /, *, lib: Any = None
) -> Any:
    """Kept: there is no `__torch_dispatch__`."""
    declared(op)
    return (lambda function: function) if func is None else func


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Let a function be given floats of a dtype under autocast; autocast is off inside of it."""
    check_autocast_device(device_type)
    declared(op).cast_inputs[device_type] = cast_inputs


def opcheck(
    op: Any,
    args: tuple,
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: Any = None,
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, str]:
    """Check a function on sample arguments: what it writes, what its gradient is, what its fake form gives."""
    from rushlight._library.checking import check

    return check(declared(op), args, kwargs or {}, raise_exception)


def fallthrough_kernel() -> NoReturn:
    """A kernel that passes on to the next; it is never called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def get_kernel(op: Any, dispatch_key: Any) -> Kernel:
    """What computes a function on a kind of device, with a `call_boxed` that goes past everything else.

    >>> kernel = torch.library.get_kernel("aten::sin", "CPU")
    >>> kernel.call_boxed(torch._C.DispatchKeySet(torch._C.DispatchKey.CPU), torch.zeros(2))
    tensor([0., 0.])
    """
    from rushlight._library.kernels import kernel_of

    return kernel_of(op, dispatch_key)


def get_ctx() -> NoReturn:
    """Refused outside of a fake function, none of which is running."""
    raise RuntimeError("get_ctx() can only be called inside an operator's registered fake impl, and none is running")


def triton_op(
    name: str, fn: Callable | None = None, /, *, mutates_args: str | Iterable[str], schema: str | None = None
) -> Any:
    """Declare a function that may call Triton's kernels: here it is a custom op, whose body runs as it is."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel: Callable, /) -> NoReturn:
    """Refused: Triton compiles for GPUs."""
    raise NotImplementedError("torch.library.wrap_triton is not in Rushlight, which runs on the CPU: use custom_op")


__getattr__ = names_of("rushlight.library")
