"""Recurrent cells: one step of a layer, as a sequence of one."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.saved import ALWAYS, NEVER
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.sequences.recurrent import elman, gru, lstm


def as_step(layer: Any, name: str, node: Any, partners: tuple[int, ...]) -> Any:
    """The op of a layer under another name, with the node that torch's cell has."""
    step = op(dtype=MATCH, name=name, node=node, returns=layer.op.returns, samples=None)(layer.op.body)
    step.gradient(**layer.op.gradients)
    step.op.partners = partners
    return step


# input, states, weights, biases: an input is needed for the gradient of its weight, and a weight for its input's
rnn_step = as_step(
    elman.rnn_layer,
    "_rnn_step",
    lambda relu: "ReluBackward0" if relu else "TanhBackward0",
    (2, 3, 0, 1, NEVER, NEVER),
)
gru_step = as_step(gru.gru_layer, "_gru_step", "AddBackward0", (2, 3, 0, 1, NEVER, NEVER))
lstm_step = as_step(lstm.lstm_layer, "_lstm_step", "MulBackward0", (3, 4, ALWAYS, 0, 1, NEVER, NEVER))


def samples(gates: int, many: bool = False):
    """Samples of a cell; `many` where the state is a pair."""

    def make(make):
        def states(*shape):
            return [make.floats(*shape), make.floats(*shape)] if many else make.floats(*shape)

        weights = [make.floats(gates * 3, 2), make.floats(gates * 3, 3)]
        biases = [make.floats(gates * 3), make.floats(gates * 3)]
        return [
            case(make.floats(4, 2), states(4, 3), *weights, *biases),
            case(make.floats(4, 2), states(4, 3), *weights),
            case(make.floats(1, 2), states(1, 3), *weights, *biases),
            case(make.floats(2, 4).T, states(4, 3), *weights, *biases),
            case(make.floats(0, 2), states(0, 3), *weights, *biases),
            case(make.floats(4, 3), states(4, 3), *weights, *biases),
            case(make.floats(4, 2), states(3, 3), *weights, *biases),
            case(make.floats(4, 2), states(4, 2), *weights, *biases),
            case(make.floats(4, 2, dtype="float64"), states(4, 3), *weights, *biases),
        ]

    return cases(make)


def check_input(input: Tensor, states: list, w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    if input.size(1) != w_ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {w_ih.size(1)}")


def check_states(input: Tensor, states: list, w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    for place, each in enumerate(states):
        if len(input) != len(each):
            raise RuntimeError(
                f"Input batch size {len(input)} doesn't match hidden{place} batch size {len(each)}: one state for "
                "each member of the batch"
            )
        if each.size(1) != w_hh.size(1):
            raise RuntimeError(
                f"hidden{place} has inconsistent hidden_size: got {each.size(1)}, expected {w_hh.size(1)}"
            )


def check_weights(input: Tensor, states: list, w_ih: Tensor, w_hh: Tensor, gates: int) -> None:
    rows = gates * w_hh.size(1)
    for name, weight in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if len(weight) != rows:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {rows}, but got {len(weight)}")


# torch looks at its arguments in another order in each cell
CHECKS = {
    1: (check_weights, check_input, check_states),
    3: (check_input, check_states, check_weights),
    4: (check_input, check_weights, check_states),
}


def last_state(tensors: list[Tensor]) -> Any:
    # not the output of the step, which is saved: torch lets programs write over the state
    return gru_step(tensors)[1:2]


def step_of(gates: int, run: Any, advance: Any, input: Tensor, states: list, weights: list, biases: tuple) -> Any:
    """One step: by the op of the layer, or out of plain ops where that one does not serve."""
    weights += [each for each in biases if each is not None]
    if len(weights) == 3:
        # one bias alone is added to nothing
        weights.append(weights[2].new_zeros(weights[2].shape))
    tensors = [input, *states, *weights]
    if is_common(gates, input, states, weights) and not reads_state(gates, weights, tensors):
        return run(tensors)
    for check in CHECKS[gates]:
        check(input, states, *weights[:2], gates)
    return advance(input, states, *weights)


def is_common(gates: int, input: Tensor, states: list, weights: list) -> bool:
    """Whether all shapes are those of a cell, and states lie by rows, as the result then does."""
    given, recurrent = input._array.shape, weights[1]._array.shape
    if len(given) != 2 or len(recurrent) != 2:
        return False
    rows, size = recurrent
    if rows != gates * size or weights[0]._array.shape != (rows, given[1]):
        return False
    alike = all([each._array.shape == (given[0], size) and each._array.flags.c_contiguous for each in states])
    return alike and all([each._array.shape == (rows,) for each in weights[2:]])


def reads_state(gates: int, weights: list, tensors: list[Tensor]) -> bool:
    """Whether the op would read a state for the gates' gradients that torch does not keep: of a GRU with one frozen."""
    return gates == 3 and not weights[1].requires_grad and any([each.requires_grad for each in tensors])


@composed(method=False, samples=samples(4, True))
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM: the new hidden state and cell; see `nn.LSTMCell`.

    >>> cell = nn.LSTMCell(3, 5)
    >>> hidden, memory = torch.lstm_cell(torch.ones(2, 3), (torch.zeros(2, 5), torch.zeros(2, 5)), *cell.parameters())
    >>> hidden.shape
    torch.Size([2, 5])
    """
    if not isinstance(hx, (tuple, list)):
        raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}")
    if len(hx) != 2:
        raise RuntimeError(f"lstm_cell expects two hidden states, not {len(hx)}: pass the pair (hidden, cell)")
    return tuple(step_of(4, state_and_cell, lstm.advance, input, list(hx), [w_ih, w_hh], (b_ih, b_hh)))


def state_and_cell(tensors: list[Tensor]) -> Any:
    found = lstm_step(tensors)
    return found[1], found[2]


@composed(method=False, samples=samples(3))
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: the new state; see `nn.GRUCell`.

    >>> state = torch.ones(1, 2)
    >>> torch.gru_cell(torch.zeros(1, 3), state, torch.zeros(6, 3), torch.zeros(6, 2))  # gates half open
    tensor([[0.5000, 0.5000]])
    """
    return step_of(3, last_state, gru.advance, input, [hx], [w_ih, w_hh], (b_ih, b_hh))[0]


@composed(method=False, samples=samples(1))
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent layer with tanh: the new state; see `nn.RNNCell`.

    >>> torch.rnn_tanh_cell(torch.tensor([[1.0]]), torch.tensor([[2.0]]), torch.tensor([[0.1]]), torch.tensor([[0.2]]))
    tensor([[0.4621]])
    """
    return step_of(1, rnn_step, elman.advance, input, [hx], [w_ih, w_hh], (b_ih, b_hh))[0]


@composed(method=False, samples=samples(1))
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent layer with relu: the new state; see `nn.RNNCell`.

    >>> torch.rnn_relu_cell(torch.tensor([[1.0]]), torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.tensor([[-1.0]]))
    tensor([[1.]])
    """
    return step_of(1, relu_step, elman.advance_by_relu, input, [hx], [w_ih, w_hh], (b_ih, b_hh))[0]


def relu_step(tensors: list[Tensor]) -> Any:
    return rnn_step(tensors, None, False, True)
