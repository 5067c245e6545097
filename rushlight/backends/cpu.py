"""torch.backends.cpu: what the processor can do."""

from rushlight.core.surface.lazy import names_of

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """The instructions that the kernels use: "DEFAULT", "AVX2" or "AVX512"."""
    from rushlight.native import extension

    return "DEFAULT" if extension is None else str(extension.level()).upper().replace("BASELINE", "DEFAULT")


__getattr__ = names_of("rushlight.backends.cpu")
