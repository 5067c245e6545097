"""Tensors from data, from a size, from another tensor."""
