"""Windows: `torch.signal.windows`, whose functions are declared in `rushlight/ops/windows`.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from collections.abc import Sequence

from rushlight.core.memory.layout import layout as _layout
from rushlight.core.numbers.dtypes import dtype as _dtype
from rushlight.core.object.tensor import Tensor
from rushlight.types import Device, Number, _bool, _float, _int

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]

def bartlett(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def blackman(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def cosine(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def exponential(
    M: _int,
    *,
    center: _int | None = None,
    tau: _float = 1.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def gaussian(
    M: _int,
    *,
    std: _float = 1.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def general_cosine(
    M: _int,
    *,
    a: Sequence[_float],
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def general_hamming(
    M: _int,
    *,
    alpha: Number = 0.54,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def hamming(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def hann(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def kaiser(
    M: _int,
    *,
    beta: Number = 12.0,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
def nuttall(
    M: _int,
    *,
    sym: _bool = True,
    dtype: _dtype | None = None,
    layout: _layout | None = None,
    device: Device = None,
    requires_grad: _bool = False,
) -> Tensor: ...
