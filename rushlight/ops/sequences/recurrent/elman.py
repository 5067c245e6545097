"""The plain recurrent layer (Elman): one direction of one layer, over all steps of a sequence, as one op."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight.autograd.modes import state
from rushlight.autograd.saved import ALWAYS, NEVER
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.replay import array_of, arrays_of, replayed
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.products.linear import linear
from rushlight.ops.sequences.recurrent.sequence import Sequence_, Sizes, rows_of, run_steps


@op(
    dtype=MATCH,
    name="_rnn_layer",
    node="StackBackward0",
    returns=("output", "hidden"),
    samples=None,
)
def rnn_layer(tensors: "list[Tensor]", sizes=None, backwards=False, relu=False):
    """States of all steps, and the last one."""
    input, hidden, weight, recurrent, *biases = tensors
    sequence = Sequence_(input.shape, sizes, backwards)
    output = rows_of(input).dot(weight.T)
    if biases:
        output += biases[0] + biases[1]
    hidden = hidden.copy()
    for step in sequence.steps:
        count = step.stop - step.start
        now = output[step]
        now += hidden[:count].dot(recurrent.T)
        hidden[:count] = np.maximum(now, 0, out=now) if relu else np.tanh(now, now)
    return output.reshape(*input.shape[:-1], output.shape[-1]), hidden


# input, state, weights, biases: torch's steps serve what belongs to the state first
rnn_layer.op.partners = (2, 3, 0, ALWAYS, NEVER, NEVER)
rnn_layer.op.delivery = lambda node: [5, 3, 4, 2, 0, 1] if len(node.edges) == 6 else [3, 0, 2, 1]

rnn_layer.gradient(
    tensors=lambda grads, tensors, sizes, backwards, relu, output: gradients(
        grads, tensors, sizes, backwards, relu, output
    )
)


def gradients(
    grads: list, tensors: list[Tensor], sizes: Sizes, backwards: bool, relu: bool, output: Tensor
) -> list[Tensor | None]:
    if not state.backward:
        return replayed(lambda *given: plain(given, sizes, backwards, relu), tensors, grads)
    wanted = [each.requires_grad for each in tensors]
    input, hidden, weight, recurrent, *biases = arrays_of(tensors)
    sequence = Sequence_(input.shape, sizes, backwards)
    states = rows_of(array_of(output))
    deltas = np.empty_like(states)
    given, hidden_grad = arrays_of(grads)
    hidden_grad = np.zeros_like(hidden) if hidden_grad is None else hidden_grad.copy()
    for step in reversed(sequence.steps):
        count = step.stop - step.start
        grad = hidden_grad[:count]
        if given is not None:
            grad += rows_of(given)[step]
        now = states[step]
        delta = np.multiply(grad, now > 0 if relu else 1 - now * now, deltas[step])
        hidden_grad[:count] = delta.dot(recurrent)
    found = [
        deltas.dot(weight).reshape(input.shape) if wanted[0] else None,
        hidden_grad,
        deltas.T.dot(rows_of(input)),
        deltas.T.dot(sequence.before(hidden, states)),
    ]
    if biases:
        found += [np.add.reduce(deltas, 0), np.add.reduce(deltas, 0)]
    return [wrap(each) if wanted[k] else None for k, each in enumerate(found)]


def plain(tensors: Sequence[Tensor], sizes: Sizes, backwards: bool, relu: bool) -> tuple[Tensor, ...]:
    """The same out of plain ops."""
    step = advance_by_relu if relu else advance
    return run_steps(tensors, 1, sizes, backwards, lambda input, states: step(input, states, *tensors[2:]))


def summed(input: Tensor, states: list, weight: Tensor, recurrent: Tensor, *biases: Tensor) -> Tensor:
    bias, other_bias = biases or (None, None)
    return linear(input, weight, bias) + linear(states[0], recurrent, other_bias)


def advance(input: Tensor, states: list, *weights: Tensor) -> list[Tensor]:
    """One step out of plain ops: the new state."""
    return [summed(input, states, *weights).tanh()]


def advance_by_relu(input: Tensor, states: list, *weights: Tensor) -> list[Tensor]:
    """The same with relu in place of tanh."""
    return [summed(input, states, *weights).relu()]
