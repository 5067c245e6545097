"""Recording: one run of a network as the calls that a mode sees, each with the line of the program.

What stands in the table of translations is one call; into what does not, the recorder looks, down to calls that do. A
tensor is known by its identity, so a write to one gives it a new value, and makes those that share its memory stale.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.location import Location, user_line
from rushlight.onnx.errors import UnsupportedOperatorError, refuse
from rushlight.overrides import TorchFunctionMode, redispatch_function

# what is asked of a tensor without looking at its elements
QUESTIONS = set(
    """
    size dim ndimension numel nelement __len__ stride storage_offset element_size is_contiguous is_floating_point
    is_complex is_signed is_tensor get_device data_ptr untyped_storage storage type __repr__ __str__ __format__ __hash__
    is_same_size is_inference is_conj is_neg is_pinned is_shared result_type can_cast has_names requires_grad_
    broadcast_shapes __dir__ __reduce_ex__ is_storage set_printoptions get_default_dtype register_hook
    """.split()
)
# what draws numbers: never a constant
RANDOM = {
    "rand",
    "randn",
    "rand_like",
    "randn_like",
    "bernoulli",
    "normal",
    "uniform",
    "exponential",
    "randint",
    "randperm",
}
# places whose functions have a name of their own
ELSEWHERE = {"linalg", "masked", "fft"}
# the fields of a tensor that give another one
FIELDS = {"T", "mT", "H", "mH", "data", "real", "imag"}


# operators, by the functions that they are
OPERATORS = {
    **dict.fromkeys(("div", "truediv"), "div"),
    **{name: name for name in ("add", "sub", "mul", "pow", "matmul", "eq", "ne", "lt", "le", "gt", "ge", "neg", "abs")},
    **{name: f"bitwise_{name}" for name in ("and", "or", "xor")},
    **{"floordiv": "floor_divide", "mod": "remainder", "invert": "bitwise_not"},
}


class Value:
    """A tensor of the run: an input, a parameter, a constant, or what a call gave."""

    def __init__(self, kind: str, tensor: Tensor, live: bool, place: Location | None, name: str = ""):
        self.kind, self.tensor, self.live, self.place, self.name = kind, tensor, live, place, name
        self.shape = tuple(tensor.shape)
        # the array changes where something is written to it later
        self.array = tensor._array if live else np.array(tensor._array)
        self.dtype = self.array.dtype

    def __repr__(self) -> str:
        return f"{self.kind} {self.name}{list(self.shape)}"


class Call:
    """A call of the run, with values in place of tensors."""

    def __init__(self, name: str, args: Any, kwargs: Any, place: Location | None, live: bool):
        self.name, self.args, self.kwargs, self.place, self.live = name, args, kwargs, place, live
        self.results: list[Value] = []


def name_of(function: Callable) -> str:
    """The name of a function, or of the field that is read."""
    name = function.__name__
    if name == "__get__":
        field: Any = function.__self__  # type: ignore[attr-defined]
        return getattr(field, "__name__", None) or field.fget.__name__
    if name.endswith("_") and not name.startswith("__"):
        return name[:-1]
    # the same name means something else there
    _, _, place = (getattr(function, "__module__", None) or "").partition(".")
    return f"{place}.{name}" if place in ELSEWHERE else name


def as_function(name: str, args: tuple) -> tuple[str, tuple]:
    """An operator as the function that it is, with the operands in its order: `__rsub__` has them turned round."""
    word = name[2:-2] if name.startswith("__") else ""
    if word in OPERATORS:
        return OPERATORS[word], args
    if word[:1] == "r" and word[1:] in OPERATORS:
        return OPERATORS[word[1:]], args[::-1]
    return name, args


def tensors_in(tree: Any) -> Iterator[Tensor]:
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for each in tree:
            yield from tensors_in(each)
    elif isinstance(tree, dict):
        for each in tree.values():
            yield from tensors_in(each)
    elif isinstance(tree, slice):
        yield from tensors_in((tree.start, tree.stop, tree.step))


class Recorder(TorchFunctionMode):
    """A mode that notes calls whose names are in the table."""

    def __init__(self, names: dict[int, str], table: Container[str]):
        self.names, self.table = names, table
        self.values: dict[int, Value] = {}
        self.calls: list[Call] = []
        self.inputs: list[Value] = []
        # calls that the recorder looks into, the program's own first
        self.outer: list[str] = []
        # tensors whose memory was written to through another one, by identity, and where
        self.stale: dict[int, Location | None] = {}
        # of parts that were taken by brackets, by identity: the whole and the index
        self.parents: dict[int, tuple[Tensor, Any]] = {}

    def take_input(self, tensor: Tensor) -> Value:
        value = self.values[id(tensor)] = Value("input", tensor, True, None)
        return value

    def value_of(self, tensor: Tensor) -> Value:
        """The value of a tensor; one that no call gave is a parameter or a constant."""
        if id(tensor) in self.stale:
            fix = "write to the tensor itself, or make a new one (x = x + 1 instead of a write through a view)"
            refuse("a tensor is used after a write through another one that shares its memory", user_line(), fix)
        found = self.values.get(id(tensor))
        if found is None:
            name = self.names.get(id(tensor), "")
            kind = "parameter" if name else "constant"
            found = self.values[id(tensor)] = Value(kind, tensor, bool(name), user_line(), name)
        return found

    def tree(self, given: Any) -> Any:
        """Arguments with values in place of tensors."""
        if isinstance(given, Tensor):
            return self.value_of(given)
        if isinstance(given, (list, tuple)):
            # a list of numbers in brackets is one index, a tuple several
            return (tuple if isinstance(given, tuple) else list)(self.tree(each) for each in given)
        if isinstance(given, dict):
            return {name: self.tree(each) for name, each in given.items()}
        if isinstance(given, slice):
            return slice(self.tree(given.start), self.tree(given.stop), self.tree(given.step))
        return given

    def is_live(self, *given: Any) -> bool:
        return any(self.value_of(each).live for each in tensors_in(given))

    def __torch_function__(self, function: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, turned = as_function(name_of(function), args)
        if name in QUESTIONS or (function.__name__ == "__get__" and name not in FIELDS):
            return function(*args, **kwargs)
        if name in self.table:
            return self.note(name, turned, function, args, kwargs)
        live = self.is_live(args, kwargs)
        count = len(self.calls)
        self.outer.append(name)
        if getattr(function, "__wrapped__", None) is None or getattr(function, "op", None) is not None:
            # there is nothing inside but arrays
            result = function(*args, **kwargs)
        else:
            with self:
                result = redispatch_function(function, types, args, kwargs)
        if live or name in RANDOM:
            self.look(result, len(self.calls) > count)
        self.outer.pop()
        return result

    def look(self, result: Any, has_calls: bool) -> None:
        """Refuse what a call made of live tensors outside of the record, by the name that the program used."""
        name = self.outer[0]
        unknown = any(id(each) not in self.values for each in tensors_in(result))
        if unknown or (result is None and not has_calls):
            fix = "compute it outside of the network, or from operations of the list in docs/export.md"
            words = f"Exporting the operator '{name}' to ONNX is not supported"
            refuse(words, user_line(), fix, UnsupportedOperatorError)
        if result is not None and not has_calls and next(tensors_in(result), None) is None:
            fix = "a network that is exported computes with tensors alone: torch.where in place of a branch"
            refuse(f"numbers of a tensor leave the network by '{name}'", user_line(), fix)

    def note(self, name: str, noted: tuple, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a call, and note it with its arguments in the order of the table."""
        place = user_line()
        if kwargs.get("out") is not None:
            refuse(f"'{name}' writes to out=", place, "use its result")
        kwargs = {key: each for key, each in kwargs.items() if key != "out"}
        live = name in RANDOM or self.is_live(args, kwargs)
        call = Call(name, self.tree(noted), self.tree(kwargs), place, live)
        given = [*tensors_in(args), *tensors_in(kwargs)]
        versions = [each._version for each in given]
        result = function(*args, **kwargs)
        made = list(tensors_in(args[0] if name == "__setitem__" else result))
        written = [each for each, before in zip(given, versions, strict=True) if each._version != before]
        self.finish(call, made)
        if name == "__getitem__" and isinstance(result, Tensor) and np.may_share_memory(result._array, args[0]._array):
            self.parents[id(result)] = args[0], call.args[1]
        for each in written:
            self.spread(each, self.write_back(each, made, place), place)
        return result

    def finish(self, call: Call, made: list[Tensor]) -> None:
        """Note a call, and what it gave."""
        for each in made:
            value = self.values[id(each)] = Value("result", each, call.live, call.place)
            call.results.append(value)
        self.calls.append(call)

    def write_back(self, written: Tensor, made: list[Tensor], place: Location | None) -> list[int]:
        """What was written to `x[i]` is in `x` too: one more call; those that are up to date."""
        fresh = [id(each) for each in made]
        while id(written) in self.parents and id(written) in fresh:
            whole, index = self.parents[id(written)]
            if id(whole) in fresh:
                break
            args = (self.value_of(whole), index, self.value_of(written))
            self.finish(Call("__setitem__", args, {}, place, args[0].live or args[2].live), [whole])
            fresh.append(id(whole))
            written = whole
        return fresh

    def spread(self, written: Tensor, made: list[int], place: Location | None) -> None:
        """Those that share memory with what was written to are stale, unless the call gave them."""
        for key, value in self.values.items():
            if key not in made and np.may_share_memory(value.tensor._array, written._array):
                self.stale[key] = place
