"""Recurrent functions: all layers and directions over a sequence, padded or packed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rushlight.core.numbers.dtypes import bfloat16, float32
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import COPIED
from rushlight.ops.random.dropout import dropped
from rushlight.ops.sequences.recurrent.elman import rnn_layer
from rushlight.ops.sequences.recurrent.gru import gru_layer
from rushlight.ops.sequences.recurrent.lstm import lstm_layer
from rushlight.ops.shape.copying import clone
from rushlight.ops.shape.joining import cat, stack


def samples(gates: int, many: bool = False):
    """Samples of a function over layers; `many` where the state is a pair."""

    def make(make):
        def weights(width, *, biases=True, size=3):
            found = [make.floats(gates * size, width), make.floats(gates * size, size)]
            return found + [make.floats(gates * size), make.floats(gates * size)] * biases

        def states(count, batch, dtype="float32"):
            one = make.floats(count, batch, 3, dtype=dtype)
            return [one, make.floats(count, batch, 3, dtype=dtype)] if many else one

        both = [*weights(2), *weights(2), *weights(6), *weights(6)]
        return [
            case(make.floats(4, 2, 2), states(1, 2), weights(2), True, 1, 0.0, False, False, False),
            case(make.floats(2, 4, 2), states(1, 2), weights(2, biases=False), False, 1, 0.0, False, False, True),
            case(make.floats(4, 2, 2), states(4, 2), both, True, 2, 0.0, True, True, False),
            case(make.floats(6, 2), np.array([3, 2, 1]), states(1, 3), weights(2), True, 1, 0.0, False, False),
            case(make.floats(6, 2), np.array([3, 2, 1]), states(4, 3), both, True, 2, 0.0, False, True),
            case(make.floats(1, 1, 2), states(1, 1), weights(2), True, 1, 0.0, False, False, False),
            case(make.floats(0, 2, 2), states(1, 2), weights(2), True, 1, 0.0, False, False, False),
            case(make.floats(4, 2, 2), states(1, 2), weights(2)[:3], True, 1, 0.0, False, False, False),
        ]

    return cases(make)


KINDS = {"has_biases": bool, "num_layers": int, "train": bool, "bidirectional": bool, "batch_first": bool}


class Request:
    """The arguments of a recurrent function, whichever of its two forms was called."""

    def __init__(self, name: str, given: tuple, options: dict):
        # the second argument of the packed form, the only one that is a vector
        packed = "batch_sizes" in options or (len(given) > 1 and isinstance(given[1], Tensor) and given[1].ndim == 1)
        first = ("data", "batch_sizes") if packed else ("input",)
        last = () if packed else ("batch_first",)
        names = (*first, "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", *last)
        if len(given) + len(options) != len(names) or not set(options) <= set(names[len(given) :]):
            raise TypeError(
                f"{name}() received an invalid combination of arguments: expected (input, hx, params, has_biases, "
                "num_layers, dropout, train, bidirectional, batch_first), or (data, batch_sizes, hx, params, "
                "has_biases, num_layers, dropout, train, bidirectional) for a packed sequence"
            )
        values = dict(zip(names, given, strict=False)) | options
        for each, kinds in KINDS.items():
            if not isinstance(values.get(each, False), kinds):
                raise TypeError(
                    f"{name}() received an invalid combination of arguments: {each} must be {kinds.__name__}, not "
                    f"{type(values[each]).__name__}"
                )
        self.input: Tensor = values[first[0]]
        self.sizes = tuple(values["batch_sizes"].tolist()) if packed else None
        self.hx = values["hx"]
        self.params: Sequence[Tensor] = values["params"]
        self.has_biases, self.num_layers, self.dropout = values["has_biases"], values["num_layers"], values["dropout"]
        self.train, self.directions = values["train"], 1 + bool(values["bidirectional"])
        self.batch_first = values.get("batch_first", False)


def as_copy(name: str, node: str) -> Callable:
    """`clone` under another name, with the node that torch's layers end with."""
    made = op(dtype=SAME, batch=COPIED, linear=True, name=name, node=node, samples=None)(clone.op.body)
    made.gradient(**clone.op.gradients)
    return made


stacked, joined = as_copy("_stacked", "StackBackward0"), as_copy("_joined", "CatBackward0")


def run(name: str, given: tuple, options: dict, layer: Callable, states: int = 1) -> list[Tensor]:
    """The visible states of the last layer, then the last states of all layers."""
    request = Request(name, given, options)
    hx = [request.hx] if states == 1 else list(request.hx)
    if len(hx) != states:
        raise RuntimeError(f"{name} expects two hidden states, not {len(hx)}: pass the pair (hidden, cell)")
    input = request.input.transpose(0, 1) if request.batch_first else request.input
    if not (len(request.sizes) if request.sizes is not None else len(input)):
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    weights = grouped(request, states)
    first = [each.unbind(0) for each in hx]
    last: list[list[Tensor]] = [[] for _ in hx]
    for number in range(request.num_layers):
        outputs = []
        for direction in range(request.directions):
            place = number * request.directions + direction
            tensors = [input, *[each[place] for each in first], *weights[place]]
            found = layer(tensors, request.sizes, direction == 1)
            outputs.append(found[0])
            for kept, state in zip(last, found[1:], strict=False):
                kept.append(state)
        input = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        if number < request.num_layers - 1 and request.train and request.dropout:
            input = dropped(input, request.dropout, True, False)
    if not (states == 2 and in_one_node(request)) and request.directions == 1 and input.requires_grad:
        # a backward needs the states: what is handed out, and may be written over, is a copy as it is in torch
        input = stacked(input) if request.sizes is None else joined(input)
    if request.batch_first:
        # torch's other layers transpose in place, which shows in the name of the node
        input = input.transpose_(0, 1) if states == 1 else input.transpose(0, 1)
    return [input, *[stack(each) for each in last]]


