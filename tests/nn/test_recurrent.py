"""Recurrent layers: what they compute, step by step, and sequences of different lengths."""

import copy
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck
from rushlight.nn.utils.rnn import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)

nn = torch.nn
LAYERS = [nn.RNN, nn.GRU, nn.LSTM]


def close(one, two):
    np.testing.assert_allclose(one.detach().numpy(), two.detach().numpy(), rtol=1e-5, atol=1e-6)


def visible(states):
    return states[0] if isinstance(states, tuple) else states


def cell_of(layer):
    """The cell with a layer's weights."""
    kind = {nn.RNN: nn.RNNCell, nn.GRU: nn.GRUCell, nn.LSTM: nn.LSTMCell}[type(layer)]
    cell = kind(layer.input_size, layer.hidden_size)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    return cell


@pytest.mark.parametrize("kind", LAYERS)
def test_a_layer_is_its_cell_at_every_step(kind):
    torch.manual_seed(0)
    layer, input = kind(3, 4), torch.randn(5, 2, 3)
    output, last = layer(input)
    cell, state = cell_of(layer), None
    for step in range(5):
        state = cell(input[step], state)
        close(output[step], visible(state))
    close(visible(last)[0], visible(state))
    if kind is nn.LSTM:
        close(last[1][0], state[1])


def test_an_lstm_cell_is_its_formula():
    torch.manual_seed(1)
    cell = nn.LSTMCell(3, 2)
    input, hidden, memory = torch.randn(4, 3), torch.randn(4, 2), torch.randn(4, 2)
    sums = input @ cell.weight_ih.T + cell.bias_ih + hidden @ cell.weight_hh.T + cell.bias_hh
    entry, forget, update, exit = sums.chunk(4, 1)
    expected = forget.sigmoid() * memory + entry.sigmoid() * update.tanh()
    found = cell(input, (hidden, memory))
    close(found[1], expected)
    close(found[0], exit.sigmoid() * expected.tanh())


FUNCTIONS = {nn.RNN: torch.rnn_tanh, nn.GRU: torch.gru, nn.LSTM: torch.lstm}


@pytest.mark.parametrize(
    ("kind", "options"),
    [(nn.RNN, {}), (nn.GRU, {"bidirectional": True}), (nn.LSTM, {"bidirectional": True}), (nn.LSTM, {"proj_size": 1})],
)
def test_gradients_of_first_and_second_order(kind, options):
    torch.manual_seed(2)
    layer = kind(2, 2, **options).double()
    input = torch.randn(3, 2, 2, dtype=torch.float64, requires_grad=True)
    first = torch.randn(layer.directions, 2, layer.visible_size, dtype=torch.float64, requires_grad=True)
    memory = torch.randn(layer.directions, 2, 2, dtype=torch.float64, requires_grad=True)

    def run(input, first, memory, *weights):
        states = (first, memory) if kind is nn.LSTM else first + memory
        return FUNCTIONS[kind](input, states, weights, True, 1, 0.0, True, layer.bidirectional, False)

    inputs = (input, first, memory, *layer.parameters())
    assert gradcheck(run, inputs)
    assert gradgradcheck(run, inputs, fast_mode=True)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_are_run_one_by_one(kind, bidirectional):
    torch.manual_seed(4)
    layer = kind(3, 4, 2, bidirectional=bidirectional)
    sequences = [torch.randn(length, 3, requires_grad=True) for length in (2, 5, 3)]
    output, last = layer(pack_sequence(sequences, enforce_sorted=False))
    for place, (each, found) in enumerate(zip(sequences, unpack_sequence(output), strict=True)):
        alone, own = layer(each)
        close(found, alone)
        close(visible(last)[:, place], visible(own))
    (output.data * output.data).sum().backward()
    together = [each.grad for each in sequences]
    for each, grad in zip(sequences, together, strict=True):
        each.grad = None
        (layer(each)[0] ** 2).sum().backward()
        close(each.grad, grad)


