"""Recurrent layers, attention and transformers beside torch: same text, weights, outputs, gradients, and learning."""

import warnings

import pytest

import rushlight

torch = pytest.importorskip("torch")

# without torch there is nothing to import from it
from tests.conformance.test_nn import assert_same, build, plain, trace  # noqa: E402

RECURRENT = """
RNN(4, 3)
RNN(4, 3, 2, 'relu', bias=False)
RNN(4, 3, 2, bidirectional=True, batch_first=True)
GRU(4, 3)
GRU(4, 3, 3, dropout=0.3, bidirectional=True)
LSTM(4, 3)
LSTM(4, 3, 2, dropout=0.5)
LSTM(4, 5, 2, proj_size=2, bidirectional=True, bias=False)
LSTM(4, 3, batch_first=True)
""".strip().splitlines()

CELLS = [
    "RNNCell(4, 3)",
    "RNNCell(4, 3, False, 'relu')",
    "GRUCell(4, 3)",
    "LSTMCell(4, 3)",
    "LSTMCell(4, 3, bias=False)",
]

ATTENTION = """
MultiheadAttention(4, 2)
MultiheadAttention(4, 1, 0.4, bias=False, batch_first=True)
MultiheadAttention(4, 4, add_bias_kv=True, add_zero_attn=True)
""".strip().splitlines()

TRANSFORMERS = """
TransformerEncoderLayer(4, 2, 8)
TransformerEncoderLayer(4, 2, 8, 0.3, 'gelu', norm_first=True, batch_first=True)
TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2, nn.LayerNorm(4))
""".strip().splitlines()


def sequences(library):
    library.manual_seed(1)
    return library.randn(5, 3, 4).requires_grad_()


def traced(library, text, run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = build(library, text)

        def weighted(*given):
            # after a norm the sum of squares would be constant, and its gradients nothing but rounding errors
            output = run(library, module, *given)
            return output * library.linspace(0.5, 1.5, output.shape[-1])

        # small steps: the squares of a whole sequence would drive it away, and rounding errors with it
        return trace(library, module, weighted, sequences(library), lr=0.001)


def same(text, run):
    assert_same(traced(rushlight, text, run), traced(torch, text, run))


@pytest.mark.parametrize("text", RECURRENT)
def test_recurrent_layer_is_torchs(text):
    same(text, lambda library, module, input: module(input)[0])


def last_state(library, module, input):
    found = module(input)[1]
    return found if isinstance(found, library.Tensor) else found[0] + found[1][..., : found[0].shape[-1]]


@pytest.mark.parametrize("text", RECURRENT)
def test_last_states_are_torchs(text):
    same(text, last_state)


def packed(library, module, input):
    rnn = library.nn.utils.rnn
    first = module.batch_first
    lengths = [2, 4, 1] if not first else [1, 2, 3, 2, 1]
    given = rnn.pack_padded_sequence(input, lengths, first, enforce_sorted=False)
    output, _ = module(given)
    return rnn.pad_packed_sequence(output, first)[0]


@pytest.mark.parametrize("text", RECURRENT)
def test_packed_sequences_are_torchs(text):
    same(text, packed)


@pytest.mark.parametrize("text", CELLS)
def test_cells_are_torchs(text):
    def run(library, module, input):
        state = None
        for step in range(5):
            state = module(input[step], state)
        return state if isinstance(state, library.Tensor) else state[0] * state[1]

    same(text, run)


@pytest.mark.parametrize("text", ATTENTION)
@pytest.mark.parametrize("need_weights", [False, True])
def test_multihead_attention_is_torchs(text, need_weights):
    same(text, lambda library, module, input: module(input, input, input, need_weights=need_weights)[0])


@pytest.mark.parametrize("text", TRANSFORMERS)
def test_transformers_are_torchs(text):
    same(text, lambda library, module, input: module(input))


def test_a_transformer_is_torchs():
    text = "Transformer(4, 2, 2, 1, 8, 0.2)"
    same(text, lambda library, module, input: module(input, input.detach()[:4]))


@pytest.mark.parametrize("program", ["characters", "lstm"])
def test_language_models_learn_as_in_torch(program):
    """A small GPT, and an LSTM with truncated backpropagation through time: the same losses, step by step."""
    assert_same(losses(rushlight, program), losses(torch, program))


def losses(library, program):
    library.manual_seed(0)
    nn = library.nn
    table, head = nn.Embedding(11, 16), nn.Linear(16, 11)
    if program == "lstm":
        body = nn.LSTM(16, 16, 2)
    else:
        body = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, 0.1), 2, enable_nested_tensor=False)
    parts = nn.ModuleList([table, body, head])
    optimizer = library.optim.AdamW(parts.parameters(), 1e-2)
    text = library.arange(12 * 8).reshape(12, 8) ** 2 % 11
    mask = nn.Transformer.generate_square_subsequent_mask(11)
    state, found = None, []
    for _ in range(12):
        features = table(text[:-1])
        if program == "lstm":
            features, state = body(features, state)
            state = tuple(each.detach() for each in state)
        else:
            features = body(features, mask, is_causal=True)
        loss = nn.functional.cross_entropy(head(features).reshape(-1, 11), text[1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(plain(loss))
    assert found[-1] < found[0] * 0.8
    return found
