"""Kernels: what computes a function on a kind of device, to be called without gradients, modes or overriding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._C.dispatch import DispatchKey
from rushlight._library.custom_ops import DECLARED, ON_THE_CPU
from rushlight._ops import OpOverload, library
from rushlight.autograd.modes import no_grad
from rushlight.core.surface.overriding import DisableTorchFunction

# keys under which a function of torch.ops.aten is computed here
COMPUTED = ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "CompositeExplicitAutogradNonFunctional")


class Kernel:
    """A kernel: `call_boxed(keyset, *arguments)` runs it."""

    def __init__(self, name: str, key: str, function: Callable) -> None:
        self._name, self._key, self._function = name, key, function

    def call_boxed(self, keyset: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Run it; the keys are those of the call that led here, and make no difference."""
        if type(keyset).__name__ != "DispatchKeySet":
            raise TypeError(
                f"call_boxed(): the first argument has to be a DispatchKeySet, not {type(keyset).__name__}: "
                "torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)"
            )
        with no_grad(), DisableTorchFunction():
            return self._function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"SafeKernelFunction(debug='{self._name} for {self._key}')"


def kernel_of(op: Any, dispatch_key: Any) -> Kernel:
    """The kernel of a function, given by its name or as an overload, for a dispatch key."""
    if not isinstance(op, (str, OpOverload)):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else op.name()
    key = dispatch_key if isinstance(dispatch_key, str) else dispatch_key.name
    if key not in DispatchKey.__members__:
        raise ValueError(f"Invalid dispatch key: {key}. Write 'CPU'")
    if name in DECLARED:
        kernels = DECLARED[name].kernels
        alike = ON_THE_CPU if key == "CPU" else (key,)
        found = next((kernels[each] for each in alike if each in kernels), None)
    else:
        overload = aten_form(name)
        found = overload.op if key in COMPUTED else None
    if found is None:
        raise RuntimeError(
            f"No kernel is registered for {name} under the dispatch key {key}: Rushlight computes on the CPU"
        )
    return Kernel(name, key, found)


def aten_form(name: str) -> OpOverload:
    """The overload of `torch.ops.aten` of a qualified name."""
    space, _, rest = name.partition("::")
    own, _, form = rest.partition(".")
    try:
        return getattr(getattr(library(space), own), form or "default")
    except AttributeError as error:
        raise RuntimeError(f"operator {name} does not exist. {error}") from None
