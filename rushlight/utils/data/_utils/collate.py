"""Collating: a list of samples becomes one batch."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, TypeAlias

import numpy as np

import rushlight as torch
from rushlight.core.object.tensor import Tensor

CollateMap: TypeAlias = dict[type | tuple[type, ...], Callable]

# arrays of strings and objects
np_str_obj_array_pattern = re.compile(r"[SaUO]")
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def rebuilt_mapping(given: Any, values: Callable[[], dict]) -> Any:
    """A mapping of the same type with other values; a plain dict if the type does not allow for it."""
    try:
        if isinstance(given, MutableMapping):
            # a mapping may have more to it than its items
            clone = copy.copy(given)
            clone.update(values())
            return clone
        return type(given)(values())
    except TypeError:
        return values()


def rebuilt_sequence(given: Any, values: Callable[[], list]) -> Any:
    """A sequence of the same type with other elements; a plain list if the type does not allow for it."""
    try:
        if isinstance(given, MutableSequence):
            clone = copy.copy(given)
            for place, value in enumerate(values()):
                clone[place] = value
            return clone
        return type(given)(values())
    except TypeError:
        return values()


def default_convert(data: Any) -> Any:
    """Arrays become tensors, also inside of sequences and mappings; all else stays as it is.

    >>> import numpy as np
    >>> torch.utils.data.default_convert([np.array([0, 1]), "word"])
    [tensor([0, 1]), 'word']
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind.__name__ == "ndarray" and np_str_obj_array_pattern.search(data.dtype.str) is not None:
            return data
        return torch.as_tensor(data)
    if isinstance(data, Mapping):
        return rebuilt_mapping(data, lambda: {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(default_convert(each) for each in data))
    if isinstance(data, tuple):
        return [default_convert(each) for each in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return rebuilt_sequence(data, lambda: [default_convert(each) for each in data])
    return data


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """A batch from a list of samples; `collate_fn_map` says by type how elements are put together.

    A function of the map is called as `function(batch, collate_fn_map=collate_fn_map)`.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for each in collate_fn_map:
            if isinstance(first, each):
                return collate_fn_map[each](batch, collate_fn_map=collate_fn_map)

    def together(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return rebuilt_mapping(first, lambda: {key: together([each[key] for each in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(together(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = list(zip(*batch, strict=True))
        if isinstance(first, tuple):
            return [together(samples) for samples in columns]
        return rebuilt_sequence(first, lambda: [together(samples) for samples in columns])
    raise TypeError(default_collate_err_msg_format.format(kind))


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Tensors of one shape, stacked."""
    return torch.stack(batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Arrays of one shape, stacked to a tensor."""
    if np_str_obj_array_pattern.search(batch[0].dtype.str) is not None:
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([torch.as_tensor(each) for each in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """NumPy's numbers as a tensor of their dtype."""
    return torch.as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Python's floats as a tensor of float64."""
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Python's integers as a tensor."""
    return torch.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Strings stay a list."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """A batch from a list of samples: tensors, arrays and numbers are stacked, also inside of tuples, lists and dicts.

    >>> torch.utils.data.default_collate([(torch.tensor([1, 2]), 0.5), (torch.tensor([3, 4]), 1.5)])
    [tensor([[1, 2],
            [3, 4]]), tensor([0.5000, 1.5000], dtype=torch.float64)]
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
