"""The interpreter of pickles that are not trusted: opcode by opcode, with a table of constructors.

Nothing that a file says leads to code but through `constructors`. Python's own unpickler is not used. Nothing here
recurses, so depth costs no stack, and what an opcode makes takes memory in proportion to the bytes that ask for it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError, decode_long
from struct import unpack_from
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.serialization import rebuilding
from rushlight.serialization.constructors import (
    BLOCKED,
    NotAllowed,
    added,
    allowed,
    check_key,
    makers,
    meaning,
    parameter_class,
    python3_name,
)
from rushlight.serialization.opcodes import STOP, steps
from rushlight.serialization.rebuilding import set_attributes

# what a damaged pickle runs into; each is told as what it is: no pickle that can be read
DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
DICTS = (dict, OrderedDict, Counter)
MARK = object()


class Interpreter:
    """Reads one pickle out of bytes; `place` is where it ends afterwards."""

    def __init__(self, data: Any, place: int, storage_of: Callable[[Any], Any], encoding: str = "utf-8"):
        self.data = data
        self.place = place
        self.storage_of = storage_of
        self.encoding = encoding
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        # whether something runs that is not the file's: what the user trusts, or where he lays storages
        self.outside = False
        self.trusted = added()
        self.trusted_ids = {id(each) for each in self.trusted.values()}

    def load(self) -> Any:
        """The object; an UnpicklingError if there is none, or if it asks for what is not allowed."""
        try:
            return self.run()
        except DAMAGE as error:
            if self.outside:
                raise
            raise UnpicklingError(f"{type(error).__name__}: {error}") from error

    def run(self) -> Any:
        for code, _, first, after in steps(self.data, self.place):
            self.place = after
            if code == STOP:
                return self.stack.pop()
            action = ACTIONS.get(code)
            if action is None:
                raise UnpicklingError(f"Unsupported operand {code}: files of tensors have none such")
            action(self, first, after)
        raise EOFError("Ran out of input: the pickle has no end")

    def pop_mark(self) -> list[Any]:
        """What was pushed since the last mark."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    def mark(self, first: int, after: int) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def pop(self, first: int, after: int) -> None:
        self.stack.pop()

    # ---- numbers, texts and bytes

    def integer(self, first: int, after: int) -> None:
        self.stack.append(decode_long(self.data[first:after]))

    def text(self, first: int, after: int) -> None:
        self.stack.append(str(self.data[first:after], "utf-8", "surrogatepass"))

    def old_text(self, first: int, after: int) -> None:
        found = bytes(self.data[first:after])
        self.stack.append(found if self.encoding == "bytes" else found.decode(self.encoding))

    def raw(self, first: int, after: int) -> None:
        self.stack.append(bytes(self.data[first:after]))

    def raw_array(self, first: int, after: int) -> None:
        self.stack.append(bytearray(self.data[first:after]))

    # ---- containers

    def make_tuple(self, first: int, after: int) -> None:
        items = self.pop_mark()
        self.stack.append(tuple(items))

    def frozen(self, first: int, after: int) -> None:
        items = self.pop_mark()
        for each in items:
            check_key(each)
        self.stack.append(frozenset(items))

    def append(self, first: int, after: int) -> None:
        item = self.stack.pop()
        self.target(list, "append to").append(item)

    def extend(self, first: int, after: int) -> None:
        items = self.pop_mark()
        self.target(list, "extend").extend(items)

    def add_items(self, first: int, after: int) -> None:
        items = self.pop_mark()
        for each in items:
            check_key(each)
        self.target(set, "add to").update(items)

    def set_item(self, first: int, after: int) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self.put([key, value])

    def set_items(self, first: int, after: int) -> None:
        self.put(self.pop_mark())

    def put(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) not in DICTS or len(items) % 2:
            raise UnpicklingError(
                f"Can only set items of dict, collections.OrderedDict, collections.Counter, but got {type(target)}"
            )
        for place in range(0, len(items), 2):
            check_key(items[place])
            target[items[place]] = items[place + 1]

    def target(self, kind: type, verb: str) -> Any:
        found = self.stack[-1]
        if type(found) is not kind:
            raise UnpicklingError(f"Can only {verb} a {kind.__name__}, but got {type(found)}")
        return found

    # ---- the memo

    def get(self, first: int, after: int) -> None:
        self.stack.append(self.memo[int.from_bytes(self.data[first:after], "little")])

    def keep(self, first: int, after: int) -> None:
        self.memo[int.from_bytes(self.data[first:after], "little")] = self.stack[-1]

    def keep_next(self, first: int, after: int) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    # ---- what is named, called and built

    def named(self, first: int, after: int) -> None:
        module, name = str(self.data[first : after - 1], "utf-8").split("\n")
        self.push_named(module, name)

    def named_by_stack(self, first: int, after: int) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("the names of classes and functions are texts")
        self.push_named(module, name)

    def push_named(self, module: str, name: str) -> None:
        module, name = python3_name(module, name)
        path = f"{module}.{name}"
        if module in BLOCKED:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
        if path in allowed():
            self.stack.append(meaning(path))
        elif path in self.trusted:
            self.stack.append(self.trusted[path])
        else:
            shown = path.removeprefix("builtins.")
            raise NotAllowed(
                f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use "
                f"`torch.serialization.add_safe_globals([{shown}])` or the "
                f"`torch.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust "
                "this class/function."
            )

    def call(self, first: int, after: int) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if type(arguments) is not tuple:
            raise UnpicklingError("the arguments of a call are a tuple")
        self.stack.append(self.called(function, arguments))

    def called(self, function: Any, arguments: tuple) -> Any:
        if function is rebuilding._rebuild_from_type_v2:
            return self.rebuilt(*arguments)
        maker = makers().get(id(function))
        if maker is not None:
            return maker(*arguments)
        if id(function) not in self.trusted_ids:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {name_of(function)}")
        return self.beyond(function, *arguments)

    def beyond(self, function: Callable, *arguments: Any) -> Any:
        """Call what is not the file's own: its errors are its own, too."""
        self.outside = True
        result = function(*arguments)
        self.outside = False
        return result

    def rebuilt(self, function: Any, kind: Any, arguments: Any, state: Any) -> Any:
        """A tensor of a subclass, or with attributes: the class must be known, and so must what makes it."""
        if kind is not Tensor and id(kind) not in self.trusted_ids and kind is not parameter_class():
            raise UnpicklingError(f"Can only rebuild tensors of classes that are allowed, but got {name_of(kind)}")
        made = lambda *given: self.called(function, given)
        return rebuilding._rebuild_from_type_v2(made, kind, arguments, state)

    def new_object(self, first: int, after: int) -> None:
        arguments, kind = self.stack.pop(), self.stack.pop()
        if type(arguments) is not tuple:
            raise UnpicklingError("the arguments of a call are a tuple")
        if id(kind) in self.trusted_ids and isinstance(kind, type):
            self.stack.append(self.beyond(kind.__new__, kind, *arguments))
        elif id(kind) in makers():
            self.stack.append(makers()[id(kind)](*arguments))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
                f"{name_of(kind)}"
            )

    def build(self, first: int, after: int) -> None:
        state, made = self.stack.pop(), self.stack[-1]
        kind = type(made)
        if kind is Tensor:
            # the form of old files: the storage comes after the tensor
            found = rebuilding._rebuild_tensor(*state)
            made._array, made._storage = found._array, found._storage
        elif kind is OrderedDict:
            if type(state) not in DICTS or not all([type(each) is str for each in state]):
                raise UnpicklingError("the attributes of an object have names")
            made.__dict__.update(state)
        elif id(kind) in self.trusted_ids:
            self.beyond(build_trusted, made, state)
        elif kind is parameter_class():
            set_attributes(made, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{kind}"
            )

    def storage(self, first: int, after: int) -> None:
        self.stack.append(self.beyond(self.storage_of, self.stack.pop()))

    def nothing(self, first: int, after: int) -> None:
        """Of no meaning to the reader."""


