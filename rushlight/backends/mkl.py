"""torch.backends.mkl: Intel's Math Kernel Library. Products go to the BLAS that NumPy brings, whichever that is."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether NumPy's BLAS is Intel's."""
    import numpy as np

    found = np.show_config(mode="dicts") or {}
    return "mkl" in str(found.get("Build Dependencies", {}).get("blas", {}).get("name", "")).lower()


__getattr__ = names_of("rushlight.backends.mkl")
