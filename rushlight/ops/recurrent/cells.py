"""Recurrent cells: one step of a layer, as a sequence of one."""

from __future__ import annotations

from rushlight.core.tensor import Tensor
from rushlight.ops.declare import composed
from rushlight.ops.recurrent.elman import rnn_layer
from rushlight.ops.recurrent.gru import gru_layer
from rushlight.ops.recurrent.lstm import lstm_layer
from rushlight.ops.samples import case, cases


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


def tensors_of(input: Tensor, states: list, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None):
    """What a layer takes, after torch's checks of the shapes."""
    for each in (input, *states, w_ih, w_hh):
        if each.ndim != 2:
            kind = IndexError if each.ndim < 2 else RuntimeError
            raise kind(
                f"Dimension out of range: a cell takes inputs, states and weights of 2 dims, not {list(each.shape)}"
            )
    for place, state in enumerate(states):
        if len(input) != len(state):
            raise RuntimeError(
                f"Input batch size {len(input)} doesn't match hidden{place} batch size {len(state)}: one state for "
                "each member of the batch"
            )
    if input.shape[1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {w_ih.shape[1]}")
    for place, state in enumerate(states):
        if state.shape[1] != w_hh.shape[1]:
            raise RuntimeError(
                f"hidden{place} has inconsistent hidden_size: got {state.shape[1]}, expected {w_hh.shape[1]}"
            )
    if (b_ih is None) != (b_hh is None):
        zero = (b_hh if b_ih is None else b_ih).new_zeros(len(w_ih))
        b_ih, b_hh = zero if b_ih is None else b_ih, zero if b_hh is None else b_hh
    return [input, *states, w_ih, w_hh] if b_ih is None else [input, *states, w_ih, w_hh, b_ih, b_hh]


@composed(method=False, samples=samples(4, True))
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM: the new hidden state and cell; see `nn.LSTMCell`."""
    if not isinstance(hx, (tuple, list)):
        raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}")
    if len(hx) != 2:
        raise RuntimeError(f"lstm_cell expects two hidden states, not {len(hx)}: pass the pair (hidden, cell)")
    found = lstm_layer(tensors_of(input, list(hx), w_ih, w_hh, b_ih, b_hh))
    return found[0], found[2]


@composed(method=False, samples=samples(3))
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: the new state; see `nn.GRUCell`."""
    return gru_layer(tensors_of(input, [hx], w_ih, w_hh, b_ih, b_hh))[0]


@composed(method=False, samples=samples(1))
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent layer with tanh: the new state; see `nn.RNNCell`."""
    return rnn_layer(tensors_of(input, [hx], w_ih, w_hh, b_ih, b_hh))[0]


@composed(method=False, samples=samples(1))
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain recurrent layer with relu: the new state; see `nn.RNNCell`."""
    return rnn_layer(tensors_of(input, [hx], w_ih, w_hh, b_ih, b_hh), None, False, True)[0]
