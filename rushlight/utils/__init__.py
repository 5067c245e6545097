"""Utilities around tensors: data, checkpointing, hooks."""
