"""autocast and its decorators under their old import path."""

from rushlight.cuda.amp import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
