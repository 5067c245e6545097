"""Programs as people write them for PyTorch, unmodified: each trains a small network and prints its losses."""
