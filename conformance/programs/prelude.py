"""What every program begins with: functions, hooks and modules of a user, in text, for any library named `torch`."""

PRELUDE = """
import collections, copy, gc, io, math, pickle, warnings
import numpy as np
from torch import nn, optim
from torch import distributions as D
import torch.nn.functional as F
import torch.nn.utils.parametrizations
import torch.nn.utils.prune

seen = []
optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)  # much is loaded at the first one: not while a statement is timed


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Cubes(torch.autograd.Function):
    @staticmethod
    def forward(x, scale=1.0):
        return x**3 * scale, x.detach() * 0 + scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.scale = inputs
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, grad, _):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad * ctx.scale, None


class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y, x - y

    @staticmethod
    def backward(ctx, one, two):
        seen.append(("halves", one is None, two is None))
        if one is None or two is None:
            grad = two if one is None else one
            return grad, (None if grad is None else (grad if two is None else -grad))
        return one + two, one - two


class Quiet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        seen.append(("quiet", ctx.needs_input_grad))
        return None, grad


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


def watch(name):
    def hook(grad):
        seen.append((name, grad.shape, float(grad.detach().sum().real)))

    return hook


def scaling(name, factor):
    def hook(grad):
        seen.append(name)
        return grad * factor

    return hook


def counting(name):
    def hook(tensor):
        seen.append((name, float(tensor.grad.sum().real)))

    return hook


def node_hook(name):
    def hook(*grads):
        seen.append((name, [[None if each is None else tuple(each.shape) for each in group] for group in grads]))

    return hook


def module_hook(name):
    def hook(module, *rest):
        shown = [type(each).__name__ for each in rest]
        seen.append((name, type(module).__name__, shown))

    return hook


class Block(nn.Module):
    def __init__(self, size, bias=True):
        super().__init__()
        self.first = nn.Linear(size, size, bias=bias)
        self.second = nn.Linear(size, size)
        self.scale = nn.Parameter(torch.ones(size))
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("hidden", torch.zeros(2), persistent=False)

    def forward(self, x, *, twice=False):
        self.count += 1
        x = x + self.second(torch.tanh(self.first(x))) * self.scale
        return self.second(x) if twice else x


class Heads(nn.Module):
    def __init__(self, size, activation):
        super().__init__()
        self.body = nn.ModuleDict({"one": nn.Linear(size, 4), "two": nn.Linear(4, 4)})
        self.heads = nn.ModuleList([nn.Linear(4, 1) for _ in range(2)])
        self.activation = activation
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(2)])

    def forward(self, x):
        for layer in self.body.values():
            x = self.activation(layer(x))
        return torch.cat([head(x) * scale for head, scale in zip(self.heads, self.scales)], dim=-1)


class Shared(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.encoder = nn.Linear(size, size)
        self.decoder = nn.Linear(size, size)
        self.decoder.weight = self.encoder.weight
        self.last = nn.Linear(size, 2)
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.steps += 1
        x = F.relu(self.encoder(x))
        return self.last(F.dropout(self.decoder(x), 0.1, self.training) + x)


class Reader(nn.Module):
    def __init__(self, words, size, kind):
        super().__init__()
        self.words = nn.Embedding(words, size)
        self.layers = kind(size, 4, num_layers=2, batch_first=True, bidirectional=True)
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        found, _ = self.layers(self.words(x))
        return self.last(found[:, -1])
"""
