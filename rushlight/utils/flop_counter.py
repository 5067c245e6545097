"""Floating point operations: how many a program asks for, counted from the shapes of its products as it runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from rushlight.overrides import TorchFunctionMode, resolve_name

__all__ = ["FlopCounterMode", "register_flop_formula"]


def of_product(result: Any, left: Any, right: Any, *rest: Any, **options: Any) -> int:
    """Each element of a product is a sum of as many products as the left factor is wide."""
    return 2 * result.numel() * left.shape[-1]


def of_added_product(result: Any, added: Any, left: Any, right: Any, *rest: Any, **options: Any) -> int:
    """As of the product; that something is added is not counted."""
    return of_product(result, left, right)


def of_convolution(result: Any, image: Any, weight: Any, *rest: Any, **options: Any) -> int:
    """Each element of the result is a sum over the window and the channels of its group."""
    return 2 * result.numel() * math.prod(weight.shape[1:])


def of_transposed(result: Any, image: Any, weight: Any, *rest: Any, **options: Any) -> int:
    """Each element of the image goes to a window of the result, in each channel of its group."""
    return 2 * image.numel() * math.prod(weight.shape[1:])


def of_attention(result: Any, query: Any, key: Any, value: Any, *rest: Any, **options: Any) -> int:
    """The scores, and the sums that they weigh."""
    rows = query.numel() // query.shape[-1]
    return 2 * rows * key.shape[-2] * (query.shape[-1] + value.shape[-1])


# by the last part of a function's name
FORMULAS: dict[str, Callable[..., int]] = {
    **dict.fromkeys("mm bmm matmul __matmul__ linear mv dot".split(), of_product),
    **dict.fromkeys("addmm baddbmm addmv".split(), of_added_product),
    **dict.fromkeys("conv1d conv2d conv3d".split(), of_convolution),
    **dict.fromkeys("conv_transpose1d conv_transpose2d conv_transpose3d".split(), of_transposed),
    "scaled_dot_product_attention": of_attention,
}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable:
    """Decorates a function of `(*args, out_val=..., **options)` that counts the operations of `targets`."""

    def register(formula: Callable) -> Callable:
        for each in targets if isinstance(targets, (list, tuple)) else [targets]:
            name = str(resolve_name(each) or getattr(each, "__name__", each)).rpartition(".")[2]
            FORMULAS[name] = lambda result, *args, **options: formula(*args, out_val=result, **options)
        return formula

    return register


class FlopCounterMode(TorchFunctionMode):
    """Counts floating point operations of products, convolutions and attention inside `with`, forwards.

    >>> from torch.utils.flop_counter import FlopCounterMode
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ):
        super().__init__()
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = {"Global": {}}
        self.scopes: list[str] = ["Global"]
        self.parents: list[Module] = []
        self.handles: list = []
        for each, formula in (custom_mapping or {}).items():
            register_flop_formula(each)(formula)

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts = {"Global": {}}
        self.handles = [register_module_forward_pre_hook(self.enter), register_module_forward_hook(self.leave)]
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        for each in self.handles:
            each.remove()
        self.scopes, self.parents = ["Global"], []
        if self.display:
            print(self.get_table(self.depth))

    def enter(self, module: Module, args: Any) -> None:
        name = type(module).__name__ if len(self.scopes) == 1 else f"{self.scopes[-1]}.{self.name_in_parent(module)}"
        self.scopes.append(name)
        self.parents.append(module)

    def name_in_parent(self, module: Module) -> str:
        """The attribute under which the module that is running has this one."""
        children = self.parents[-1].named_children() if self.parents else ()
        return next((name for name, each in children if each is module), type(module).__name__)

    def leave(self, module: Module, args: Any, output: Any) -> None:
        self.scopes.pop()
        self.parents.pop()

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = str(resolve_name(func) or getattr(func, "__name__", "")).rpartition(".")[2]
        formula = FORMULAS.get(name)
        if formula is not None:
            count = formula(result, *args, **(kwargs or {}))
            for scope in self.scopes:
                counts = self.flop_counts.setdefault(scope, {})
                counts[func] = counts.get(func, 0) + count
        return result

    def get_total_flops(self) -> int:
        """All operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The operations of each module, by function."""
        return {scope: dict(counts) for scope, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A line for each module down to a depth, with its share of the whole."""
        deepest = self.depth if depth is None else depth
        total = self.get_total_flops()
        lines = [f"{'Module':40} {'FLOP':>15} {'% Total':>8}"]
        for scope, counts in self.flop_counts.items():
            if scope != "Global" and scope.count(".") >= deepest:
                continue
            count = sum(counts.values())
            lines.append(f"{scope:40} {count:15,} {100 * count / total if total else 0:7.2f}%")
        return "\n".join(lines)
