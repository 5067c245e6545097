"""Tensors of any size from the small ones of a declared sample: the same values in every library, and any layout."""

import math
from dataclasses import dataclass, replace

import numpy as np

from conformance.build import Builder, contiguous
from conformance.records import CARRIERS, TensorRecord

POOL = 1 << 21
# between the numbers of one tensor and those of the next
APART = 104_729
# elements between the rows of a slice
GAP = 24


@dataclass(frozen=True)
class Drawn(TensorRecord):
    """A tensor to be made: of this shape, with values like those of a sample's, which are in `memory`."""

    grown: tuple = ()
    layout: str = "contiguous"
    # one above the largest index where the sample's own does not reach far enough
    indices_below: int = 0


def drawn_like(record):
    """What stands for a sample's tensor."""
    values = contiguous(record) if record.memory.size else np.zeros(record.shape, record.memory.dtype)
    return Drawn(values, record.shape, record.strides, 0, record.dtype, grown=record.shape)


class Maker(Builder):
    """Builds a library's arguments, with tensors drawn; those that can have a gradient ask for one if told to."""

    def __init__(self, library, with_grad=False):
        super().__init__(library)
        self.with_grad = with_grad

    def build_tensor(self, value):
        if not isinstance(value, Drawn):
            value = drawn_like(value)
        array = enlarged(value, len(self.tensors))
        tensor = self.lay_out(array, value)
        if self.with_grad and (value.is_floating or value.is_complex):
            tensor = tensor.detach().requires_grad_()
        self.tensors.append(tensor)
        return tensor

    def lay_out(self, array, value):
        """The array as a tensor whose memory lies as `layout` says."""
        rank, whole = array.ndim, lambda memory: self.from_array(np.ascontiguousarray(memory), value.dtype)
        if value.layout == "transposed":
            return whole(array.swapaxes(-1, -2)).transpose(-1, -2)
        if value.layout == "permuted":
            return whole(np.moveaxis(array, 1, -1)).permute(0, rank - 1, *range(1, rank - 1))
        if value.layout == "expanded":
            return whole(array[:1]).expand(array.shape)
        if value.layout == "sliced" and rank == 1:
            return whole(np.repeat(array, 2))[::2]
        if value.layout == "sliced":
            wide = np.zeros((*array.shape[:-1], array.shape[-1] + GAP), array.dtype)
            wide[..., : array.shape[-1]] = array
            return whole(wide)[..., : array.shape[-1]]
        return whole(array)

    def from_array(self, array, dtype):
        # the library's own memory, aligned and counted as it likes
        tensor = self.module.from_numpy(array).clone()
        return tensor.to(getattr(self.module, dtype)) if dtype in CARRIERS else tensor


def layouts_of(rank):
    """The layouts that a tensor of so many dimensions can have."""
    found = ["contiguous"]
    if rank > 0:
        found += ["sliced", "expanded"]
    if rank > 1:
        found.append("transposed")
    if rank > 2:
        found.append("permuted")
    return found


def laid_out(value, layout):
    fits = layout in layouts_of(len(value.grown)) and 0 not in value.grown
    return replace(value, layout=layout) if fits else value


_pool = []
# the last arrays that were made: layouts, dtypes and ways of one sample begin with the same
_made = {}
KEPT = 12


def enlarged(value, ordinal):
    """An array of the grown shape whose values are of the kind that the sample's are; not to be written to."""
    key = (value.memory.tobytes(), value.memory.dtype.name, value.grown, value.dtype, value.indices_below, ordinal)
    if key not in _made:
        if len(_made) >= KEPT:
            del _made[next(iter(_made))]
        _made[key] = draw(value, ordinal)
    return _made[key]


def numbers(count, ordinal):
    """So many numbers between 0 and 1, others for each tensor of a call."""
    if not _pool:
        _pool.append(np.random.default_rng(0).random(POOL))
    start = ordinal * APART % POOL
    found = _pool[0][start : start + count]
    return found if found.size == count else np.resize(_pool[0], count)


def draw(value, ordinal):
    small, shape = value.memory, value.grown
    dtype = CARRIERS.get(value.dtype, value.dtype)
    if not small.size or shape == small.shape == () or (small.size == 1 and math.prod(shape) == 1):
        return np.resize(small, shape).astype(dtype)
    unit = numbers(math.prod(shape), ordinal).reshape(shape)
    if small.dtype.kind == "b":
        return np.asarray(unit < max(small.mean(), 0.25)).astype(dtype)
    if small.dtype.kind == "c":
        return (unit - 0.5 + 1j * (numbers(unit.size, ordinal + 7).reshape(shape) - 0.5)).astype(dtype)
    if small.dtype.kind in "iu" or value.dtype.startswith(("int", "uint")):
        return whole_numbers(value, unit, dtype)
    return real_numbers(small, unit).astype(dtype)


def whole_numbers(value, unit, dtype):
    small = value.memory
    if small.ndim == 1 and small.size > 2 and np.array_equal(np.sort(small), np.arange(small.size)):
        return np.argsort(unit, axis=-1).astype(dtype)
    low = math.floor(small.min())
    high = max(math.ceil(small.max()) + 1, value.indices_below)
    found = np.floor(low + unit * (high - low))
    return (np.sort(found, axis=-1) if rises(small) else found).astype(dtype)


def real_numbers(small, unit):
    low, high = float(small.min()), float(small.max())
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        low, high = -1.0, 1.0
    found = low + unit * (high - low)
    square = small.ndim > 1 and small.shape[-1] == small.shape[-2] > 1 and unit.shape[-1] == unit.shape[-2]
    if square and np.array_equal(small, small.swapaxes(-1, -2)):
        return (found + found.swapaxes(-1, -2)) / 2 + unit.shape[-1] * max(abs(low), abs(high)) * np.eye(unit.shape[-1])
    if square and (not np.triu(small, 1).any() or not np.tril(small, -1).any()):
        # a random triangle would be singular as soon as it is large
        keep = np.tril if not np.triu(small, 1).any() else np.triu
        return keep(found) / unit.shape[-1] + np.eye(unit.shape[-1])
    if small.ndim and small.shape[-1] > 1 and low >= 0 and np.allclose(small.sum(-1), 1, atol=1e-5):
        return found / found.sum(-1, keepdims=True)
    return np.sort(found, axis=-1) if rises(small) else found


def rises(small):
    """Whether every row goes up: boundaries, offsets."""
    return small.ndim > 0 and small.shape[-1] > 2 and bool((np.diff(small.astype(float)) > 0).all())
