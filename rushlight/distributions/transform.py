"""Transform: a function with its inverse and the logarithm of its slope, which remembers its last pair."""

from __future__ import annotations

import copy
import threading
import weakref
from typing import Any

from rushlight.autograd.modes import state
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor, version_of
from rushlight.distributions import constraints


class Pair(weakref.ref):
    """A step that was taken: refers weakly to the tensor it made, and holds the one it was made from until that dies.

    The inverse of a saturated value cannot be computed: atanh(tanh(10.0)) is infinite in float32. It can be looked up.
    """

    __slots__ = ("forward", "source", "stamp")
    forward: bool  # from x to y
    source: Any
    stamp: tuple | None


def forget(pair: Any) -> None:
    """What was made is gone: nobody can ask for its source any more."""
    pair.source = pair.stamp = None


class Unsaid(int):
    """The default of `cache_size`: 0, as in torch, while the last pair is remembered where that helps."""

    def __reduce__(self) -> str:
        return "UNSAID"


UNSAID = Unsaid(0)


class Transform:
    """A function of tensors; a subclass defines `_call`, `_inverse` and `log_abs_det_jacobian`.

    >>> square = torch.distributions.transforms.PowerTransform(2.0)
    >>> square.inv(square(torch.tensor(3.0)))
    tensor(3.)

    Unless `cache_size=0` is said, all bijective transforms here remember the last pair: `t.inv(t(x))` is `x` itself,
    exactly, with its history. Where the tensor was changed in place since, or asks for a gradient of its own, or a
    parameter of the transform changed, the inverse is computed. A subclass says so itself, as in PyTorch. With
    `cache_size=1` the other direction is remembered too: `t(x) is t(x)`.
    """

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Transform | None = None
        self._pairs: dict[tuple[int, bool], Pair] = {}  # the last one of each thread and direction

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None, "_pairs": {}}

    @property
    def event_dim(self) -> int:
        """The dimensions of one value, where both sides have as many."""
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The transform back; its own `inv` is this one."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 where the function rises, -1 where it falls."""
        raise NotImplementedError(f"{type(self).__name__} has no sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with the memory on or off."""
        if self._cache_size == cache_size and self._cache_size is not UNSAID:
            return self
        made = copy.copy(self)
        Transform.__init__(made, cache_size)
        return made

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, x: Tensor) -> Tensor:
        found = self._recall(x, False)
        if found is None and self._cache_size:
            found = self._repeat(x, True)
        if found is None:
            found = self._call(x)
            self._remember(x, found, True)
        return found

    def _inv_call(self, y: Tensor) -> Tensor:
        found = self._recall(y, True)
        if found is None and self._cache_size:
            found = self._repeat(y, False)
        if found is None:
            found = self._inverse(y)
            self._remember(y, found, False)
        return found

    def _remember(self, source: Tensor, made: Tensor, forward: bool) -> None:
        if made is source or not (self._cache_size or self._cache_size is UNSAID):
            return
        if not isinstance(source, Tensor) or not isinstance(made, Tensor):
            return
        if source.requires_grad and not made.requires_grad:
            # made without a history: its source must not keep one alive
            source = source.detach()
        pair = Pair(made, forget)
        pair.source, pair.forward, pair.stamp = source, forward, self._stamp(source, made)
        self._pairs[threading.get_ident(), forward] = pair

    def _recall(self, made: Tensor, forward: bool) -> Tensor | None:
        """What `made` was made from, if that was the last time in this direction and nothing changed since."""
        for pair in tuple(self._pairs.values()):
            if pair() is made and pair.forward is forward and pair.stamp == self._stamp(pair.source, made):
                return None if self._learns() else pair.source
        return None

    def _learns(self) -> bool:
        """Whether a parameter of the transform wants a gradient, which it gets where the inverse is computed."""
        return state.grad and any([each.requires_grad for each in self._parameters()])

    def _repeat(self, source: Tensor, forward: bool) -> Tensor | None:
        """What was made of `source` the last time in this direction, if nothing changed since."""
        pair = self._pairs.get((threading.get_ident(), forward))
        if pair is None or pair.source is not source:
            return None
        made = pair()
        if made is None or pair.stamp != self._stamp(source, made) or self._learns():
            return None
        return made

    def _stamp(self, source: Tensor, made: Tensor) -> tuple:
        """What must stay the same for the memory to hold."""
        given = [(id(each), version_of(each)) for each in self._parameters()]
        return version_of(source), version_of(made), source.requires_grad, made.requires_grad, *given

    def _parameters(self) -> tuple[Tensor, ...] | list[Tensor]:
        """The tensors that the function depends on."""
        return ()

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _call")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The logarithm of how much the function stretches volumes at `x`, where its value is `y`."""
        raise NotImplementedError(f"{type(self).__name__} has no log_abs_det_jacobian")

    def forward_shape(self, shape: Any) -> Size:
        """The shape of the value, from that of `x`."""
        return shape

    def inverse_shape(self, shape: Any) -> Size:
        """The shape of `x`, from that of the value."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Bijection(Transform):
    """A transform that can be undone, and remembers its last pair unless told otherwise."""

    bijective = True

    def __init__(self, cache_size: int = UNSAID):
        super().__init__(cache_size)

    # a wrong call is told torch's name
    __init__.__qualname__ = "Transform.__init__"


class _InverseTransform(Transform):
    """The other direction of a transform, with the same memory."""

    _inv: Transform

    def __init__(self, transform: Transform):
        super().__init__(transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = None

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def _recall(self, made: Tensor, forward: bool) -> Tensor | None:
        return self._inv._recall(made, not forward)

    def _parameters(self) -> Any:
        return self._inv._parameters()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Size:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"
