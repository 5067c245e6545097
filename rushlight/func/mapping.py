"""`vmap`: a function of one sample, applied to a batch at once."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.mapping import Mapping
from rushlight.ops.shape.joining import cat
from rushlight.utils._pytree import TreeSpec, _broadcast_to_and_flatten, tree_flatten, tree_unflatten

__all__ = ["vmap"]

InDims = int | tuple
OutDims = int | tuple[int, ...] | None


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that applies `func` to each sample along `in_dims`, all of them at once.

    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).reshape(2, 3))
    tensor([ 3., 12.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        steps = sys.modules.get("rushlight._functorch.vmap")
        if steps is not None and steps.are_replaced():
            return steps.vmap_impl(func, in_dims, out_dims, randomness, chunk_size, *args, **kwargs)
        call = Mapped(func, in_dims, out_dims, randomness, args)
        # one chunk is joined too: results in memory of their own. Of an empty batch torch's fails
        if chunk_size is None or not call.size:
            return call.run(call.leaves, kwargs)
        return call.in_chunks(chunk_size, kwargs)

    return wrapped


class Mapped:
    """One call of a mapped function: its arguments, flattened, with the dimension that each is mapped along."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, out_dims: Any, randomness: str, args: tuple):
        self.func, self.in_dims, self.out_dims, self.randomness = func, in_dims, out_dims, randomness
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"{self.begins}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure "
                f"of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        self.leaves, self.spec = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, self.spec)
        if dims is None:
            raise ValueError(
                f"{self.begins}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{tree_flatten(in_dims)[1]} but inputs has structure {self.spec}."
            )
        self.dims = [
            # the usual one, without a look at what could be wrong
            0
            if dim == 0 and type(dim) is int and type(value) is Tensor and value._array.ndim
            else self.checked(dim, value)
            for dim, value in zip(dims, self.leaves, strict=True)
        ]
        self.size = batch_size([
            value._array.shape[dim] for value, dim in zip(self.leaves, self.dims, strict=True) if dim is not None
        ])  # fmt: skip

    @property
    def name(self) -> str:
        return getattr(self.func, "__name__", repr(self.func))

    @property
    def begins(self) -> str:
        """What messages begin with."""
        return f"vmap({self.name}, in_dims={self.in_dims}, ...)(<inputs>)"

    def checked(self, dim: Any, value: Any) -> int | None:
        """The dimension of a leaf that the batch is along, counted from the front."""
        if dim is None:
            return None
        words = f"{self.begins}: Got in_dim={dim} for"
        if not isinstance(dim, int):
            raise ValueError(f"{words} an input but in_dim must be either an integer dimension or None.")
        if not isinstance(value, Tensor):
            raise ValueError(
                f"{words} an input but the input is of type {type(value)}. We cannot vmap over non-Tensor arguments, "
                "please use None as the respective in_dim"
            )
        if not -value.dim() <= dim < value.dim():
            raise ValueError(
                f"{words} some input, but that input is a Tensor of dimensionality {value.dim()} so expected in_dim to "
                f"satisfy -{value.dim()} <= in_dim < {value.dim()}."
            )
        return dim % value.dim()

    def run(self, leaves: list, kwargs: dict[str, Any]) -> Any:
        """The function on a batch, whose results are put together as `out_dims` says."""
        first = next(each.size(dim) for each, dim in zip(leaves, self.dims, strict=True) if dim is not None)
        level = Mapping(first, self.randomness)
        with level:
            lifted = [
                each if dim is None else level.lift(each.movedim(dim, 0) if dim else each)
                for each, dim in zip(leaves, self.dims, strict=True)
            ]
            output = self.func(*tree_unflatten(lifted, self.spec), **kwargs)
            found, spec = tree_flatten(output)
            dims = self.result_dims(spec, found)
            return tree_unflatten([self.result(level, each, dim) for each, dim in zip(found, dims, strict=True)], spec)

    def result(self, level: Mapping, value: Any, dim: int | None) -> Any:
        """One result, with the batch where `out_dims` wants it."""
        mapped = isinstance(value, Tensor) and type(value._array) is Lifted and value._array.level is level
        if dim is None:
            if mapped:
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            return value
        if not isinstance(value, Tensor):
            raise ValueError(
                f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(value)}. Did you mean "
                "to set out_dims= to None for output?"
            )
        whole = level.batch_of(value)
        # as in torch a batch that is where it is wanted is no view: -1 of one dimension is the first
        return whole if dim in (0, -whole.dim()) else whole.movedim(0, dim)

    def result_dims(self, spec: TreeSpec, found: list) -> list:
        """Where the batch goes in each result."""
        return dims_of_results(self.name, self.out_dims, spec, found)

    def in_chunks(self, chunk_size: int, kwargs: dict[str, Any]) -> Any:
        """The function on a part of the batch after the other."""
        parts = [
            self.run(
                [
                    each if dim is None else each.narrow(dim, start, min(chunk_size, self.size - start))
                    for each, dim in zip(self.leaves, self.dims, strict=True)
                ],
                kwargs,
            )
            for start in range(0, self.size, chunk_size)
        ]
        columns = list(zip(*[tree_flatten(each)[0] for each in parts], strict=True))
        spec = tree_flatten(parts[0])[1]
        dims = self.result_dims(spec, list(columns))
        joined = [
            column[0] if dim is None else cat(list(column), dim) for column, dim in zip(columns, dims, strict=True)
        ]
        return tree_unflatten(joined, spec)


def dims_of_results(name: str, out_dims: Any, spec: TreeSpec, found: list) -> list:
    """Where the batch goes in each of the flattened results."""
    if isinstance(out_dims, int) or out_dims is None:
        return [out_dims] * len(found)
    if not isinstance(out_dims, (tuple, list, dict)):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )
    wanted: Any = out_dims
    if len(found) == 1 and isinstance(found[0], Tensor) and spec.is_leaf():
        wanted = out_dims[0] if isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims
    dims = _broadcast_to_and_flatten(wanted, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return list(dims)


def batch_size(sizes: list[int]) -> int:
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over: give one of them an in_dim that is not None")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return sizes[0]