def test_first_states_of_packed_sequences_are_in_the_order_of_the_batch():
    torch.manual_seed(5)
    layer, sequences = nn.GRU(3, 4), [torch.randn(length, 3) for length in (1, 3, 2)]
    first = torch.randn(1, 3, 4)
    _, last = layer(pack_sequence(sequences, enforce_sorted=False), first)
    for place, each in enumerate(sequences):
        close(last[:, place], layer(each, first[:, place])[1])


def test_batch_first_and_unbatched_inputs():
    torch.manual_seed(6)
    layer, input = nn.LSTM(3, 4), torch.randn(5, 2, 3)
    other = nn.LSTM(3, 4, batch_first=True)
    other.load_state_dict(layer.state_dict())
    output, (hidden, cell) = layer(input)
    close(other(input.transpose(0, 1))[0], output.transpose(0, 1))
    alone, (own, _) = layer(input[:, 1])
    close(alone, output[:, 1])
    close(own, hidden[:, 1])
    assert own.shape == (1, 4) and cell.shape == (1, 2, 4)


def test_dropout_is_between_layers_and_only_in_training():
    layer, input = nn.GRU(3, 4, 3, dropout=0.5), torch.randn(5, 2, 3)
    assert not torch.equal(layer(input)[0], layer(input)[0])
    layer.eval()
    assert torch.equal(layer(input)[0], layer(input)[0])
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        nn.GRU(3, 4, dropout=0.5)


def test_weights_have_torchs_names_and_order():
    layer = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    assert list(layer.state_dict())[:6] == [
        "weight_ih_l0",
        "weight_hh_l0",
        "bias_ih_l0",
        "bias_hh_l0",
        "weight_hr_l0",
        "weight_ih_l0_reverse",
    ]
    assert layer.weight_ih_l1.shape == (16, 4)
    assert [len(each) for each in layer.all_weights] == [5] * 4
    assert layer.all_weights[0][0] is layer.weight_ih_l0
    layer.flatten_parameters()
    assert repr(layer) == "LSTM(3, 4, proj_size=2, num_layers=2, bidirectional=True)"


def test_copies_and_pickles_compute_the_same():
    layer, input = nn.LSTM(3, 4, 2), torch.randn(5, 2, 3)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(input)[0], layer(input)[0])
    packed = pack_padded_sequence(input, [5, 3])
    other = pickle.loads(pickle.dumps(packed))
    assert torch.equal(other.data, packed.data) and type(other) is PackedSequence


def test_a_weight_that_is_computed_is_used_and_learned():
    layer, input = nn.RNN(3, 4), torch.randn(5, 2, 3)
    raw = nn.Parameter(layer.weight_hh_l0.detach().clone())
    del layer.weight_hh_l0
    layer.weight_hh_l0 = raw * 0.5
    layer(input)[0].sum().backward()
    assert raw.grad is not None and raw.grad.abs().sum() > 0


