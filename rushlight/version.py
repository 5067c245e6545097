"""torch.version: which PyTorch this one is like, and that it was built without GPUs."""

__version__ = "2.13.0"
debug = False
cuda = hip = rocm = xpu = None
git_version = "unknown"
