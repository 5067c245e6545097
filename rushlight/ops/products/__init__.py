"""Products of matrices and vectors, and the distances that rest on them."""