def in_one_node(request: Request) -> bool:
    """Whether torch hands a whole LSTM to a library, and does not take its steps one by one."""
    input = request.input
    projected = request.hx[0].shape[-1] != request.hx[1].shape[-1]
    return request.sizes is None and input.dtype in (float32, bfloat16) and input.numel() > 0 and not projected


def grouped(request: Request, states: int) -> list[Sequence[Tensor]]:
    """The weights of each direction of each layer."""
    count = request.num_layers * request.directions
    each = 4 if request.has_biases else 2
    # the cell of an LSTM is wider than its visible state where that is projected
    each += states == 2 and request.hx[0].shape[-1] != request.hx[1].shape[-1]
    check_count(request, states, each, count)
    return [request.params[start : start + each] for start in range(0, count * each, each)]


def check_count(request: Request, states: int, each: int, count: int) -> None:
    """Refuse weights and states that are not as many as the layers need; an LSTM leaves out what is too much."""
    given, advice = len(request.params), f": {count} layers and directions need {count * each} weights"
    if states == 2:
        if given % each:
            raise RuntimeError(f"MatrixRef: ArrayRef size {given} not divisible by stride {each}{advice}")
        if given < count * each:
            raise RuntimeError(f"ArrayRef: invalid slice, N = {given}; M = {each}; size = {given}{advice}")
        return
    if given % each:
        raise RuntimeError(f"got an incorrect number of RNN parameters{advice}")
    if request.directions == 2 and (given // each % 2 or len(request.hx) % 2):
        raise RuntimeError(f"Odd number of params or hiddens given to a bidirectional RNN{advice}, {count} states")
    if len(request.hx) != count:
        raise RuntimeError(f"Expected more hidden states in stacked_rnn: {count} and not {len(request.hx)}")
    if given != count * each:
        raise RuntimeError(f"Expected more weights in stacked_rnn{advice}")


@composed(method=False, samples=samples(4, True))
def lstm(*input, **options):
    """LSTM layers over a sequence; see `nn.LSTM`.

    `(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`, or
    `(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)` for a packed sequence.

    >>> x, states = torch.ones(7, 2, 3), (torch.zeros(1, 2, 5), torch.zeros(1, 2, 5))
    >>> rest = (True, 1, 0.0, True, False, False)  # biases, layers, dropout, training, both ways, batch first
    >>> output, hidden, memory = torch.lstm(x, states, list(nn.LSTM(3, 5).parameters()), *rest)
    >>> output.shape
    torch.Size([7, 2, 5])
    """
    return tuple(run("lstm", input, options, lstm_layer, states=2))


@composed(method=False, samples=samples(3))
def gru(*input, **options):
    """GRU layers over a sequence, with the arguments of `lstm`; see `nn.GRU`.

    >>> x, weights = torch.ones(7, 2, 3), list(nn.GRU(3, 5).parameters())
    >>> output, hidden = torch.gru(x, torch.zeros(1, 2, 5), weights, True, 1, 0.0, True, False, False)
    >>> torch.equal(output[-1], hidden[0])
    True
    """
    return tuple(run("gru", input, options, gru_layer))


@composed(method=False, samples=samples(1))
def rnn_tanh(*input, **options):
    """Plain recurrent layers with tanh over a sequence, with the arguments of `lstm`; see `nn.RNN`.

    >>> one = [torch.ones(1, 1), torch.ones(1, 1)]  # weights of the input and of the state
    >>> x, start = torch.tensor([[[0.5]], [[0.0]]]), torch.zeros(1, 1, 1)
    >>> torch.rnn_tanh(x, start, one, False, 1, 0.0, True, False, False)[0].flatten()
    tensor([0.4621, 0.4318])
    """
    return tuple(run("rnn_tanh", input, options, rnn_layer))


@composed(method=False, samples=samples(1))
def rnn_relu(*input, **options):
    """Plain recurrent layers with relu over a sequence, with the arguments of `lstm`; see `nn.RNN`.

    >>> one = [torch.ones(1, 1), torch.ones(1, 1)]
    >>> x, start = torch.tensor([[[1.0]], [[2.0]], [[-9.0]]]), torch.zeros(1, 1, 1)
    >>> torch.rnn_relu(x, start, one, False, 1, 0.0, True, False, False)[0].flatten()
    tensor([1., 3., 0.])
    """
    return tuple(run("rnn_relu", input, options, lambda *given: rnn_layer(*given, True)))
