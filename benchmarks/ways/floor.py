"""The floor under a program: its matrix products, bare, and the passes over memory that nothing can leave out.

Products run at their real shapes and layouts, into memory that is already there. A pass between two products is one
ufunc in place. A convolution is its products with columns that are there already. An optimizer's step, or a chain of
operations, is a copy of half the bytes it reads and writes, since a copy does both.
"""

import itertools
import math
from functools import partial

import numpy as np

ZERO = np.zeros((), np.float32)
# Of a convolution, in one product: with a fan in of 500 they take 2 MB, as the cache of a core.
MOST_COLUMNS = 1024


class Floor:
    """Work gathered piece by piece, then run."""

    def __init__(self):
        self.pieces = []
        self.arrays = {}

    def array(self, shape, *role):
        """The array of a role, always the same one: a program's working set is part of its floor."""
        return self.arrays.setdefault((shape, role), np.full(shape, 1 / shape[-1], np.float32))

    def product(self, left, right, out):
        self.function(np.dot, left, right, out=out)

    def function(self, function, *arrays, **keywords):
        self.pieces.append(partial(function, *arrays, **keywords))

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
                self.revise(out)
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

    def classify(self, name, sizes, batch):
        """A network's forward, a softmax, which an exponential stands for, and its backward."""
        self.forward(name, sizes, batch, "relu")
        logits = self.array((batch, sizes[-1]), name, len(sizes) - 1)
        self.function(np.exp, logits, logits)
        self.backward(name, sizes, batch, inputs=True)

    def convolution(self, name, shape, images, pixels):
        """The products of weights (outputs, inputs, height, width) and columns that are there.

        Columns are those of a few images, as many as stay in the cache, and serve all. Returns the outputs.
        """
        weight, columns, outputs = self.convolution_arrays(name, shape, images, pixels, "output")
        for block in outputs:
            self.product(weight, columns, block)
        return outputs

    def convolution_backward(self, name, shape, images, pixels, inputs=True):
        """The products for the gradients of weights and columns. Returns the gradients of the outputs."""
        weight, columns, grads = self.convolution_arrays(name, shape, images, pixels, "grad")
        for block in grads:
            self.product(block, columns.T, self.array(weight.shape, name, "weight_grad"))
            if inputs:
                self.product(weight.T, block, self.array(columns.shape, name, "columns_grad"))
        return grads

    def convolutions(self, layers):
        """Convolutions with one pass after each, which adds the bias and applies the activation."""
        for layer in layers:
            self.revise(self.convolution(*layer))

    def convolutions_backward(self, layers):
        """Their backward with one pass at each, which applies the slope; the first one's input needs no gradient."""
        for layer in reversed(layers):
            _, _, outputs = self.convolution_arrays(*layer, "output")
            self.revise(self.convolution_backward(*layer, inputs=layer is not layers[0]), outputs)

    def convolution_arrays(self, name, shape, images, pixels, role):
        """Weights as a matrix, columns of some images, and an array (images / some, outputs, some * pixels)."""
        fan_in = math.prod(shape[1:])
        most = max(1, MOST_COLUMNS // pixels)
        some = max(count for count in range(1, most + 1) if images % count == 0)
        return (
            self.array((shape[0], fan_in), name, "weight"),
            self.array((fan_in, some * pixels), name, "columns"),
            self.array((images // some, shape[0], some * pixels), name, role),
        )

    def attention(self, name, heads, length, size):
        """The products of causal attention: a half of the queries meets no keys after its end."""
        query, key, value, output = (self.array((heads, length, size), name, role) for role in range(4))
        for rows, scores in self.halves(name, heads, length):
            self.function(np.matmul, query[:, rows], key[:, : rows.stop].swapaxes(1, 2), scores)
            self.function(np.exp, scores, scores)
            self.function(np.matmul, scores, value[:, : rows.stop], output[:, rows])

    def attention_backward(self, name, heads, length, size):
        query, key, value, grad = (self.array((heads, length, size), name, role) for role in range(4))
        into = self.array((heads, length, size), name, "grad")
        for rows, scores in self.halves(name, heads, length):
            scores_grad = self.array(scores.shape, name, "scores_grad")
            self.function(np.matmul, scores.swapaxes(1, 2), grad[:, rows], into[:, : rows.stop])
            self.function(np.matmul, grad[:, rows], value[:, : rows.stop].swapaxes(1, 2), scores_grad)
            self.revise(scores_grad, scores)
            self.function(np.matmul, scores_grad, key[:, : rows.stop], into[:, rows])
            self.function(np.matmul, scores_grad.swapaxes(1, 2), query[:, rows], into[:, : rows.stop])

    def halves(self, name, heads, length):
        """The rows of a half of the queries, and its scores."""
        for end in (length // 2, length):
            yield slice(end - length // 2, end), self.array((heads, length // 2, end), name, "scores")

    def revise(self, array, other=ZERO):
        """One pass that reads an array and another one, and writes in place; as often as wanted, to no harm."""
        self.function(np.maximum, array, other, out=array)

    def normalise(self, array, other=None):
        """A pass for the statistics and one that applies them; in a backward both read another array too."""
        flat = array.reshape(-1)
        self.function(np.dot, flat, flat if other is None else other.reshape(-1))
        self.revise(array, ZERO if other is None else other)

    def adam(self, *networks):
        """One pass reads parameter, gradient and both moments, and writes all but the gradient."""
        parameters = sum(count_parameters(sizes) for sizes in networks)
        self.moves(7 * parameters, 2 * parameters)

    def step(self):
        for piece in self.pieces:
            piece()


def count_parameters(sizes):
    return sum((inputs + 1) * outputs for inputs, outputs in itertools.pairwise(sizes))
