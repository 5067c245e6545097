"""torch.backends.cpu: what the processor can do."""

from rushlight.core.lazy import names_of

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """The instructions that the kernels use: "DEFAULT", "AVX2" or "AVX512"."""
    from rushlight.native import core

    return "DEFAULT" if core is None else str(core.level()).upper().replace("BASELINE", "DEFAULT")


__getattr__ = names_of("rushlight.backends.cpu")
