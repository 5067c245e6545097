"""Programs built on other people's packages, run unmodified on Rushlight and on PyTorch."""
