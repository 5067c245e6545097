"""Numbers to compute with: the same for every library, from NumPy's generator."""

import itertools

import numpy as np


class Source:
    """Float32 data from one seed."""

    def __init__(self, seed=0):
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape):
        return self.generator.standard_normal(shape, dtype=np.float32)

    def uniform(self, low, high, *shape):
        return self.generator.uniform(low, high, shape).astype(np.float32)

    def integers(self, high, *shape):
        return self.generator.integers(high, size=shape)

    def layers(self, *sizes):
        """Weight (out, in) and bias (out,) of each layer of a network, within torch's usual bounds."""
        return [
            (self.uniform(-(inputs**-0.5), inputs**-0.5, outputs, inputs), self.uniform(-0.1, 0.1, outputs))
            for inputs, outputs in itertools.pairwise(sizes)
        ]
