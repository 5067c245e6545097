"""Ways to prune: each chooses a mask, and is the hook that applies it before each call."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from rushlight.core.creation.likeness import ones_like, zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.naming import make_own
from rushlight.nn.modules.module import Module
from rushlight.ops.random.sampling import rand, rand_like


class BasePruningMethod(ABC):
    """A way to choose what is pruned; the hook that keeps it at zero.

    A subclass has a `PRUNING_TYPE` ("unstructured", "structured" or "global") and a `compute_mask(t, default_mask)`.
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor, on top of another one."""

    def apply_mask(self, module: Module) -> Tensor:
        """The tensor with zeros where the mask has them."""
        if getattr(self, "_tensor_name", None) is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> Any:
        """Prune a parameter of a module, by its scores or by itself; a pruned one is pruned further."""
        method = together(taken_hook(module, name), cls(*args, **kwargs), name)
        original = getattr(module, name)
        whole = ones_like(original)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got {scores.shape} vs "
                f"{original.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            mask = whole
        else:
            mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(scores, default_mask=mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A tensor pruned, with no module around it."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, default_mask=ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruned tensor a plain parameter, zeros and all."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def taken_hook(module: Module, name: str) -> BasePruningMethod | None:
    """The hook that prunes this tensor already, taken out of the module."""
    numbers_found = [
        number
        for number, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if len(numbers_found) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer."
        )
    return module._forward_pre_hooks.pop(numbers_found[0]) if numbers_found else None  # type: ignore[return-value]


def together(old: BasePruningMethod | None, new: BasePruningMethod, name: str) -> BasePruningMethod:
    new._tensor_name = name
    if old is None:
        return new
    container = old if isinstance(old, PruningContainer) else PruningContainer(old)
    container.add_pruning_method(new)
    return container


class PruningContainer(BasePruningMethod):
    """Several prunings of one tensor, one after the other."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add one, of the same tensor."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The latest method's mask, on what the earlier ones have left."""
        method = self._pruning_methods[-1]
        left = what_is_left(method, t, default_mask)
        # clone: `to` gives the very mask back when the dtype is the same
        found = default_mask.to(dtype=t.dtype).clone()
        found[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=found.dtype)
        return found


def what_is_left(method: Any, t: Tensor, mask: Tensor) -> Any:
    """An index for the part of a tensor from which a method may choose."""
    whole: list[Any] = [slice(None)] * t.ndim
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return tuple(whole)
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
    dim = method.dim + t.ndim if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {t.ndim}")
    whole[dim] = mask.sum(dim=[each for each in range(t.ndim) if each != dim]) != 0
    return tuple(whole)


class Identity(BasePruningMethod):
    """Prunes nothing; for the names that a pruned module has."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> Any:  # type: ignore[override]
        return super().apply(module, name)


class Amount(BasePruningMethod):
    """What the methods share that prune a number of things, or a part of all."""

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def count(self, size: int) -> int:
        """How many of `size` are pruned."""
        _validate_pruning_amount(self.amount, size)
        return _compute_nparams_toprune(self.amount, size)


class RandomUnstructured(Amount):
    """Prunes elements by chance."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count, mask = self.count(t.numel()), default_mask.clone()
        if count:
            mask.view(-1)[rand_like(t).view(-1).topk(count).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Module, name: str, amount: float) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount)


class L1Unstructured(Amount):
    """Prunes the elements nearest to zero."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count, mask = self.count(t.numel()), default_mask.clone()
        if count:
            mask.view(-1)[t.abs().view(-1).topk(count, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(Amount):
    """Prunes whole slices along a dimension, by chance."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = self.count(size)
        if not count:
            return default_mask
        drawn = rand(size)
        return slices_kept(t, self.dim, drawn > drawn.kthvalue(count).values, default_mask)

    @classmethod
    def apply(cls, module: Module, name: str, amount: float, dim: int = -1) -> Any:  # type: ignore[override]
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(Amount):
    """Prunes the slices along a dimension that have the smallest norms."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = self.count(size)
        kept = _compute_norm(t, self.n, self.dim).topk(size - count).indices
        return slices_kept(t, self.dim, kept, default_mask) if count else default_mask

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Module,
        name: str,
        amount: float,
        n: Any,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> Any:
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes where a given mask is zero."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> Any:  # type: ignore[override]
        return super().apply(module, name, mask=mask)


def _validate_pruning_amount_init(amount: Any) -> None:
    """Refuse what is neither a number of things nor a part of all."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if float(amount) < 0 or (not isinstance(amount, numbers.Integral) and float(amount) > 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: float, tensor_size: int) -> None:
    """Refuse more things than there are."""
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: float, tensor_size: int) -> int:
    """How many of `tensor_size` things are pruned."""
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _validate_structured_pruning(t: Tensor) -> None:
    """Refuse a tensor without slices."""
    if t.ndim <= 1:
        raise ValueError(
            f"Structured pruning can only be applied to multidimensional tensors. Found tensor of shape {t.shape} "
            f"with {t.ndim} dims"
        )


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    """Refuse a dimension that is not there."""
    if dim >= t.ndim:
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """The norm of each slice along a dimension."""
    return t.norm(n, [each for each in range(t.ndim) if each != dim % t.ndim])


def slices_kept(t: Tensor, dim: int, kept: Tensor, default_mask: Tensor) -> Tensor:
    """A mask of ones in the slices that are kept, on top of another one."""
    mask = zeros_like(t)
    place: list[Any] = [slice(None)] * t.ndim
    place[dim] = kept
    mask[tuple(place)] = 1
    return mask.mul_(default_mask.to(dtype=mask.dtype))


for _kind in (RandomUnstructured, L1Unstructured):
    make_own(_kind, "__init__")
