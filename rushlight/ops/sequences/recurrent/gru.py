"""GRU: one direction of one layer, over all steps of a sequence, as one op."""

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
from rushlight.ops.sequences.recurrent.sequence import Sequence_, Sizes, rows_of, run_steps, sigmoid


@op(
    dtype=MATCH,
    name="_gru_layer",
    node="StackBackward0",
    returns=("output", "hidden", "gates"),
    samples=None,
)
def gru_layer(tensors: "list[Tensor]", sizes=None, backwards=False):
    """States of all steps, the last one, and what a gradient needs: gates, and what the last gate was of the state."""
    input, hidden, weight, recurrent, *biases = tensors
    sequence = Sequence_(input.shape, sizes, backwards)
    size = hidden.shape[-1]
    gates = np.empty((sequence.rows, 4 * size), input.dtype)
    np.matmul(rows_of(input), weight.T, out=gates[:, : 3 * size])
    if biases:
        gates[:, : 3 * size] += biases[0]
    output = np.empty((sequence.rows, size), input.dtype)
    hidden = hidden.copy()
    for step in sequence.steps:
        count = step.stop - step.start
        now = gates[step]
        own = hidden[:count].dot(recurrent.T)
        if biases:
            own += biases[1]
        now[:, : 2 * size] += own[:, : 2 * size]
        now[:, 3 * size :] = own[:, 2 * size :]
        sigmoid(now[:, : 2 * size])
        reset, keep, new, inner = np.split(now, 4, 1)
        new += reset * inner
        np.tanh(new, new)
        output[step] = hidden[:count] = new + keep * (hidden[:count] - new)
    return output.reshape(*input.shape[:-1], output.shape[-1]), hidden, gates


# input, state, weights, biases: torch's steps serve what belongs to the state first
gru_layer.op.partners = (2, ALWAYS, 0, ALWAYS, NEVER, NEVER)
gru_layer.op.delivery = lambda node: [5, 3, 4, 2, 0, 1] if len(node.edges) == 6 else [3, 0, 2, 1]

gru_layer.gradient(
    tensors=lambda grads, tensors, sizes, backwards, output, gates: gradients(
        grads, tensors, sizes, backwards, output, gates
    )
)


def gradients(
    grads: list, tensors: list[Tensor], sizes: Sizes, backwards: bool, output: Tensor, gates: Tensor
) -> list[Tensor | None]:
    if not state.backward:
        return replayed(lambda *given: plain(given, sizes, backwards), tensors, grads[:2])
    wanted = [each.requires_grad for each in tensors]
    input, hidden, weight, recurrent, *biases = arrays_of(tensors)
    sequence = Sequence_(input.shape, sizes, backwards)
    size = hidden.shape[-1]
    activated = array_of(gates)
    earlier = sequence.before(hidden, rows_of(array_of(output)))
    # of the sums from the input, and of those from the state
    deltas, own = np.empty((2, sequence.rows, 3 * size), input.dtype)
    given, hidden_grad = arrays_of(grads[:2])
    hidden_grad = np.zeros_like(hidden) if hidden_grad is None else hidden_grad.copy()
    for step in reversed(sequence.steps):
        count = step.stop - step.start
        grad = hidden_grad[:count]
        if given is not None:
            grad += rows_of(given)[step]
        reset, keep, new, inner = np.split(activated[step], 4, 1)
        delta = deltas[step]
        change = grad * (1 - keep) * (1 - new * new)
        delta[:, :size] = change * inner * reset * (1 - reset)
        delta[:, size : 2 * size] = grad * (earlier[step] - new) * keep * (1 - keep)
        delta[:, 2 * size :] = change
        own[step] = delta
        own[step, 2 * size :] *= reset
        hidden_grad[:count] = grad * keep + own[step].dot(recurrent)
    found = [
        deltas.dot(weight).reshape(input.shape) if wanted[0] else None,
        hidden_grad,
        deltas.T.dot(rows_of(input)),
        own.T.dot(earlier),
    ]
    if biases:
        found += [np.add.reduce(deltas, 0), np.add.reduce(own, 0)]
    return [wrap(each) if wanted[k] else None for k, each in enumerate(found)]


def plain(tensors: Sequence[Tensor], sizes: Sizes, backwards: bool) -> tuple[Tensor, ...]:
    """The same out of plain ops."""
    return run_steps(tensors, 1, sizes, backwards, lambda input, states: advance(input, states, *tensors[2:]))


def advance(input: Tensor, states: list, weight: Tensor, recurrent: Tensor, *biases: Tensor) -> list[Tensor]:
    """One step out of plain ops: the new state."""
    bias, other_bias = biases or (None, None)
    hidden = states[0]
    reset, keep, new = linear(input, weight, bias).chunk(3, 1)
    own_reset, own_keep, own_new = linear(hidden, recurrent, other_bias).chunk(3, 1)
    new = (new + (reset + own_reset).sigmoid() * own_new).tanh()
    return [(hidden - new) * (keep + own_keep).sigmoid() + new]
