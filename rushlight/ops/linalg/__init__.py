"""Linear algebra: decompositions, solutions of equations, functions of matrices."""

from rushlight.ops.linalg import pseudoinverse, singular
