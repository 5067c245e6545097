"""Translation: a function of torch or of its operator database, as the same function of another library."""

import dis
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from conformance.libraries import Library

# the seed with which op_db wraps its random entries; both sides must start there
WRAPPER_SEED = 42


def translate(function: Callable, library: Library, name: str | None = None) -> Callable | None:
    """The library's counterpart of `function`, found under `name` if given; None where it has none.

    A lambda of op_db runs as it is, with `torch` bound to the library; everything else is looked up by name.
    """
    if isinstance(function, functools.partial):
        inner = translate(function.func, library, name)
        return None if inner is None else functools.partial(inner, *function.args, **function.keywords)
    if is_of_database(function):
        return rebind(function, library)
    if name is not None:
        return library.find_function(name.removeprefix("torch."))
    if isinstance(function, types.MethodDescriptorType | types.WrapperDescriptorType):
        return library.find_method(function.__name__)
    module = getattr(function, "__module__", None) or ""
    if module.startswith("torch") or module == "":
        return translate_by_path(function, library)
    return function


def is_of_database(function: Any) -> bool:
    """Whether the function was written for the operator database, as its lambdas were."""
    return isinstance(function, types.FunctionType) and function.__module__.startswith("torch.testing.")


def translate_by_path(function: Callable, library: Library) -> Callable | None:
    """The library's function of the same public path, for torch's own functions and Tensor methods."""
    from torch.overrides import resolve_name

    path = resolve_name(function) or f"torch.{getattr(function, '__name__', '')}"
    found = library.find(path.removeprefix("torch."))
    return found if callable(found) else None


def rebind(function: types.FunctionType, library: Library) -> types.FunctionType:
    """The same code with its globals and closure pointing into the library."""
    names = set(names_used(function.__code__))
    scope = {name: function.__globals__[name] for name in names if name in function.__globals__}
    scope = {name: translate_value(value, library) for name, value in scope.items()}
    scope["__builtins__"] = function.__globals__["__builtins__"]
    cells = function.__closure__
    closure = cells and tuple(types.CellType(translate_value(cell.cell_contents, library)) for cell in cells)
    bound = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, closure)
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


def names_used(code: types.CodeType) -> Iterator[str]:
    """Every name that the code and the functions inside it read from their globals."""
    yield from (step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_used(constant)


def translate_value(value: Any, library: Library) -> Any:
    """A global or closure variable of a rebound function, in the library's terms."""
    from conformance.build import Builder
    from conformance.records import Unrepresentable, record

    if isinstance(value, types.ModuleType):
        return translate_module(value, library)
    if isinstance(value, types.FunctionType) and value.__name__ == "wrapper_set_seed":
        return functools.partial(call_seeded, library)
    if is_of_database(value):
        return rebind(value, library)
    try:
        return Builder(library).build(record(value))
    except Unrepresentable:
        return value


def translate_module(module: types.ModuleType, library: Library) -> Any:
    if module.__name__ == "torch":
        return library.module
    if module.__name__.startswith("torch."):
        return library.find(module.__name__.removeprefix("torch."))
    return module


def call_seeded(library: Library, function: Callable, *args: Any, **kwargs: Any) -> Any:
    """What op_db does around a random entry: seed, then call."""
    library.seed(WRAPPER_SEED)
    return function(*args, **kwargs)
