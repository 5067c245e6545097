"""Linear algebra: `torch.linalg`, whose functions are declared in `rushlight/ops`."""

from rushlight.ops.bind import namespace

globals().update(namespace("linalg"))
__all__ = list(namespace("linalg"))
