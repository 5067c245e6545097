"""Attention: values mixed by how well their keys fit a query."""

from rushlight.ops.sequences.attention import dot_product, multi_head
