"""Long chains of small operations: what recording and walking a graph costs for each of them."""

import numpy as np


class Chain:
    """x * w * w * ... with the gradient of w, which gets a share from every product.

    Small whole numbers: a million shares add up without rounding.
    """

    def __init__(self, depth, backward_only=False):
        self.depth = self.repeat = depth
        self.backward_only = backward_only
        self.x, self.w = np.arange(1, 5, dtype=np.float32), np.ones(4, np.float32)

    def torch(self, library):
        x, w = library.tensor(self.x), library.leaf(self.w)
        depth = self.depth

        def forward():
            y = x
            for _ in range(depth):
                y = y * w
            return y.sum()

        def backward(loss):
            w.grad = None
            loss.backward()
            return w.grad[3].item()

        def both():
            return backward(forward())

        return (forward, backward) if self.backward_only else both
