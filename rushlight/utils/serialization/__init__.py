"""Settings of `torch.save` and `torch.load`."""

from rushlight.utils.serialization import config

__all__ = ["config"]
