"""GradScaler under its old import path."""

from rushlight.cuda.amp import GradScaler

__all__ = ["GradScaler"]
