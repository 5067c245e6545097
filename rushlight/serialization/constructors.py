"""Constructors: all that a file may name when it is loaded with `weights_only=True`, and what is done for each name.

The reader never looks a name up in a module: it is in this table, or the user has added it by `add_safe_globals`, or
the file is refused. A constructor checks what it is given, because the file chose it.
"""

from __future__ import annotations

from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from rushlight.core.creation import legacy
from rushlight.core.memory.public_storage import UntypedStorage
from rushlight.core.memory.typed_storage import KINDS, TypedStorage
from rushlight.core.numbers import dtypes, rare_dtypes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device
from rushlight.serialization import rebuilding
from rushlight.serialization.names import is_ours, torch_name

if TYPE_CHECKING:
    from rushlight.nn.parameter import Parameter

# never looked at, even if the user allowed something in them
BLOCKED = ("sys", "os", "posix", "nt")
ENCODINGS = ("latin1", "latin-1", "utf-8", "utf8", "ascii")
# how many objects the key of a dict or the element of a set may consist of: hashing goes through all of them
LARGEST_KEY = 10_000
DEEPEST_KEY = 100
PARAMETER = "torch.nn.parameter.Parameter"


class NotAllowed(UnpicklingError):
    """A file names what is not in the table; the user may add it."""


class StorageType:
    """A kind of storage in a file, such as `FloatStorage`: it is known by its dtype, and not made."""

    def __init__(self, name: str):
        kinds = {each.__name__: kind for kind, each in KINDS.items()}
        if name not in kinds:
            raise KeyError(f'pickle storage type "{name}" is not recognized')
        self._dtype = kinds[name]

    @property
    def dtype(self) -> dtypes.dtype:
        """The dtype of its elements."""
        return self._dtype

    def __str__(self) -> str:
        return f"StorageType(dtype={self.dtype})"


def encoded(text: str, encoding: str = "latin1") -> bytes:
    """Bytes, which protocol 2 writes as a text."""
    if type(text) is not str or encoding not in ENCODINGS:
        raise UnpicklingError("bytes stand in files as a text and a plain encoding of it")
    return text.encode(encoding)


def byte_array(*given: Any) -> bytearray:
    """A bytearray of bytes; never one of a size alone, which a file could name without having it."""
    if len(given) == 2:
        given = (encoded(*given),)
    if len(given) > 1 or (given and not isinstance(given[0], (bytes, bytearray))):
        raise UnpicklingError("a bytearray is made of bytes")
    return bytearray(*given)


def number(*given: Any) -> complex:
    """A complex number of its two parts."""
    if len(given) > 2 or not all([type(each) in (int, float) for each in given]):
        raise UnpicklingError("a complex number is made of two numbers")
    return complex(*given)


def elements(*given: Any) -> set:
    """A set of the elements in a list."""
    if len(given) > 1 or (given and type(given[0]) not in (list, tuple, set)):
        raise UnpicklingError("a set is made of a list")
    for each in given[0] if given else ():
        check_key(each)
    return set(*given)


def ordered(*given: Any) -> OrderedDict:
    """An OrderedDict of the pairs in a list, as older files have them."""
    return OrderedDict(pairs(given))


def counter(*given: Any) -> Counter:
    """A Counter of a dict."""
    return Counter(dict(pairs(given)))


def pairs(given: tuple) -> list:
    if len(given) > 1 or (given and type(given[0]) not in (list, tuple, dict, OrderedDict)):
        raise UnpicklingError("a dict is made of pairs")
    if not given:
        return []
    found = list(given[0].items()) if isinstance(given[0], dict) else list(given[0])
    for each in found:
        if type(each) not in (list, tuple) or len(each) != 2:
            raise UnpicklingError("a dict is made of pairs")
        check_key(each[0])
    return found


def sizes(*given: Any) -> Size:
    """A Size of integers."""
    if len(given) != 1 or type(given[0]) not in (tuple, list) or not all([type(each) is int for each in given[0]]):
        raise UnpicklingError("a Size is made of integers")
    return Size(given[0])


def place(*given: Any) -> device:
    """A device by its name and number."""
    return device(*given)


def empty_tensor(*given: Any) -> Tensor:
    """A tensor that gets its storage later, in the form of old files; never one of a size alone."""
    if given:
        raise UnpicklingError("a tensor in a file is made over a storage")
    return Tensor()


def check_key(key: Any) -> None:
    """Refuse a key that takes long to hash, or that is nested too deep for Python to hash it at all."""
    if type(key) is not tuple:
        return
    left, seen = [(key, 1)], 0
    while left:
        found, depth = left.pop()
        seen += 1
        if type(found) is tuple:
            if depth > DEEPEST_KEY or seen + len(found) > LARGEST_KEY:
                raise UnpicklingError("the key of a dict, or the element of a set, is too large")
            left += [(each, depth + 1) for each in found]