def test_half_precision():
    layer = nn.LSTM(3, 4).half()
    input = torch.randn(5, 2, 3, dtype=torch.float16, requires_grad=True)
    output, _ = layer(input)
    assert output.dtype is torch.float16
    output.sum().backward()
    assert input.grad.dtype is torch.float16


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 3).double()), ValueError, "RNN input dtype"),
        (lambda: nn.LSTM(3, 4)(torch.ones(3)), ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
        (lambda: nn.RNN(3, 4)(torch.ones(3)), ValueError, "RNN: Expected input to be 2D or 3D, got 1D tensor instead"),
        (lambda: nn.GRU(3, 4)(torch.ones(5, 2, 2)), RuntimeError, r"input.size\(-1\) must be equal to input_size"),
        (lambda: nn.GRU(3, 4)(torch.ones(0, 2, 3)), RuntimeError, "Expected sequence length to be larger than 0"),
        (lambda: nn.GRU(3, 4)(torch.ones(5, 2, 3), torch.ones(2, 4)), RuntimeError, "For batched 3-D input, hx should"),
        (lambda: nn.GRU(3, 4)(torch.ones(5, 2, 3), torch.ones(1, 3, 4)), RuntimeError, "Expected hidden size"),
        (lambda: nn.LSTM(3, 4)(torch.ones(5, 3), [torch.ones(1, 1, 4)] * 2), RuntimeError, "For unbatched 2-D input"),
        (lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 3), [torch.ones(1, 3, 4)] * 2), RuntimeError, r"Expected hidden\[0\]"),
        (lambda: nn.GRU(3, 4, proj_size=2), ValueError, "proj_size argument is only supported for LSTM"),
        (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller"),
        (lambda: nn.RNN(3, 4, nonlinearity="sin"), ValueError, "Unknown nonlinearity 'sin'"),
        (lambda: nn.LSTM(3.0, 4), TypeError, "input_size should be of type int"),
        (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
        (lambda: nn.RNNBase("CNN", 3, 4), ValueError, "Unrecognized RNN mode"),
        (lambda: nn.LSTMCell(3, 4)(torch.ones(1, 2, 3)), ValueError, "LSTMCell: Expected input to be 1D or 2D"),
        (lambda: nn.GRUCell(3, 4)(torch.ones(2, 3), torch.ones(1, 2, 4)), ValueError, "GRUCell: Expected hidden"),
        (lambda: nn.GRUCell(3, 4)(torch.ones(2, 2)), RuntimeError, "input has inconsistent input_size"),
        (
            lambda: nn.GRUCell(3, 4)(torch.ones(2, 3), torch.ones(3, 4)),
            RuntimeError,
            "Input batch size 2 doesn't match",
        ),
        (lambda: nn.RNNCell(3, 4)(torch.ones(2, 3), torch.ones(2, 5)), RuntimeError, "hidden0 has inconsistent"),
        (lambda: nn.LSTMCell(3, 4)(torch.ones(2, 3), torch.ones(2, 4)), TypeError, "must be tuple of Tensors"),
        (lambda: torch.lstm(torch.ones(1, 1, 1)), TypeError, "received an invalid combination of arguments"),
    ],
)
def test_errors_are_torchs(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_packing_puts_the_steps_one_after_another():
    packed = pack_padded_sequence(torch.tensor([[1, 4], [2, 5], [3, 0]]), [3, 2])
    assert packed.data.tolist() == [1, 4, 2, 5, 3]
    assert packed.batch_sizes.tolist() == [2, 2, 1]
    padded, lengths = pad_packed_sequence(packed, padding_value=-1, total_length=4)
    assert padded.tolist() == [[1, 4], [2, 5], [3, -1], [-1, -1]]
    assert lengths.tolist() == [3, 2]


def test_sorting_is_undone():
    sequences = [torch.ones(1), 2 * torch.ones(3), 3 * torch.ones(2)]
    packed = pack_sequence(sequences, enforce_sorted=False)
    assert packed.sorted_indices.tolist() == [1, 2, 0]
    assert packed.unsorted_indices.tolist() == [2, 0, 1]
    assert [each.tolist() for each in unpack_sequence(packed)] == [each.tolist() for each in sequences]
    assert pad_packed_sequence(packed, batch_first=True)[1].tolist() == [1, 3, 2]
    assert invert_permutation(None) is None


def test_padding_on_either_side():
    sequences = [torch.ones(1, requires_grad=True), torch.ones(3)]
    assert pad_sequence(sequences, True).tolist() == [[1, 0, 0], [1, 1, 1]]
    padded = pad_sequence(sequences, True, 5.0, "left")
    assert padded.tolist() == [[5, 5, 1], [1, 1, 1]]
    padded[0].sum().backward()
    assert sequences[0].grad.tolist() == [1]
    assert [each.tolist() for each in unpad_sequence(torch.ones(3, 2), torch.tensor([1, 3]))] == [[1], [1, 1, 1]]


def test_packed_sequences_convert():
    packed = pack_sequence([torch.ones(2, 3), torch.ones(1, 3)])
    assert packed.double().data.dtype is torch.float64
    assert packed.to("cpu") is packed and not packed.is_cuda
    assert PackedSequence((packed.data, packed.batch_sizes)).batch_sizes is packed.batch_sizes


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: pack_padded_sequence(torch.ones(3, 2), [1, 3]), RuntimeError, "`lengths` array must be sorted"),
        (lambda: pack_padded_sequence(torch.ones(3, 2), [3]), RuntimeError, "to be equal to batch_size, but got 1"),
        (
            lambda: pack_padded_sequence(torch.ones(3, 2), [3, 0]),
            RuntimeError,
            "Length of all samples has to be greater",
        ),
        (lambda: pack_padded_sequence(torch.ones(3, 2), [4, 1]), RuntimeError, "Expected lengths up to 3"),
        (lambda: pack_padded_sequence(torch.ones(3, 0), []), RuntimeError, "Cannot pack empty tensors"),
        (lambda: pack_padded_sequence(torch.ones(3, 2), [[3, 1]]), RuntimeError, "should be a 1D CPU int64 tensor"),
        (lambda: pad_sequence(3), RuntimeError, "Expected iterable for input sequences"),
        (lambda: pad_sequence([]), RuntimeError, "received an empty list of sequences"),
        (lambda: pad_sequence([1]), TypeError, "expected Tensor as element 0"),
        (lambda: pad_sequence([torch.ones(2)], padding_side="up"), RuntimeError, "Expected padding_side to be one of"),
        (lambda: pad_sequence([torch.ones(())]), RuntimeError, "invalid slice"),
        (lambda: pad_sequence([torch.ones(2, 3), torch.ones(2, 2)]), RuntimeError, "The size of tensor a"),
        (
            lambda: pad_packed_sequence(pack_sequence([torch.ones(3)]), total_length=2),
            ValueError,
            "Expected total_length",
        ),
        (lambda: PackedSequence(torch.ones(3)), AssertionError, "Expected data to be a list or tuple"),
    ],
)
def test_errors_of_packing_are_torchs(call, error, words):
    with pytest.raises(error, match=words):
        call()


