"""Scope: what a program has made so far, as the library that leads its generation sees it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

FLOATS = ("float32", "float64")
DTYPES = ("float32", "float64", "int64", "int32", "int8", "uint8", "bool", "float16", "bfloat16", "complex64")
LARGEST = 2**16  # elements
WEIGHTS = (12, 6, 4, 2, 1, 1, 2, 1, 1, 1)


class Scope:
    """Random choices and the names to choose from; grammars ask it and answer with a line of text."""

    def __init__(self, seed: str, namespace: dict[str, Any]) -> None:
        self.random = random.Random(seed)
        self.namespace = namespace
        self.counter = 0
        self.kept: dict[str, str] = {}  # texts that a grammar draws once, by what they are for

    @property
    def torch(self) -> Any:
        return self.namespace["torch"]

    def fresh(self, letter: str = "x") -> str:
        """A name that no statement has used."""
        self.counter += 1
        return f"{letter}{self.counter}"

    def names(self, accept: Callable[[Any], bool]) -> list[str]:
        """The program's own names, whose value is accepted."""
        own = [name for name in self.namespace if name[0] in "xmopvd" and name[1:].isdigit()]
        return [name for name in own if accept(self.namespace[name])]

    def tensors(self, accept: Callable[[Any], bool] = lambda tensor: True) -> list[str]:
        """The names of tensors to go on with: those that products have made very large stay as they are."""
        kind = self.torch.Tensor
        return self.names(lambda value: isinstance(value, kind) and value.numel() <= LARGEST and accept(value))

    def tensor(self, accept: Callable[[Any], bool] = lambda tensor: True) -> str | None:
        """A tensor's name, the newer ones more often."""
        found = self.tensors(accept)
        if not found:
            return None
        return found[max(self.random.randrange(len(found)), self.random.randrange(len(found)))]

    def value(self, name: str) -> Any:
        return self.namespace[name]

    def choose(self, *options: Any) -> Any:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def number(self) -> str:
        """A number as people write it."""
        return self.choose("2", "0.5", "-1", "3.0", "1", "-0.25", "0", "1.5")

    def dtype(self) -> str:
        return self.random.choices(DTYPES, WEIGHTS)[0]

    def shape(self, most: int = 3) -> tuple[int, ...]:
        sizes = [self.random.choices((0, 1, 2, 3, 4), (1, 3, 8, 8, 3))[0] for _ in range(self.integer(0, most))]
        return tuple(sizes)

    def dim(self, tensor: Any) -> int:
        """A dimension of the tensor, rarely one that it does not have."""
        count = max(tensor.dim(), 1)
        return self.integer(-count, count - 1) if not self.chance(0.02) else count

    def literal(self, shape: tuple[int, ...], dtype: str, low: float = -2.0, high: float = 2.0) -> str:
        """A tensor of this shape, written out or counted up, with values that floats hold exactly."""
        count = 1
        for size in shape:
            count *= size
        if dtype == "bool":
            values: list[Any] = [self.chance(0.5) for _ in range(count)]
        elif dtype.startswith(("int", "uint")):
            values = [self.integer(0 if dtype == "uint8" else -4, 5) for _ in range(count)]
        else:
            values = [self.integer(int(low * 8), int(high * 8)) / 8 for _ in range(count)]
        text = f"torch.tensor({values}, dtype=torch.{dtype})"
        return text if shape == (count,) else f"{text}.reshape({shape})"

    def like(self, tensor: Any, dtype: str | None = None) -> tuple[int, ...]:
        """A shape that broadcasts with the tensor's, mostly."""
        shape = tuple(tensor.shape)
        if self.chance(0.5):
            return shape
        if self.chance(0.1):
            return self.shape()
        shape = shape[self.integer(0, len(shape)) :]
        return tuple(1 if self.chance(0.25) else size for size in shape)

    def operand(self, tensor: Any) -> str:
        """Another operand for the tensor: a tensor that is there, a new one, or a number."""
        if self.chance(0.25):
            return self.number()
        shape = tuple(tensor.shape)
        if self.chance(0.75):
            fitting = self.tensor(lambda other: broadcasts(tuple(other.shape), shape) or self.chance(0.02))
            if fitting is not None:
                return fitting
        dtype = str(tensor.dtype).rpartition(".")[2] if self.chance(0.7) else self.dtype()
        return self.literal(self.like(tensor), dtype if dtype in DTYPES else "float32")


def is_wanting(tensor: Any) -> bool:
    """Whether it is a leaf that requires grad; torch refuses to say so of a view whose history it cannot follow."""
    try:
        return tensor.requires_grad and tensor.is_leaf
    except RuntimeError:
        return False


def broadcasts(one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    return all(a == b or a == 1 or b == 1 for a, b in zip(reversed(one), reversed(two), strict=False))
