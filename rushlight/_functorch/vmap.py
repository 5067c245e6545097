"""torch._functorch.vmap: the steps of `vmap`, which packages put others in place of.

A package with containers of tensors of its own sets `_process_batched_inputs`, `_create_batched_inputs` and
`_unwrap_batched` of this module; from then on `vmap` takes the steps that stand here, by these names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight._C._functorch import (
    _add_batch_dim,
    _remove_batch_dim,
    _vmap_decrement_nesting,
    _vmap_increment_nesting,
    is_batchedtensor,
)
from rushlight._C._functorch import (
    _unwrap_batched as unwrapped,
)
from rushlight.core.object.tensor import Tensor
from rushlight.func.mapping import Mapped, dims_of_results, vmap
from rushlight.func.mapping import batch_size as _batch_size
from rushlight.ops.shape.joining import cat
from rushlight.utils._pytree import (
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_map_,
    tree_unflatten,
)

__all__ = [
    "Tensor",
    "_add_batch_dim",
    "_broadcast_to_and_flatten",
    "_create_batched_inputs",
    "_get_name",
    "_maybe_remove_batch_dim",
    "_process_batched_inputs",
    "_remove_batch_dim",
    "_unwrap_batched",
    "_validate_and_get_batch_size",
    "_vmap_decrement_nesting",
    "_vmap_increment_nesting",
    "is_batchedtensor",
    "restore_vmap",
    "tree_flatten",
    "tree_map_",
    "tree_unflatten",
    "unwrap_batched",
    "vmap",
    "vmap_impl",
    "vmap_increment_nesting",
    "wrap_batched",
]


def _get_name(func: Callable[..., Any]) -> str:
    """What errors call a function."""
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return getattr(func, "__name__", repr(func))


def _validate_and_get_batch_size(flat_in_dims: list, flat_args: list) -> int:
    """The number of samples, which all mapped arguments have to agree on."""
    sizes = [each.size(dim) for dim, each in zip(flat_in_dims, flat_args, strict=True) if dim is not None]
    return _batch_size(sizes)


def _process_batched_inputs(in_dims: Any, args: tuple, func: Callable[..., Any]) -> tuple[int, list, list, Any]:
    """The number of samples, the dimension of each argument that is mapped, the arguments, and their structure."""
    call = Mapped(func, in_dims, 0, "error", args)
    return call.size, call.dims, call.leaves, call.spec


def _create_batched_inputs(flat_in_dims: list, flat_args: list, vmap_level: int, args_spec: Any) -> Any:
    """The arguments that the function sees: one sample each."""
    seen = [
        each if dim is None else _add_batch_dim(each, dim, vmap_level)
        for dim, each in zip(flat_in_dims, flat_args, strict=True)
    ]
    return tree_unflatten(seen, args_spec)


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """A result with the batch where it is wanted; as it is where none is."""
    if out_dim is None:
        if is_batchedtensor(batched_output):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return batched_output
    if not isinstance(batched_output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(batched_output)}. Did you mean to "
            "set out_dims= to None for output?"
        )
    return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def _unwrap_batched(
    batched_outputs: Any, out_dims: Any, vmap_level: int, batch_size: int, func: Callable[..., Any]
) -> Any:
    """The results with the whole batch in each."""
    found, spec = tree_flatten(batched_outputs)
    name = _get_name(func)
    dims = dims_of_results(name, out_dims, spec, found)
    whole = [
        _maybe_remove_batch_dim(name, each, vmap_level, batch_size, dim) for each, dim in zip(found, dims, strict=True)
    ]
    return tree_unflatten(whole, spec)


OWN = {each.__name__: each for each in (_process_batched_inputs, _create_batched_inputs, _unwrap_batched)}


def are_replaced() -> bool:
    """Whether somebody has put other steps in."""
    names = globals()
    return any([names[name] is not step for name, step in OWN.items()])


@contextmanager
def vmap_increment_nesting(batch_size: int, randomness: str) -> Iterator[int]:
    """Inside, a `vmap` of so many samples runs; its number."""
    level = _vmap_increment_nesting(batch_size, randomness)
    try:
        yield level
    finally:
        _vmap_decrement_nesting()


def vmap_impl(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """One call of a mapped function, step by step."""
    size, dims, leaves, spec = _process_batched_inputs(in_dims, args, func)
    if chunk_size is None or chunk_size >= size:
        return mapped(func, size, dims, leaves, spec, out_dims, randomness, kwargs)
    columns = [
        [each] * -(-size // chunk_size) if dim is None else each.split(chunk_size, dim)
        for each, dim in zip(leaves, dims, strict=True)
    ]
    parts = [
        mapped(func, min(chunk_size, size - place * chunk_size), dims, list(part), spec, out_dims, randomness, kwargs)
        for place, part in enumerate(zip(*columns, strict=True))
    ]
    flat = [tree_flatten(each)[0] for each in parts]
    spec = tree_flatten(parts[0])[1]
    places = dims_of_results(_get_name(func), out_dims, spec, flat[0])
    joined = [
        column[0] if place is None else cat(list(column), place)
        for column, place in zip(zip(*flat, strict=True), places, strict=True)
    ]
    return tree_unflatten(joined, spec)


def mapped(
    func: Callable[..., Any],
    size: int,
    dims: list,
    leaves: list,
    spec: Any,
    out_dims: Any,
    randomness: str,
    kwargs: dict[str, Any],
) -> Any:
    """The function on one batch."""
    with vmap_increment_nesting(size, randomness) as level:
        outputs = func(*_create_batched_inputs(dims, leaves, level, spec), **kwargs)
        return _unwrap_batched(outputs, out_dims, level, size, func)


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """The function on batches as they are, which says for each result where its batch is."""

    def inner(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        with vmap_increment_nesting(batch_size, randomness) as level:
            outputs = func(*wrap_batched(args, in_dims, level), **kwargs)
            return unwrap_batched(outputs, level)

    return inner


def wrap_batched(args: tuple, bdims: Any, level: int) -> Any:
    """The arguments inside of a `vmap`, each mapped along its dimension."""
    leaves, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(bdims, spec)
    if dims is None:
        raise AssertionError(f"the dimensions {bdims} do not fit the structure of the arguments, {spec}")
    return _create_batched_inputs(dims, leaves, level, spec)


def unwrap_batched(args: Any, level: int) -> tuple[Any, Any]:
    """Results without the layer of a `vmap`, and the dimension of the batch in each."""
    leaves, spec = tree_flatten(args)
    if not leaves:
        return args, ()
    pairs = [unwrapped(each, level) if isinstance(each, Tensor) else (each, None) for each in leaves]
    values, dims = zip(*pairs, strict=True)
    return tree_unflatten(list(values), spec), tree_unflatten(list(dims), spec)
