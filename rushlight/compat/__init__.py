"""Programs written for PyTorch run on Rushlight: `import torch` means this library.

    from rushlight import compat

    with compat.installed():
        import torch.nn as nn      # rushlight.nn

`python -m rushlight script.py` does the same for a whole program, `python -m rushlight stand-in install` for an
environment.
"""

from rushlight.compat.finder import TORCH_VERSION, install, installed, uninstall

__all__ = ["TORCH_VERSION", "install", "installed", "uninstall"]
