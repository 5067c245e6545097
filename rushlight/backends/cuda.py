"""torch.backends.cuda: flags for GPUs, which may be set and read; there is none to obey them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rushlight.core.surface.lazy import names_of


class Flags:
    """Flags of one part of the library."""

    def __init__(self, **values: object):
        vars(self).update(values)


matmul = Flags(
    allow_tf32=False,
    allow_fp16_reduced_precision_reduction=True,
    allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False,
    fp32_precision="none",
)
_attention = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}


def is_built() -> bool:
    """Whether this library was built for GPUs: no."""
    return False


def attention_flag(kind: str) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """What asks and what sets whether a way to compute attention may be used."""

    def asked() -> bool:
        return _attention[kind]

    def allow(enabled: bool) -> None:
        _attention[kind] = bool(enabled)

    asked.__name__, allow.__name__ = f"{kind}_sdp_enabled", f"enable_{kind}_sdp"
    asked.__doc__ = f"Whether GPUs may compute attention by way of `{kind}`."
    allow.__doc__ = f"Note whether GPUs may compute attention by way of `{kind}`."
    return asked, allow


flash_sdp_enabled, enable_flash_sdp = attention_flag("flash")
math_sdp_enabled, enable_math_sdp = attention_flag("math")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = attention_flag("mem_efficient")
cudnn_sdp_enabled, enable_cudnn_sdp = attention_flag("cudnn")


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """Other ways to compute attention on GPUs inside a with statement."""
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _attention.update(before)


__all__ = [name for name in globals() if not name.startswith("_") and name.endswith(("_enabled", "_sdp", "built"))]
__all__ += ["matmul", "sdp_kernel"]

__getattr__ = names_of("rushlight.backends.cuda")
