"""What a report of a fault should say about the machine and the libraries: `python -m torch.utils.collect_env`."""

from __future__ import annotations

import os
import platform
import sys
from typing import NamedTuple

import numpy as np

from rushlight.native import extension

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]


class SystemEnv(NamedTuple):
    """The versions and the machine."""

    torch_version: str
    rushlight_version: str
    native_layer: bool
    numpy_version: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: bool
    cpu_count: int | None


def get_env_info() -> SystemEnv:
    """The versions and the machine."""
    import rushlight
    from rushlight.compat.face import TORCH_VERSION

    return SystemEnv(
        torch_version=TORCH_VERSION,
        rushlight_version=rushlight.__version__,
        native_layer=extension is not None,
        numpy_version=np.__version__,
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        libc_version="-".join(filter(None, platform.libc_ver())) or "N/A",
        python_version=sys.version.replace("\n", " "),
        python_platform=platform.platform(),
        is_cuda_available=False,
        cpu_count=os.cpu_count(),
    )


def get_pretty_env_info() -> str:
    """The same as lines to read."""
    info = get_env_info()
    return "\n".join(
        (
            f"PyTorch version: {info.torch_version} (Rushlight {info.rushlight_version})",
            f"Native layer: {info.native_layer}",
            f"NumPy version: {info.numpy_version}",
            "",
            f"OS: {info.os}",
            f"Libc version: {info.libc_version}",
            "",
            f"Python version: {info.python_version}",
            f"Python platform: {info.python_platform}",
            f"Is CUDA available: {info.is_cuda_available}",
            f"CPU count: {info.cpu_count}",
        )
    )


def main() -> None:
    """Print it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