CELLS = [(nn.RNNCell, 1), (nn.GRUCell, 3), (nn.LSTMCell, 4)]


def as_state(kind, state):
    return (state, state.clone()) if kind is nn.LSTMCell else state


@pytest.mark.parametrize("kind, gates", CELLS)
def test_a_cell_with_a_frozen_weight_keeps_no_state(kind, gates):
    cell = kind(2, 3)
    cell.weight_hh.requires_grad_(False)
    state = torch.ones(1, 3)
    found = visible(cell(torch.ones(1, 2), as_state(kind, state)))
    state.add_(1)
    found.sum().backward()
    assert cell.weight_ih.grad is not None and cell.weight_hh.grad is None


@pytest.mark.parametrize("kind, gates", CELLS)
def test_a_frozen_cell_keeps_no_input(kind, gates):
    cell = kind(2, 3).requires_grad_(False)
    input, state = torch.ones(1, 2), torch.ones(1, 3, requires_grad=True)
    found = visible(cell(input, as_state(kind, state)))
    input.add_(1)
    found.sum().backward()
    assert state.grad is not None


@pytest.mark.parametrize("kind, gates", CELLS)
def test_cells_name_the_weight_whose_rows_are_no_gates(kind, gates):
    for name in ("weight_ih", "weight_hh"):
        cell = kind(2, 3)
        setattr(cell, name, nn.Parameter(torch.ones(14, getattr(cell, name).shape[1])))
        with pytest.raises(RuntimeError, match=rf"{name} first dim must be {gates} \* hidden_size = {3 * gates}"):
            cell(torch.ones(2, 2))
    cell = kind(2, 3)
    cell.bias_ih = nn.Parameter(torch.ones(7))
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(\d+\) must match the existing size"):
        cell(torch.ones(2, 2))


