"""Signal processing: `torch.signal`, which has windows."""

from rushlight.signal import windows

__all__ = ["windows"]
