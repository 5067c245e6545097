"""Errors inside a network: the layer they arose in, by its path, told when one passes through the call of a module.

Nothing is done while all goes well. An error of an op gets a line, "encoder.2 (Linear): expected last dimension 64, got
32", in the innermost module; each module around it puts the path in front, as it is seen from there.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from rushlight.core.object.tensor import Tensor
from rushlight.errors import complaints
from rushlight.errors.explained import CALL, given_words, stage_of, words_of
from rushlight.errors.location import ours
from rushlight.errors.raised import is_ours

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


class Layer:
    """The layer that an error arose in, and its path in the module that the error has come to."""

    __slots__ = ("detail", "is_shown", "kind", "module", "path")

    def __init__(self, module: Any, args: tuple):
        # the module itself would keep its parameters
        self.module = ref(module)
        self.kind = type(module).__name__
        self.path = ""
        self.detail = detail(module, args)
        # the traceback shows a class of the user's own; its place in the model is news
        self.is_shown = ours[type(module).__init__.__code__.co_filename]

    def __bool__(self) -> bool:
        return bool(self.path) or self.is_shown

    def __str__(self) -> str:
        name = f"{self.path} ({self.kind})" if self.path else self.kind
        return f"{name}{self.detail}"


def name_layer(module: Any, args: tuple, error: BaseException) -> None:
    """Let an error tell in which layer it arose."""
    if not isinstance(error, KINDS):
        return
    words = words_of(error)
    layer = None if words is None else words.layer
    if layer is None:
        if not is_ours(error) or stage_of(error) == CALL or complaints.refuses_forward(error):
            return
        words = given_words(error)
        if words is not None:
            words.layer = Layer(module, args)
        return
    inner = layer.module()
    path = None if inner is None else path_of(inner, module)
    if path is not None:
        layer.path = path


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
