"""Numbers to compute with: the same for every library, from NumPy's generator."""

import itertools
import math

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

    def layer(self, name, *shape, bias=True):
        """Weight and bias of one linear layer or convolution by torch's names, within torch's usual bounds."""
        bound = math.prod(shape[1:]) ** -0.5
        weight = {f"{name}.weight": self.uniform(-bound, bound, *shape)}
        return weight | {f"{name}.bias": self.uniform(-bound, bound, shape[0])} if bias else weight

    def norm(self, name, width):
        """Weight and bias of a normalisation by torch's names: not just ones and zeros, which would hide mistakes."""
        return {f"{name}.weight": self.uniform(0.9, 1.1, width), f"{name}.bias": self.uniform(-0.1, 0.1, width)}