@pytest.mark.parametrize("kind, gates", CELLS)
def test_cells_refuse_a_state_of_another_number_of_dims(kind, gates):
    with pytest.raises(RuntimeError, match="Input batch size 2 doesn't match hidden0 batch size 3"):
        kind(2, 3)(torch.ones(2, 2), as_state(kind, torch.ones(3)))
    with pytest.raises(RuntimeError, match="hidden0 has inconsistent hidden_size: got 1, expected 3"):
        kind(2, 3)(torch.ones(2), as_state(kind, torch.ones(1, 3)))


@pytest.mark.parametrize("kind, name", [(nn.RNNCell, "Tanh"), (nn.GRUCell, "Add"), (nn.LSTMCell, "Mul")])
def test_the_node_of_a_cell_is_that_of_its_last_operation(kind, name):
    assert type(visible(kind(2, 3)(torch.ones(1, 2))).grad_fn).__name__ == f"{name}Backward0"


def test_unpadded_sequences_have_memory_of_their_own():
    found = unpad_sequence(torch.arange(12.0).view(3, 2, 2), torch.tensor([3, 1]))
    assert [each.stride() for each in found] == [(2, 1), (2, 1)]
    with pytest.raises(ValueError, match="argument 2 is longer"):
        unpad_sequence(torch.ones(3, 2, 2), torch.tensor([3, 1, 1]))


def test_packed_rows_that_do_not_fit_their_batch_sizes_are_refused():
    for sizes in ([2, 2], [1, 2]):
        with pytest.raises(RuntimeError, match="is invalid for input of size"):
            pad_packed_sequence(PackedSequence(torch.ones(3, 2), torch.tensor(sizes)))


def test_packing_wants_two_dimensions():
    with pytest.raises(IndexError, match="Dimension out of range"):
        pack_padded_sequence(torch.ones(3), [3])


@pytest.mark.parametrize("kind", [nn.GRUCell, nn.LSTMCell])
def test_the_state_of_a_gated_cell_may_be_written_over(kind):
    cell = kind(2, 3)
    found = visible(cell(torch.ones(1, 2)))
    found.mul_(2).sum().backward()
    assert cell.weight_ih.grad is not None


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU])
@pytest.mark.parametrize("batch_first", [False, True])
def test_the_output_of_a_layer_may_be_written_over(kind, batch_first):
    layer = kind(2, 3, batch_first=batch_first)
    output, _ = layer(torch.ones(2, 4, 2))
    if not batch_first:
        assert type(output.grad_fn).__name__ == "StackBackward0"
    plain = layer(torch.ones(2, 4, 2))[0]
    output.mul_(2).sum().backward()
    doubled = layer.weight_hh_l0.grad.clone()
    layer.zero_grad()
    (plain * 2).sum().backward()
    close(doubled, layer.weight_hh_l0.grad)


@pytest.mark.parametrize("kind", LAYERS)
def test_the_output_of_a_packed_sequence_is_joined(kind):
    packed = pack_padded_sequence(torch.ones(4, 2, 2), [4, 2])
    output = kind(2, 3)(packed)[0].data
    assert type(output.grad_fn).__name__ == "CatBackward0"
    output.mul_(2).sum().backward()


def test_a_cell_prints_without_its_option():
    cell = nn.GRUCell(3, 4)
    del cell.bias
    assert str(cell) == "GRUCell(3, 4)"


@pytest.mark.parametrize("kind, gates", CELLS)
def test_a_step_guards_only_what_a_wanted_gradient_needs(kind, gates):
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        cell, input = kind(2, 3), torch.ones(1, 2)
        found = visible(cell(input, as_state(kind, torch.ones(1, 3))))
        with torch.no_grad():
            getattr(cell, name).mul_(2)
        found.sum().backward()
        assert cell.weight_ih.grad is not None


@pytest.mark.parametrize("kind, gates", CELLS)
def test_a_weight_is_guarded_where_its_input_wants_a_gradient(kind, gates):
    cell, input = kind(2, 3), torch.ones(1, 2, requires_grad=True)
    found = visible(cell(input, as_state(kind, torch.ones(1, 3))))
    with torch.no_grad():
        cell.weight_ih.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()
