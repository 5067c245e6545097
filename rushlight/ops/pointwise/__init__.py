"""Pointwise ops: each element of the result comes from the elements at its own place."""
