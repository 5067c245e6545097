"""Arguments: those that a function is differentiated for, and trees of tensors brought to a level and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor
from rushlight.utils._pytree import tree_flatten, tree_leaves, tree_map

Argnums = int | tuple[int, ...]


def positions(argnums: Argnums, count: int) -> tuple[int, ...]:
    """The places of the arguments to differentiate for, counted from the front."""
    if isinstance(argnums, int):
        return (position(argnums, count),)
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    for each in argnums:
        if not isinstance(each, int):
            raise RuntimeError(f"argnum must be int, got: {type(each)}")
    found = tuple([position(each, count) for each in argnums])
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return found


def position(argnum: int, count: int) -> int:
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def chosen(argnums: Argnums, args: tuple) -> Any:
    """The arguments that `argnums` names: one of them, or a tuple."""
    found = tuple([args[each] for each in positions(argnums, len(args))])
    return found[0] if isinstance(argnums, int) else found


def replaced(args: tuple, argnums: Argnums, values: Any) -> tuple:
    """The arguments with others in the places that `argnums` names."""
    found = list(args)
    given = (values,) if isinstance(argnums, int) else values
    for place, value in zip(positions(argnums, len(args)), given, strict=True):
        found[place] = value
    return tuple(found)


def each_tensor(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """A function over the tensors of a tree; a refusal of anything else."""

    def one(value: Any) -> Any:
        if not isinstance(value, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(value)}")
        return function(value)

    return tree_map(one, tree)


def lowered(level: Any, tree: Any) -> Any:
    """A tree without the layer of a level; what is no tensor stays."""
    return tree_map(lambda each: taken_off(level, each), tree)


def taken_off(level: Any, value: Any) -> Any:
    if isinstance(value, Tensor) and type(value._array) is Lifted and value._array.level is level:
        return value._array.inner
    return value


def with_aux(found: Any, name: str) -> tuple[Any, Any]:
    """What a function with `has_aux` returned: its output, and what goes along with it."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for each in tree_leaves(found[1]):
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return found


def tensors_only(tree: Any, words: str) -> tuple[list[Tensor], Any]:
    """The leaves of a tree of tensors, and its structure."""
    leaves, spec = tree_flatten(tree)
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{words}, got unsupported type {type(each)}")
    return leaves, spec
