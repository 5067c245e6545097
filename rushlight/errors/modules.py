"""Errors inside a network: the layer they arose in, by its path, told when one passes through the call of a module.

Nothing is done while all goes well. An error of an op gets a line, "encoder.2 (Linear): expected last dimension 64, got
32", in the innermost module; each module around it puts the path in front, as it is seen from there.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple
from weakref import ref

from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.errors.calls import is_ours

KINDS = (RuntimeError, ValueError, IndexError, TypeError)
# what a layer says of its inputs: the attribute, the dimension that has this size, and its name
SIZES = (
    ("in_features", -1, "last dimension"),
    ("input_size", -1, "last dimension"),
    ("embed_dim", -1, "last dimension"),
    ("num_features", 1, "channels"),
    ("in_channels", 1, "channels"),
    ("num_channels", 1, "channels"),
)


class Told(NamedTuple):
    """An error that was given a layer: its words with and without it, and the layer."""

    words: str
    plain: str
    layer: Any
    detail: str


# the latest error of each thread; the error itself would keep every tensor of its frames
latest = threading.local()


def name_layer(module: Any, args: tuple, error: BaseException) -> None:
    """Say in an error's words in which layer it arose."""
    if not isinstance(error, KINDS) or len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    told = getattr(latest, "told", None)
    if told is None or told.words != error.args[0]:
        if not is_ours(error.__traceback__) or raised_by_call(error):
            return
        told = Told("", error.args[0], ref(module), detail(module, args))
    layer = told.layer()
    if layer is None:
        return
    path = "" if layer is module else path_of(layer, module)
    if path is None:
        return
    words = told.plain
    # the traceback shows a class of the user's own; its place in the model is news
    if path or location.ours[type(layer).__init__.__code__.co_filename]:
        head, line, rest = told.plain.partition("\n")
        name = f"{path} ({type(layer).__name__})" if path else type(layer).__name__
        words = f"{head}\n  in {name}{told.detail}{line}{rest}"
    latest.told = told._replace(words=words)
    error.args = (words,)


def raised_by_call(error: BaseException) -> bool:
    """Whether `forward` is missing, or Python refused its arguments: there is no layer to blame."""
    return isinstance(error, TypeError | NotImplementedError) and "forward" in str(error)


def path_of(layer: Any, module: Any) -> str | None:
    for path, each in module.named_modules():
        if each is layer:
            return path
    return None


def detail(module: Any, args: tuple) -> str:
    """What the layer wanted and what it got, where that is known."""
    given = next((each for each in args if isinstance(each, Tensor)), None)
    if given is None:
        return ""
    weight = next(iter(module._parameters.values()), None) if module._parameters else None
    if weight is not None and given.dtype != weight.dtype and given.dtype.differentiable:
        return f": expected {weight.dtype}, got {given.dtype}"
    for attribute, dim, name in SIZES:
        size = getattr(module, attribute, None)
        if name == "channels" and given.ndim == getattr(module, "dims", 0) + 1:
            dim = 0  # one example, without a batch
        # a size of 0 is one that a lazy layer does not know yet
        if isinstance(size, int) and size > 0 and -given.ndim <= dim < given.ndim and given.shape[dim] != size:
            return f": expected {name} {size}, got {given.shape[dim]}"
    return f": got shape {list(given.shape)}"
