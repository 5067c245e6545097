"""Devices that are not there: functions that answer as torch does without one, made from lists of names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn


def answering(name: str, make: Callable[[], Any], words: str) -> Callable[..., Any]:
    """A function that has one answer, whatever it is asked."""

    def function(*arguments: Any, **options: Any) -> Any:
        return make()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = words
    return function


def refusing(name: str, error: type[Exception], words: str) -> Callable[..., NoReturn]:
    """A function that torch refuses where the device is not there."""

    def function(*arguments: Any, **options: Any) -> NoReturn:
        raise error(words.format(name))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refused, as in torch without such a device."
    return function


class Unavailable:
    """A class that needs a device which is not there: objects cannot be made, `isinstance` says no."""

    _words = ""

    def __init__(self, *arguments: Any, **options: Any):
        raise RuntimeError(self._words)


ANSWERS: dict[str, tuple[Callable[[], Any], str]] = {
    "false": (lambda: False, "Without such a device: no."),
    "zero": (lambda: 0, "Without such a device: none."),
    "nothing": (lambda: None, "Does nothing: there is no such device. torch does the same."),
    "lists": (list, "Without such a device: an empty list."),
    "tables": (OrderedDict, "Without such a device: nothing."),
}


def names_without(
    package: str, error: type[Exception], words: str, refused: str = "", classes: str = "", **answers: str
) -> dict[str, Any]:
    """The functions and classes of a package for devices that are not there; `false="is_available"` and kin."""
    found: dict[str, Any] = {}
    for kind, names in answers.items():
        make, told = ANSWERS[kind]
        found |= {name: answering(name, make, told) for name in names.split()}
    found |= {name: refusing(name, error, words) for name in refused.split()}
    for name in classes.split():
        fields = {"_words": words.format(name), "__module__": f"torch.{package}", "__doc__": "Needs such a device."}
        found[name] = type(name, (Unavailable,), fields)
    return found
