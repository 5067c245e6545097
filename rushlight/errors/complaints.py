"""Complaints of NumPy and Python, recognised by their text: here only, since their errors carry nothing else.

What Rushlight raises itself is never recognised this way: it carries its fix and its stage, see `explained.py`.
"""

from __future__ import annotations

import re

import numpy as np
from numpy._core._exceptions import UFuncTypeError

from rushlight.errors.explained import INDEX, explained
from rushlight.errors.raised import is_worded

# sizes that 64 bits do not count
BEYOND = (
    "array is too big",
    "Maximum allowed dimension exceeded",
    "iterator is too large",
    "broadcast dimensions too large",
    "Maximum allowed size exceeded",
)
SHAPES = ("be broadcast", "not broadcast", "cannot broadcast", "non-broadcast", "reshape", "maximum")
RANKS = ("values to unpack", "tuple index out", "list index out", "zip() argument", "indices for array")
KINDS = (
    "truth value of an array",
    "array element",
    "invalid literal",
    "malformed",
    "could not convert string",
    "arrays used as indices",
)


def text_of(error: Exception) -> str:
    """What NumPy or Python says; nothing for an error that we raised ourselves."""
    return "" if is_worded(error) else str(error)


def has_one(words: str, known: tuple[str, ...]) -> bool:
    return any([each in words for each in known])


def is_beyond(error: Exception) -> bool:
    """Whether a size is refused that 64 bits do not count."""
    return isinstance(error, ValueError) and text_of(error).startswith(BEYOND)


def is_beyond_a_view(error: Exception) -> bool:
    """Whether a view is refused that has more elements than 64 bits count."""
    return is_beyond(error) and "broadcast" in text_of(error)


def does_not_fit(error: Exception) -> bool:
    """Whether a Python integer is refused that a dtype does not hold."""
    if not isinstance(error, OverflowError):
        return False
    words = text_of(error)
    return "out of bounds for" in words or "too large" in words


def has_no_loop(error: Exception) -> bool:
    """Whether a ufunc has no loop for these dtypes; NumPy says so in two ways."""
    return isinstance(error, UFuncTypeError) or "supported for the input types" in text_of(error)


def subtracts_bools(error: Exception) -> bool:
    return isinstance(error, TypeError) and text_of(error).startswith("numpy boolean subtract")


def is_about_arguments(error: Exception) -> bool:
    """Whether Python refused the arguments of a call, and names one."""
    return isinstance(error, TypeError) and "argument" in text_of(error)


def refuses_forward(error: BaseException) -> bool:
    """Whether Python refused the arguments that a module handed to its `forward`."""
    return isinstance(error, TypeError) and "forward" in text_of(error)


def is_about_shapes(error: Exception) -> bool:
    """Whether shapes do not go together."""
    return isinstance(error, ValueError) and has_one(text_of(error), SHAPES)


def has_too_many_dims(error: Exception) -> bool:
    """Whether an array would have more dimensions than NumPy has places for."""
    return isinstance(error, ValueError) and text_of(error).startswith("maximum supported dimension")


def is_about_ranks(error: Exception) -> bool:
    """Whether there were too few dimensions, or too many."""
    return isinstance(error, (ValueError, IndexError)) and has_one(text_of(error), RANKS)


def is_about_kinds(error: Exception) -> bool:
    """Whether an array or a word stood where a number was wanted."""
    return isinstance(error, (ValueError, IndexError)) and has_one(text_of(error), KINDS)


def is_out_of_bounds(error: Exception) -> bool:
    """Whether a position is refused that a dimension does not have."""
    return isinstance(error, IndexError) and "out of bounds" in text_of(error)


def are_apart(error: Exception) -> bool:
    """Whether indices are refused that do not broadcast with each other."""
    return text_of(error).startswith("shape mismatch")


def of_part(error: Exception, input: np.ndarray, index: tuple) -> Exception:
    """torch's error for a basic index that NumPy refuses; torch counts dimensions that None has put before."""
    found = of_index(error, input)
    places = re.search(r"dimension (\d+)", str(found)) if is_out_of_bounds(error) else None
    if places is None:
        return found
    axis, made, used = int(places[1]), 0, 0
    for item in index if isinstance(index, tuple) else (index,):
        if item is None:
            made += 1
        elif item is Ellipsis:
            used += input.ndim - sum([each is not None and each is not Ellipsis for each in index])
        elif used == axis:
            break
        else:
            used += 1
    return IndexError(str(found).replace(places[0], f"dimension {axis + made}"))


def of_index(
    error: Exception, input: np.ndarray, indices: list[np.ndarray] | None = None, dims: tuple[int, ...] | None = None
) -> Exception:
    """torch's error for an index that NumPy refuses; among tensors of positions along `dims` torch counts these."""
    text = text_of(error)
    if text.startswith("too many indices"):
        return explained(IndexError, f"too many indices for tensor of dimension {input.ndim}", stage=INDEX)
    if are_apart(error) and indices is not None:
        shapes = ", ".join([str(list(each.shape)) for each in indices])
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
    if "bounds" not in text:
        if input.ndim == 64:
            return RuntimeError("only tensors with up to 64 dims are supported, as NumPy's arrays have")
        # what is left: an integer that does not fit into 64 bits
        return ValueError("Overflow when unpacking long long: the index is too large for any tensor")
    if dims is not None:
        text = re.sub(r"axis (\d+)", lambda axis: f"axis {dims.index(int(axis[1]))}", text)
    return IndexError(text.replace("axis", "dimension"))
