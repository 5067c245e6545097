"""torch.utils._triton: the compiler for GPUs, which is not used."""

__all__ = ["has_triton", "has_triton_package", "has_triton_tma", "has_triton_tma_device"]


def has_triton() -> bool:
    """Whether kernels can be written in Triton: no, there is no GPU."""
    return False


def has_triton_package() -> bool:
    """Whether Triton would be used: no."""
    return False


def has_triton_tma() -> bool:
    """Whether Triton can move blocks of GPU memory: no."""
    return False


def has_triton_tma_device() -> bool:
    """Whether a GPU can move blocks of its memory: there is none."""
    return False
