"""Special functions of mathematics; SciPy computes most of them."""
