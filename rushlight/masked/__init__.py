"""Masked operations: `torch.masked`, whose functions are declared in `rushlight/ops/masked`."""

from typing import Any, NoReturn

import rushlight.ops.masked as _declared
from rushlight.core.surface.lazy import names_of
from rushlight.ops.machine.bind import namespace


class MaskedTensor:
    """Left out on purpose: a tensor beside a mask does the same."""

    left_out = True

    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> NoReturn:
        raise NotImplementedError(
            "MaskedTensor is left out of Rushlight on purpose, since it is a prototype in PyTorch: keep the mask "
            "beside the tensor and give it to the functions of torch.masked, for example torch.masked.sum(x, mask=mask)"
        )


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """Refused, as `MaskedTensor` is."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """Refused, as `MaskedTensor` is."""
    return MaskedTensor(data, mask)


# docs/coverage.md does not count what only refuses
masked_tensor.left_out = as_masked_tensor.left_out = True  # type: ignore[attr-defined]


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether the object is a MaskedTensor: never."""
    return isinstance(obj, MaskedTensor)


globals().update(namespace("masked"))
__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor", *namespace("masked")]

__getattr__ = names_of("rushlight.masked", ("_ops",))
