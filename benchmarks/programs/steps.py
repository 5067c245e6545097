"""What an optimizer does besides Adam's step: a step of RMSprop, and gradients clipped by the function."""

from benchmarks.data import Source

LR = 1e-3


class Small:
    """Gradients of 50 tensors of 64 elements."""

    repeat = 1

    def __init__(self):
        source = Source()
        self.values = [source.normal(64) for _ in range(50)]
        self.grads = [source.normal(64) for _ in range(50)]

    def parameters(self, library):
        made = [library.leaf(value) for value in self.values]
        for parameter, grad in zip(made, self.grads, strict=True):
            parameter.grad = library.tensor(grad)
        return made


class RMSprop(Small):
    """One step on all of them."""

    def torch(self, library):
        parameters = self.parameters(library)
        optimizer = library.optimizer("RMSprop", parameters, lr=LR)
        first = parameters[0].detach()[0]

        def step():
            optimizer.step()
            return first.item()

        return step


class Clip(Small):
    """One call of `clip_grad_norm_` with a norm that they do not reach: each call finds the same."""

    def torch(self, library):
        parameters = self.parameters(library)
        clip = library.module.nn.utils.clip_grad_norm_
        return lambda: clip(parameters, 1e6).item()
