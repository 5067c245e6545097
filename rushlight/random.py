"""torch.random: the seed and the state of the default generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random.random import Generator, default_generator

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]


def manual_seed(seed: int) -> Generator:
    """Start the default generator anew: what follows is the same for the same seed.

    >>> torch.manual_seed(0) is torch.default_generator
    True
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start the default generator anew from a seed that the operating system picks, and return that seed.

    >>> torch.seed() != torch.seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was last started from.

    >>> _ = torch.manual_seed(7)
    >>> torch.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_state(self: Generator) -> Tensor:
    """The whole state, a tensor of bytes that torch's `set_state` understands too.

    >>> generator = torch.Generator().manual_seed(0)
    >>> another = torch.Generator().set_state(generator.get_state())
    >>> torch.rand(2, generator=another)
    tensor([0.4963, 0.7682])
    """
    return wrap(self.state_bytes())


def set_state(self: Generator, new_state: Tensor) -> Generator:
    """Continue from a state that `get_state` gave.

    >>> generator = torch.Generator().manual_seed(0)
    >>> state, first = generator.get_state(), torch.rand(2, generator=generator)
    >>> torch.equal(first, torch.rand(2, generator=generator.set_state(state)))
    True
    """
    if not isinstance(new_state, Tensor):
        raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
    return self.load_state_bytes(new_state._array)


# the streams know arrays only; for users states are tensors
for _method in (get_state, set_state):
    setattr(Generator, _method.__name__, _method)


def get_rng_state() -> Tensor:
    """The state of the default generator, a tensor of bytes.

    >>> state = torch.get_rng_state()
    >>> state.dtype, state.shape
    (torch.uint8, torch.Size([5056]))
    """
    return get_state(default_generator)


def set_rng_state(new_state: Tensor) -> None:
    """Continue from a state that `get_rng_state` gave.

    >>> state = torch.get_rng_state()
    >>> x = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(torch.rand(2), x)
    True
    """
    set_state(default_generator, new_state)


def thread_safe_generator() -> Generator | None:
    """The generator of a thread that loads data; None elsewhere, which stands for the default one.

    >>> torch.random.thread_safe_generator() is None
    True
    """
    return None


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Inside the block random numbers may be drawn; after it the default generator stands where it stood.

    >>> with torch.random.fork_rng():
    ...     x = torch.rand(2)
    >>> torch.equal(torch.rand(2), x)
    True
    """
    if not enabled:
        yield
        return
    before = get_state(default_generator)
    try:
        yield
    finally:
        set_state(default_generator, before)
