"""How exact the functions are: errors in units in the last place, beside torch's where that is installed.

    python -m tools.accuracy [names]

measures Rushlight's native and plain layers and torch, each in a process of its own, and prints the tables of
docs/accuracy.md. The exact values are those of double precision (NumPy, SciPy) for float32 and of mpmath for float64.
"""
