"""Names of the functions that make tensors: inside of a function transform they ask which one that is."""

from __future__ import annotations

# functions that make tensors of random numbers from a size
SIZED = {"rand", "randn"}
LIKE = {"rand_like", "randn_like", "randint_like"}
# functions whose tensors belong to the level they were made in, and may be written to there
FACTORIES = {
    "zeros", "ones", "empty", "full", "arange", "linspace", "logspace", "eye", "tensor", "empty_strided", "rand",
    "randn", "randint", "randperm", "normal",
}  # fmt: skip
OTHERS = {"randint", "randperm", "normal", "bernoulli", "multinomial", "poisson", "binomial"}

MAKING = frozenset({*SIZED, *LIKE, *OTHERS, *FACTORIES})
