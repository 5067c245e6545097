"""Lost history: the warning for `tensor([t1, t2])`, which copies numbers and leaves the graph behind."""

from __future__ import annotations

from rushlight.core import location
from rushlight.core.tensor import Tensor
from rushlight.core.warning import first_time, warn

SHOWN = 5


def warn_lost(tensors: list[Tensor], function: str) -> None:
    """Say, once per line, which leaves get no gradient through the copy, and what keeps the history."""
    if not first_time("lost history"):
        return
    leaves = leaves_behind(tensors)
    shown = "".join(f"\n  {describe(leaf)}" for leaf in leaves[:SHOWN])
    more = f"\n  and {len(leaves) - SHOWN} more" if len(leaves) > SHOWN else ""
    warn(
        f"torch.{function}([...]) copies the numbers and drops the history: converting a tensor with "
        f"requires_grad=True to a number leaves these without a gradient:{shown}{more}\n"
        "Write torch.stack([...]) to keep the history, or detach() the tensors first if only their values "
        "matter."
    )


def leaves_behind(tensors: list[Tensor]) -> list[Tensor]:
    """The leaves that require grad and that the tensors came from, oldest edge last; without recursion."""
    found: dict[int, Tensor] = {}
    seen: set[int] = set()
    stack: list = [tensor.grad_fn or tensor for tensor in tensors]
    while stack:
        each = stack.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Tensor):
            found[id(each)] = each
        else:
            stack.extend(each.edges)
    return list(found.values())


def describe(leaf: Tensor) -> str:
    """A leaf by its kind and shape, and the line that made it where that is known."""
    text = f"{type(leaf).__name__} of shape {list(leaf._array.shape)}"
    return text if leaf._created is None else f"{text}, made at {location.describe(leaf._created)}"
