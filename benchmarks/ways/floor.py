"""The floor under a program: its matrix products, bare, and the passes over memory that nothing can leave out.

Products run at their real shapes and layouts, into memory that is already there. A pass between two products is one
ufunc in place. An optimizer's step, or a chain of operations, is a copy of half the bytes it reads and writes, since a
copy does both.
"""

import itertools

import numpy as np

ZERO = np.zeros((), np.float32)


class Floor:
    """Work gathered piece by piece, then run."""

    def __init__(self):
        self.pieces = []
        self.arrays = {}

    def array(self, shape, *role):
        """The array of a role, always the same one: a program's working set is part of its floor."""
        return self.arrays.setdefault((shape, role), np.full(shape, 1 / shape[-1], np.float32))

    def product(self, left, right, out):
        self.pieces.append((np.dot, (left, right, out)))

    def function(self, ufunc, *arrays):
        self.pieces.append((ufunc, arrays))

    def moves(self, floats, size):
        """A pass that reads and writes this many floats in all, in two arrays of at most `size`."""
        left = -(-floats // 2)
        while left > 0:
            size = min(size, left)
            self.function(np.copyto, self.array((size,), "to"), self.array((size,), "from"))
            left -= size

    def forward(self, name, sizes, batch, activation):
        """A network's forward; between layers one pass adds the bias and applies the activation."""
        x = self.array((batch, sizes[0]), name, 0)
        for index, (inputs, outputs) in enumerate(itertools.pairwise(sizes), 1):
            out = self.array((batch, outputs), name, index)
            self.product(x, self.array((outputs, inputs), name, "weight", index).T, out)
            if index == len(sizes) - 1:
                self.function(np.add, out, ZERO, out)
            elif activation == "tanh":
                self.function(np.tanh, out, out)
            else:
                self.function(np.maximum, out, ZERO, out)
            x = out

    def backward(self, name, sizes, batch, weights=True, inputs=False):
        """A network's backward; between layers one pass applies the activation's slope and sums for the bias."""
        for index in range(len(sizes) - 1, 0, -1):
            fan_in, fan_out = sizes[index - 1 : index + 1]
            grad = self.array((batch, fan_out), "grad", index)
            weight = self.array((fan_out, fan_in), name, "weight", index)
            x = self.array((batch, fan_in), name, index - 1)
            if weights:
                self.product(grad.T, x, self.array((fan_out, fan_in), name, "weight_grad", index))
            if index > 1 or inputs:
                input_grad = self.array((batch, fan_in), "grad", index - 1)
                self.product(grad, weight, input_grad)
                if index > 1:
                    self.function(np.multiply, input_grad, x, input_grad)

    def adam(self, *networks):
        """One pass reads parameter, gradient and both moments, and writes all but the gradient."""
        parameters = sum(count_parameters(sizes) for sizes in networks)
        self.moves(7 * parameters, 2 * parameters)

    def step(self):
        for function, arguments in self.pieces:
            function(*arguments)


def count_parameters(sizes):
    return sum((inputs + 1) * outputs for inputs, outputs in itertools.pairwise(sizes))
