"""Several results of a function that is made of other ops: named as torch names them, or written into `out=`."""

from __future__ import annotations

import functools

from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.returned import named_results

named = functools.cache(named_results)


def collected(name, fields, tensors, out=None):
    """The tensors as the named tuple of torch's function `name`."""
    return named(name, fields)(*written(name, tensors, out))


def written(name, tensors, out):
    """The tensors, or those of `out` that hold the same now."""
    if out is None:
        return tensors
    if not isinstance(out, (list, tuple)) or len(out) != len(tensors):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    return tuple([write_composed(name, each, target) for each, target in zip(tensors, out, strict=True)])
