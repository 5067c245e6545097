"""Snapshots: all that a program's names show after a statement, in values that can be sent and compared."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LARGEST = 4096


class Shown(NamedTuple):
    """A tensor, as far as a user can see it."""

    kind: str
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    requires_grad: bool
    is_leaf: bool
    node: str | None
    version: int | None
    shares: int
    values: np.ndarray | None
    grad: Shown | None


class Failed(NamedTuple):
    """An exception that a statement raised."""

    kind: str
    words: str
    bases: tuple[str, ...] = ()  # under which a program may catch it


class Snapshot:
    """Turns the values of a namespace into records; memory is numbered in the order it is met."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.memory: dict[int, int] = {}

    def of(self, value: Any, depth: int = 0) -> Any:
        """The record of any value; of what has none, its type."""
        if isinstance(value, self.torch.Tensor):
            return self.tensor(value, counts=depth == 0)
        if value is None or isinstance(value, (bool, int, float, complex, str)):
            return value
        if isinstance(value, (self.torch.dtype, self.torch.device)):
            return str(value)
        if depth < 5 and isinstance(value, (list, tuple)):
            return (type(value).__name__, [self.of(each, depth + 1) for each in value])
        if depth < 5 and isinstance(value, dict):
            return (type(value).__name__, [(str(key), self.of(each, depth + 1)) for key, each in value.items()])
        if isinstance(value, self.torch.nn.Module):
            return self.module(value)
        if isinstance(value, self.torch.optim.Optimizer):
            return ("optimizer", type(value).__name__, self.of(value.state_dict(), 1))
        if isinstance(value, self.torch.distributions.Distribution):
            return ("distribution", str(value), tuple(value.batch_shape), tuple(value.event_shape))
        return type(value).__name__

    def tensor(self, tensor: Any, counts: bool, is_grad: bool = False) -> Shown:
        """Everything that shows from outside; reading must not disturb the program.

        Writes are counted for tensors with a name: how often a library writes to its own is no one's matter.
        """
        try:
            node = None if tensor.grad_fn is None else tensor.grad_fn.name()
            leaf = tensor.is_leaf
        except RuntimeError as error:  # a view whose base was written to in a way it cannot follow
            node, leaf = f"refused: {str(error)[:30]}", False
        version = tensor._version if counts and not tensor.is_inference() else None
        address = self.address(tensor)
        shares = self.memory.setdefault(address, len(self.memory)) if address else -1
        grad = None
        if not is_grad and leaf and tensor.grad is not None:
            grad = self.tensor(tensor.grad, counts=False, is_grad=True)
        return Shown(
            type(tensor).__name__,
            str(tensor.dtype),
            tuple(tensor.shape),
            tuple(tensor.stride()),
            tensor.storage_offset(),
            tensor.requires_grad,
            leaf,
            node,
            version,
            shares,
            self.values(tensor.detach()),
            grad,
        )

    def address(self, tensor: Any) -> int:
        """Where its memory begins; 0 for none, as of torch's zeros that are nothing but known to be zeros."""
        try:
            return tensor.untyped_storage().data_ptr() if tensor.numel() else 0
        except RuntimeError:
            return 0

    def values(self, tensor: Any) -> np.ndarray | None:
        """The numbers, in a dtype that NumPy has; large tensors by a digest of what is not rounding."""
        # a copy first: torch forbids to resize memory that NumPy has seen
        tensor = tensor.resolve_conj().resolve_neg().clone()
        if tensor.dtype in (self.torch.bfloat16, self.torch.float16):
            tensor = tensor.float()
        elif str(tensor.dtype) == "torch.complex32":
            tensor = tensor.to(self.torch.complex64)
        array = tensor.numpy()
        return array if array.size <= LARGEST else array.reshape(-1)[:: array.size // LARGEST]

    def module(self, module: Any) -> Any:
        state = [(name, self.of(each, 1)) for name, each in module.named_parameters(remove_duplicate=False)]
        state += [(name, self.of(each, 1)) for name, each in module.named_buffers()]
        return ("module", shown(module), [each.training for each in module.modules()], state)


def shown(module: Any) -> str:
    """What `print` shows; a module that a program took a part from may fail there."""
    try:
        return str(module)
    except AttributeError as error:
        return f"no text: {error}"
