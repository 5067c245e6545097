"""Creation of tensors to test with."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.filled import empty
from rushlight.core.memory.layout import memory_format as Format
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.random.sampling import randint


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Format | None = None,
) -> Tensor:
    """A tensor of random numbers between `low` and `high`: from -9 to 9 for floats, -9 to 9 for integers."""
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually exclusive")
    drawn = (*size, 2) if noncontiguous and size else size
    if dtype is dtypes.bool_:
        made = randint(0, 2, drawn, dtype=dtype, device=device)
    elif dtype.category == dtypes.INTEGER:
        lowest = (0 if not dtype.is_signed else -9) if low is None else int(low)
        made = randint(lowest, 10 if high is None else int(high), drawn, dtype=dtype, device=device)
    else:
        real = empty(drawn, dtype=dtype.to_real(), device=device)
        made = real.uniform_(-9.0 if low is None else low, 9.0 if high is None else high)
        if dtype.is_complex:
            made = (made + 1j * made.clone().uniform_(-9.0 if low is None else low, 9.0 if high is None else high)).to(
                dtype
            )
    if noncontiguous and size:
        made = made[..., 0]
    if exclude_zero:
        made = made.masked_fill(made == 0, 1 if dtype.category == dtypes.INTEGER else 1e-3)
    if memory_format is not None:
        made = made.contiguous(memory_format=memory_format)
    return made.detach().requires_grad_() if requires_grad else made
