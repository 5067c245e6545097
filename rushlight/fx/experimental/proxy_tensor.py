"""Tracing through `__torch_dispatch__`, which is not here: the names say so where they are called."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["get_proxy_mode", "make_fx", "maybe_disable_fake_tensor_mode"]


def make_fx(*args: Any, **options: Any) -> NoReturn:
    """Refused: there is no dispatcher below autograd to record."""
    raise NotImplementedError(
        "torch.fx.experimental.proxy_tensor.make_fx is not in Rushlight, which has no __torch_dispatch__: "
        "torch.fx.symbolic_trace records the calls of the program itself"
    )


def get_proxy_mode() -> None:
    """None: no such mode can be entered."""
    return None


def maybe_disable_fake_tensor_mode() -> Any:
    """A context that changes nothing: there are no fake tensors."""
    import contextlib

    return contextlib.nullcontext()
