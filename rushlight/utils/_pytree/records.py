"""Records: named tuples, and the named results of CPython and torch, told apart from plain tuples."""

from __future__ import annotations

from typing import Any

from rushlight.errors.warning import warn

Py_TPFLAGS_BASETYPE = 1 << 10  # the bit of `__flags__` that allows subclasses
COUNTS = ("n_fields", "n_sequence_fields", "n_unnamed_fields")


def is_returned_class(cls: Any) -> bool:
    """Whether this is the type of a named result, such as that of `torch.max(x, 0)`."""
    return cls.__module__ == "rushlight.return_types"


def is_namedtuple_class(cls: Any) -> bool:
    """Whether the class comes from `namedtuple` or `NamedTuple`."""
    if not isinstance(cls, type) or not issubclass(cls, tuple) or cls is tuple:
        return False
    names = getattr(cls, "_fields", None)
    return (
        isinstance(names, tuple)
        and all(type(name) is str for name in names)
        and callable(getattr(cls, "_make", None))
        and callable(getattr(cls, "_asdict", None))
        and not is_returned_class(cls)
    )


def is_namedtuple_instance(obj: object) -> bool:
    """Whether the object is a named tuple."""
    return is_namedtuple_class(type(obj))


def _is_namedtuple_instance(tree: Any) -> bool:
    """The older name of `is_namedtuple_instance`."""
    warn(
        "torch.utils._pytree._is_namedtuple_instance is private and will be removed in a future release. Please use "
        "torch.utils._pytree.is_namedtuple_instance instead.",
        FutureWarning,
    )
    return is_namedtuple_instance(tree)


def is_namedtuple(obj: Any) -> bool:
    """Whether the object, or the class, is a named tuple."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Whether the class is a struct sequence of CPython, such as `time.struct_time`, or a named result of torch."""
    if not isinstance(cls, type) or not issubclass(cls, tuple):
        return False
    if not all(isinstance(getattr(cls, name, None), int) for name in COUNTS):
        return False
    return is_returned_class(cls) or (cls.__bases__ == (tuple,) and not cls.__flags__ & Py_TPFLAGS_BASETYPE)


def is_structseq_instance(obj: object) -> bool:
    """Whether the object is a struct sequence."""
    return is_structseq_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether the object, or the class, is a struct sequence."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))
