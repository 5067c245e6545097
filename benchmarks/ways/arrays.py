"""Programs in NumPy by hand: networks with an explicit backward, in place and without an allocation a step."""

import numpy as np


class Network:
    """Linear layers with an activation between them.

    Parameters and gradients are views of two flat arrays, so that an optimizer makes one pass over all of them.
    """

    def __init__(self, layers, activation="tanh"):
        self.activation = activation
        self.flat = np.concatenate([part.ravel() for layer in layers for part in layer])
        self.flat_grad = np.zeros_like(self.flat)
        self.weights, self.biases = self.split(self.flat, layers)
        self.weight_grads, self.bias_grads = self.split(self.flat_grad, layers)
        self.buffers = {}

    @staticmethod
    def split(flat, layers):
        weights, biases, start = [], [], 0
        for layer in layers:
            for part, parts in zip(layer, (weights, biases), strict=True):
                parts.append(flat[start : start + part.size].reshape(part.shape))
                start += part.size
        return weights, biases

    def buffers_for(self, batch):
        """Room for the outputs of each layer, the gradients at its inputs, and a temporary of each output's size."""
        if batch not in self.buffers:
            make = lambda sizes: [np.empty((batch, size), np.float32) for size in sizes]
            outputs = [len(bias) for bias in self.biases]
            inputs = [weight.shape[1] for weight in self.weights]
            self.buffers[batch] = make(outputs), make(inputs), make(outputs)
        return self.buffers[batch]

    def forward(self, x):
        """The output (N, out), in a buffer that the next forward of this batch size overwrites."""
        outputs, _, _ = self.buffers_for(len(x))
        self.activations = [x]
        last = len(self.weights) - 1
        for index, (weight, bias, out) in enumerate(zip(self.weights, self.biases, outputs, strict=True)):
            np.dot(x, weight.T, out)
            np.add(out, bias, out)
            if index < last:
                np.tanh(out, out) if self.activation == "tanh" else np.maximum(out, 0, out)
                self.activations.append(out)
            x = out
        return x

    def backward(self, grad, weights=True, inputs=False):
        """Fill the parameters' gradients and return that of the input, each if it is wanted."""
        _, input_grads, temporaries = self.buffers_for(len(grad))
        for index in range(len(self.weights) - 1, -1, -1):
            x = self.activations[index]
            if weights:
                np.dot(grad.T, x, self.weight_grads[index])
                np.add.reduce(grad, 0, None, self.bias_grads[index])
            if index == 0 and not inputs:
                return None
            grad = np.dot(grad, self.weights[index], input_grads[index])
            if index > 0:
                slope = temporaries[index - 1]
                if self.activation == "tanh":
                    np.multiply(x, x, slope)
                    np.subtract(1, slope, slope)
                    np.multiply(grad, slope, grad)
                else:
                    np.multiply(grad, x > 0, grad)
        return grad


class Adam:
    """Adam over flat arrays, each a pair of parameters and gradients."""

    def __init__(self, pairs, lr):
        self.lr = lr
        self.count = 0
        self.entries = [
            (*pair, np.zeros_like(pair[0]), np.zeros_like(pair[0]), np.empty_like(pair[0])) for pair in pairs
        ]

    @classmethod
    def of(cls, *networks, lr):
        return cls([(network.flat, network.flat_grad) for network in networks], lr)

    def step(self):
        self.count += 1
        step_size = self.lr / (1 - 0.9**self.count)
        root = (1 - 0.999**self.count) ** -0.5
        for parameters, grads, mean, square, work in self.entries:
            np.multiply(mean, 0.9, mean)
            np.multiply(grads, 0.1, work)
            np.add(mean, work, mean)
            np.multiply(square, 0.999, square)
            np.multiply(grads, grads, work)
            np.multiply(work, 0.001, work)
            np.add(square, work, square)
            np.sqrt(square, work)
            np.multiply(work, root, work)
            np.add(work, 1e-8, work)
            np.divide(mean, work, work)
            np.multiply(work, step_size, work)
            np.subtract(parameters, work, parameters)


def clip_grad_norm(networks, most):
    """Scale the gradients of all networks so that their common norm is at most `most`."""
    norm = sum(float(np.dot(network.flat_grad, network.flat_grad)) for network in networks) ** 0.5
    if norm > most:
        for network in networks:
            np.multiply(network.flat_grad, most / (norm + 1e-6), network.flat_grad)
