"""LSTM: one direction of one layer, over all steps of a sequence, as one op."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.replay import array_of, arrays_of, replayed
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.products.linear import linear
from rushlight.ops.sequences.recurrent.sequence import Sequence_, Sizes, rows_of, run_steps, sigmoid


def parts_of(tensors: Sequence) -> tuple:
    """The input, the two states, the two weights; then the two biases and the projection, or None."""
    count = len(tensors)
    biases = tensors[5:7] if count >= 7 else (None, None)
    return (*tensors[:5], *biases, tensors[-1] if count in (6, 8) else None)


@op(
    dtype=MATCH,
    name="_lstm_layer",
    node="MkldnnRnnLayerBackward0",
    returns=("output", "hidden", "cell", "gates", "cells"),
    samples=None,
)
def lstm_layer(tensors: "list[Tensor]", sizes=None, backwards=False):
    """Visible states of all steps, the last states, and what a gradient needs: gates and tanh(cell), then cells."""
    input, hidden, cell, weight, recurrent, bias, other_bias, projection = parts_of(tensors)
    sequence = Sequence_(input.shape, sizes, backwards)
    size = cell.shape[-1]
    gates = np.empty((sequence.rows, 5 * size), input.dtype)
    np.matmul(rows_of(input), weight.T, out=gates[:, : 4 * size])
    if bias is not None:
        gates[:, : 4 * size] += bias + other_bias
    output = np.empty((sequence.rows, hidden.shape[-1]), input.dtype)
    cells = np.empty((sequence.rows, size), input.dtype)
    hidden, cell = hidden.copy(), cell.copy()
    for step in sequence.steps:
        count = step.stop - step.start
        now = gates[step]
        now[:, : 4 * size] += hidden[:count].dot(recurrent.T)
        entry, forget, update, exit, squashed = np.split(now, 5, 1)
        sigmoid(now[:, : 2 * size])
        np.tanh(update, update)
        sigmoid(exit)
        cells[step] = cell[:count] = forget * cell[:count] + entry * update
        np.tanh(cells[step], squashed)
        visible = exit * squashed
        output[step] = hidden[:count] = visible if projection is None else visible.dot(projection.T)
    return output.reshape(*input.shape[:-1], output.shape[-1]), hidden, cell, gates, cells


lstm_layer.gradient(
    tensors=lambda grads, tensors, sizes, backwards, output, gates, cells: gradients(
        grads, tensors, sizes, backwards, output, gates, cells
    )
)


def gradients(
    grads: list, tensors: list[Tensor], sizes: Sizes, backwards: bool, output: Tensor, gates: Tensor, cells: Tensor
) -> list[Tensor | None]:
    if not state.backward:
        return replayed(lambda *given: plain(given, sizes, backwards), tensors, grads[:3])
    wanted = [each.requires_grad for each in tensors]
    input, hidden, cell, weight, recurrent, bias, _, projection = parts_of(arrays_of(tensors))
    sequence = Sequence_(input.shape, sizes, backwards)
    size = cell.shape[-1]
    activated, memory, visible = array_of(gates), array_of(cells), rows_of(array_of(output))
    deltas = np.empty((sequence.rows, 4 * size), input.dtype)
    given, hidden_grad, cell_grad = arrays_of(grads[:3])
    hidden_grad = np.zeros_like(hidden) if hidden_grad is None else hidden_grad.copy()
    cell_grad = np.zeros_like(cell) if cell_grad is None else cell_grad.copy()
    earlier = sequence.before(cell, memory)
    projected = None if projection is None else np.empty_like(visible)
    for step in reversed(sequence.steps):
        count = step.stop - step.start
        grad = hidden_grad[:count]
        if given is not None:
            grad += rows_of(given)[step]
        if projected is not None:
            projected[step] = grad
            grad = grad.dot(projection)
        entry, forget, update, exit, squashed = np.split(activated[step], 5, 1)
        through = cell_grad[:count] + grad * exit * (1 - squashed * squashed)
        delta = deltas[step]
        delta[:, :size] = through * update * entry * (1 - entry)
        delta[:, size : 2 * size] = through * earlier[step] * forget * (1 - forget)
        delta[:, 2 * size : 3 * size] = through * entry * (1 - update * update)
        delta[:, 3 * size :] = grad * squashed * exit * (1 - exit)
        cell_grad[:count] = through * forget
        hidden_grad[:count] = delta.dot(recurrent)
    found = [
        deltas.dot(weight).reshape(input.shape) if wanted[0] else None,
        hidden_grad,
        cell_grad,
        deltas.T.dot(rows_of(input)),
        deltas.T.dot(sequence.before(hidden, visible)),
    ]
    if bias is not None:
        found += [np.add.reduce(deltas, 0)] * 2
    if projected is not None:
        found.append(projected.T.dot(activated[:, 3 * size : 4 * size] * activated[:, 4 * size :]))
    # each its own memory: a gradient may be added to in place
    return [wrap(each.copy() if k == 6 else each) if wanted[k] else None for k, each in enumerate(found)]


def plain(tensors: Sequence[Tensor], sizes: Sizes, backwards: bool) -> tuple[Tensor, ...]:
    """The same out of plain ops."""
    weights = parts_of(tensors)[3:]
    return run_steps(tensors, 2, sizes, backwards, lambda input, states: advance(input, states, *weights))


def advance(
    input: Tensor,
    states: list,
    weight: Tensor,
    recurrent: Tensor,
    bias: Tensor | None = None,
    other_bias: Tensor | None = None,
    projection: Tensor | None = None,
) -> list[Tensor]:
    """One step out of plain ops: the new state and cell."""
    hidden, cell = states
    sums = linear(input, weight, bias) + linear(hidden, recurrent, other_bias)
    entry, forget, update, exit = sums.chunk(4, 1)
    cell = forget.sigmoid() * cell + entry.sigmoid() * update.tanh()
    visible = exit.sigmoid() * cell.tanh()
    return [visible if projection is None else linear(visible, projection), cell]