REBUILDERS = (
    "_rebuild_parameter _rebuild_parameter_with_state _rebuild_qtensor _rebuild_tensor _rebuild_tensor_v2 "
    "_rebuild_tensor_v3 _rebuild_sparse_tensor _rebuild_meta_tensor_no_storage _rebuild_nested_tensor "
    "_rebuild_wrapper_subclass _rebuild_device_tensor_from_numpy _rebuild_device_tensor_from_cpu_tensor"
).split()


@cache
def allowed() -> dict[str, tuple[Any, Callable | None]]:
    """By its full name in torch: what a name means, and what makes one where a file may call it."""
    table: dict[str, tuple[Any, Callable | None]] = {
        "collections.OrderedDict": (OrderedDict, ordered),
        "collections.Counter": (Counter, counter),
        # its class is looked up by `meaning`
        PARAMETER: (None, None),
        "torch.serialization._get_layout": (rebuilding._get_layout, rebuilding._get_layout),
        "torch.Size": (Size, sizes),
        "torch.Tensor": (Tensor, empty_tensor),
        "torch.device": (device, place),
        "_codecs.encode": (encoded, encoded),
        "builtins.bytearray": (bytearray, byte_array),
        "builtins.set": (set, elements),
        "builtins.complex": (complex, number),
        "torch.storage.UntypedStorage": (UntypedStorage, None),
        "torch.storage.TypedStorage": (TypedStorage, None),
        "torch._tensor._rebuild_from_type_v2": (rebuilding._rebuild_from_type_v2, None),
    }
    for kind in (*dtypes.ALL, *rare_dtypes.ALL.values()):
        table[repr(kind)] = kind, None
    for name in legacy.__all__:
        table[f"torch.{name}"] = getattr(legacy, name), empty_tensor
    for each in KINDS.values():
        table[f"torch.{each.__name__}"] = StorageType(each.__name__), None
    for name in REBUILDERS:
        function = getattr(rebuilding, name)
        table[f"torch._utils.{name}"] = function, function
    return table


def meaning(path: str) -> Any:
    """What a name of the table stands for."""
    return parameter_class() if path == PARAMETER else allowed()[path][0]


@cache
def parameter_class() -> type[Parameter]:
    """The class of parameters: all of `nn`, 200 ms, is imported for a file that names it and for no other."""
    from rushlight.nn.parameter import Parameter

    makers()[id(Parameter)] = parameter
    return Parameter


def parameter(data: Any = None, grad: Any = True) -> Parameter:
    """A parameter on the memory of a tensor."""
    return rebuilding._rebuild_parameter(data, grad, None)


@cache
def makers() -> dict[int, Callable]:
    """What makes an object, by the id of what a file calls for it."""
    return {id(value): maker for value, maker in allowed().values() if maker is not None}


def python3_name(module: str, name: str) -> tuple[str, str]:
    """Protocol 2 writes the modules of Python 2."""
    if (module, name) in NAME_MAPPING:
        return NAME_MAPPING[module, name]
    return IMPORT_MAPPING.get(module, module), name


# what the user trusts, and the names it has in files where those are not its own
safe: list[Any] = []


def add_safe_globals(safe_globals: list) -> None:
    """Let files that are loaded with `weights_only=True` name these classes and functions.

    A file can then call them with arguments of its choice. Give a pair `(class, "its.full.name")` where the file
    has another name for it.
    """
    safe.extend(each for each in safe_globals if each not in safe)


def get_safe_globals() -> list:
    """What was added by `add_safe_globals`."""
    return list(safe)


def clear_safe_globals() -> None:
    """Take back all that was added by `add_safe_globals`."""
    safe.clear()


class safe_globals:
    """`add_safe_globals` for the time of a with statement."""

    def __init__(self, safe_globals: list):
        self.safe_globals = list(safe_globals)

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: object) -> None:
        safe[:] = [each for each in safe if each not in self.safe_globals]


def added() -> dict[str, Any]:
    """What the user trusts, by the full names that files have for it."""
    found: dict[str, Any] = {}
    for each in safe:
        if isinstance(each, tuple):
            if len(each) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                    f"{len(each)}"
                )
            if type(each[1]) is not str:
                raise TypeError(
                    f"Expected second item in tuple to be str of callable full path, but got: {type(each[1])}"
                )
            found[each[1]] = each[0]
            continue
        module, name = each.__module__, each.__qualname__
        found[f"{module}.{name}"] = each
        if is_ours(module):
            found["{}.{}".format(*torch_name(module, name))] = each
    return found
