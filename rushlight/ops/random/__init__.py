"""Random: tensors drawn from the stream, filled by it, or thinned out."""