def constant(value: Any) -> Callable:
    """An action that pushes a value."""
    return lambda self, first, after: self.stack.append(value)


def container(kind: type) -> Callable:
    """An action that pushes an empty container."""
    return lambda self, first, after: self.stack.append(kind())


def number(form: str) -> Callable:
    """An action that pushes the number which follows."""
    return lambda self, first, after: self.stack.append(unpack_from(form, self.data, first)[0])


def several(count: int) -> Callable:
    """An action that makes a tuple of what was pushed last."""

    def pack(self: Interpreter, first: int, after: int) -> None:
        if len(self.stack) < count:
            raise UnpicklingError("the stack is empty")
        self.stack[-count:] = [tuple(self.stack[-count:])]

    return pack


# what each opcode does
CODES: dict[str, Callable] = {
    "(": Interpreter.mark,
    "0": Interpreter.pop,
    "N": constant(None),
    "\x88": constant(True),
    "\x89": constant(False),
    ")": constant(()),
    "]": container(list),
    "}": container(dict),
    "\x8f": container(set),
    "J": number("<i"),
    "K": number("<B"),
    "M": number("<H"),
    "G": number(">d"),
    "\x8a": Interpreter.integer,
    "\x8b": Interpreter.integer,
    "X": Interpreter.text,
    "\x8c": Interpreter.text,
    "\x8d": Interpreter.text,
    "U": Interpreter.old_text,
    "T": Interpreter.old_text,
    "C": Interpreter.raw,
    "B": Interpreter.raw,
    "\x8e": Interpreter.raw,
    "\x96": Interpreter.raw_array,
    "\x85": several(1),
    "\x86": several(2),
    "\x87": several(3),
    "t": Interpreter.make_tuple,
    "\x91": Interpreter.frozen,
    "a": Interpreter.append,
    "e": Interpreter.extend,
    "\x90": Interpreter.add_items,
    "s": Interpreter.set_item,
    "u": Interpreter.set_items,
    "h": Interpreter.get,
    "j": Interpreter.get,
    "q": Interpreter.keep,
    "r": Interpreter.keep,
    "\x94": Interpreter.keep_next,
    "c": Interpreter.named,
    "\x93": Interpreter.named_by_stack,
    "R": Interpreter.call,
    "\x81": Interpreter.new_object,
    "b": Interpreter.build,
    "Q": Interpreter.storage,
    "\x80": Interpreter.nothing,
    "\x95": Interpreter.nothing,
}
ACTIONS = {ord(code): action for code, action in CODES.items()}


def name_of(found: Any) -> str:
    """What to call an object of a file in an error; its own words could be endless."""
    return f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) else f"an object of {type(found)}"


def build_trusted(made: Any, state: Any) -> None:
    """Give an object of a class that the user trusts its state, as Python's unpickler does."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        made.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(made, name, value)
