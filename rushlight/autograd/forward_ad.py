"""Forward mode by hand: tensors that carry a tangent, inside of a level."""

from __future__ import annotations

from typing import Any, NamedTuple

from rushlight.autograd.modes import Mode
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.ops.machine.transforms.forward import Forward
from rushlight.ops.shape.shape import identity

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

# the levels that have been entered; torch has one at a time, and it is number 0
entered: list[Forward] = []


def __getattr__(name: str) -> int:
    if name == "_current_level":
        return len(entered) - 1
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")


def enter_dual_level() -> int:
    """Begin a level, inside of which tensors may have tangents; returns its number.

    >>> fwAD = torch.autograd.forward_ad
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.unpack_dual(fwAD.make_dual(torch.tensor(3.0), torch.tensor(1.0)) ** 2).tangent
    tensor(6.)
    >>> fwAD.exit_dual_level()
    """
    if entered:
        raise RuntimeError("Nested forward mode AD is not supported at the moment: use torch.func.jvp, which nests")
    level = Forward(transforms=False)
    level.__enter__()
    entered.append(level)
    return len(entered) - 1


def exit_dual_level(*, level: int | None = None) -> None:
    """End a level: tensors lose their tangents."""
    last = len(entered) - 1
    if last < 0:
        raise RuntimeError("Dual level must be a positive number.")
    if level is not None and level != last:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    entered.pop().__exit__()


def check_dual(primal: Tensor, tangent: Tensor) -> None:
    """Refuse what is no tangent of a tensor."""
    if primal._array.dtype not in DIFFERENTIABLE:
        raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")
    if tangent._array.dtype not in DIFFERENTIABLE:
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if primal.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of a tensor that carries a tangent, which every operation on it moves along.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     x = torch.autograd.forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    ...     torch.autograd.forward_ad.unpack_dual(x * x).tangent
    tensor([2., 0.])
    """
    if not entered:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    check_dual(tensor, tangent)
    now = entered[-1]
    if now.tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    return now.dual(tensor.view_as(tensor), laid_out(tangent, tensor))


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor; the tangent is None for one that has none."""

    primal: Tensor
    tangent: Tensor | None


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """A tensor without its tangent, and the tangent.

    >>> torch.autograd.forward_ad.unpack_dual(torch.tensor(1.0))
    UnpackedDualTensor(primal=tensor(1.), tangent=None)
    """
    if not entered:
        return UnpackedDualTensor(tensor, None)
    array = tensor._array
    if type(array) is not Lifted or array.level is not entered[-1]:
        return UnpackedDualTensor(identity(tensor), None)
    return UnpackedDualTensor(identity(array.inner), laid_out(array.aside, array.inner))


def laid_out(tangent: Tensor, primal: Tensor) -> Tensor:
    """A tangent in its primal's order in memory, and each element in a place of its own."""
    lifted = type(tangent._array) is Lifted or type(primal._array) is Lifted
    if lifted or tangent.stride() == primal.stride():
        return tangent
    return zeros_like(primal, dtype=tangent.dtype).copy_(tangent)


class dual_level(Mode):
    """A level for the length of a block, or of a function.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     x = torch.autograd.forward_ad.make_dual(torch.tensor(0.0), torch.tensor(1.0))
    ...     torch.autograd.forward_ad.unpack_dual(x.sin()).tangent
    tensor(1.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception: object) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(Mode):
    """Whether results get tangents, for the length of a block."""

    def __init__(self, mode: bool):
        self.mode, self.before = mode, state.forward
        state.forward = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        state.forward = self.before

    def clone(self) -> Any:
        return _set_fwd_grad_enabled(self.mode)


def _is_fwd_grad_enabled() -> bool:
    return state.forward
