"""Normalization: activations and weights brought to a common scale."""
