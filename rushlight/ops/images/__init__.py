"""Images: kernels and windows that slide over the last dimensions."""
