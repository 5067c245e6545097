"""State dicts pass between torch and Rushlight, both ways and as NumPy arrays, and what was learned goes along."""

from collections import OrderedDict
from copy import deepcopy

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

# one library has learned something else than the other, or nothing would be seen to pass
SEEDS = {"torch": 1, "rushlight": 2}
BOTH_WAYS = pytest.mark.parametrize(("giver", "taker"), [(torch, rushlight), (rushlight, torch)], ids=["in", "out"])


def cnn(library):
    nn = library.nn
    model = nn.Sequential(
        OrderedDict(
            features=nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            grouped=nn.Conv2d(4, 8, 3, stride=2, groups=2, bias=False),
            upward=nn.ConvTranspose2d(8, 4, 2),
            flat=nn.Flatten(),
            classifier=nn.Sequential(nn.PReLU(4 * 4 * 4), nn.Linear(4 * 4 * 4, 3)),
        )
    )
    return model, library.linspace(-1, 1, 2 * 1 * 14 * 14).view(2, 1, 14, 14)


def lstm(library):
    nn = library.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(9, 5, padding_idx=0)
            self.lstm = nn.LSTM(5, 6, num_layers=2, bidirectional=True, proj_size=3)
            self.gru = nn.GRU(6, 4)
            self.cell = nn.LSTMCell(4, 4)
            self.head = nn.Linear(4, 3)

        def forward(self, words):
            output, _ = self.lstm(self.embedding(words))
            output, last = self.gru(output)
            return self.head(output + self.cell(last[0])[0])

    return Tagger(), library.arange(12).view(4, 3) % 9


def transformer(library):
    nn = library.nn

    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.position = nn.Parameter(library.randn(6, 1, 8))
            self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(6))
            self.transformer = nn.Transformer(8, 2, 2, 2, 16, dropout=0.0)
            self.other = nn.MultiheadAttention(8, 2, kdim=8, vdim=4, add_bias_kv=True)

        def forward(self, x):
            x = self.transformer(x + self.position, x, tgt_mask=self.mask)
            return self.other(x, x, x[..., :4])[0]

    return Translator(), library.linspace(-1, 1, 6 * 2 * 8).view(6, 2, 8)


def batch_norm(library):
    nn = library.nn
    model = nn.Sequential(
        nn.Conv1d(3, 4, 3, bias=False),
        nn.BatchNorm1d(4),
        nn.ReLU(),
        nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
        nn.BatchNorm1d(4, momentum=None, affine=False),
        nn.BatchNorm1d(4, track_running_stats=False),
        nn.GroupNorm(2, 4),
        nn.utils.parametrizations.spectral_norm(nn.Conv1d(4, 2, 1)),
    )
    return model, library.linspace(-1, 3, 4 * 3 * 7).view(4, 3, 7) ** 2


def tied(library):
    nn = library.nn

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Embedding(7, 5)
            self.body = nn.Linear(5, 5)
            self.again = self.body
            self.decoder = nn.Linear(5, 7)
            self.decoder.weight = self.encoder.weight

        def forward(self, words):
            return self.decoder(self.again(library.tanh(self.body(self.encoder(words)))))

    return Tied(), library.arange(6).view(2, 3)


MODELS = pytest.mark.parametrize("build", [cnn, lstm, transformer, batch_norm, tied], ids=lambda build: build.__name__)


def trained(library, build, steps=5):
    """A model after some steps on a task of its own, so that buffers hold what its batches were like."""
    library.manual_seed(SEEDS[library.__name__])
    model, example = build(library)
    optimizer = library.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        noise = library.randn(example.shape) if example.is_floating_point() else 0
        output = model(example + noise)
        (output - library.randn(output.shape)).square().mean().backward()
        optimizer.step()
    return model, example


def carried(state, library):
    """A state dict of one library as one of the other: each entry by way of NumPy, in memory of its own."""
    found = OrderedDict((key, library.from_numpy(value.numpy().copy())) for key, value in state.items())
    # loading with `assign` writes into it
    found._metadata = deepcopy(state._metadata)
    return found


def answers(model, example):
    """Outputs as they are, in training, and after it: the last show what one more batch does to running averages."""
    return [model.train(training)(example).detach().numpy() for training in (False, True, False)]


def assert_same_state(given, wanted):
    assert list(given) == list(wanted)
    assert given._metadata == wanted._metadata
    assert type(given) is type(wanted) is OrderedDict
    for key, value in wanted.items():
        assert str(given[key].dtype).split(".")[1] == str(value.dtype).split(".")[1], key
        np.testing.assert_array_equal(given[key].numpy(), value.numpy(), err_msg=key)


@MODELS
@BOTH_WAYS
@pytest.mark.filterwarnings("ignore:LSTM with projections", "ignore:enable_nested_tensor")
@pytest.mark.parametrize("assign", [False, True], ids=["copied", "assigned"])
def test_what_was_learned_passes(build, giver, taker, assign):
    learned, example = trained(giver, build)
    other, _ = trained(taker, build)
    state = learned.state_dict()
    assert repr(other.load_state_dict(carried(state, taker), assign=assign)) == "<All keys matched successfully>"
    assert_same_state(other.state_dict(), state)
    for ours, theirs in zip(answers(learned, example), answers(other, build(taker)[1]), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    # and back again, after one batch more
    again = other.state_dict()
    learned.load_state_dict(carried(again, giver), assign=assign)
    assert_same_state(learned.state_dict(), again)


@BOTH_WAYS
def test_running_averages_pass(giver, taker):
    state = trained(giver, batch_norm)[0].state_dict()
    assert state["1.num_batches_tracked"].item() == 5 and state["1.running_mean"].abs().min() > 0.01
    assert "4.weight" not in state and "5.running_mean" not in state
    fresh = batch_norm(taker)[0]
    fresh.load_state_dict(carried(state, taker))
    np.testing.assert_array_equal(fresh[1].running_var.numpy(), state["1.running_var"].numpy())
    assert fresh[4].num_batches_tracked.item() == 5 and fresh[4].momentum is None


def ties(model):
    """Which weights of the model with ties are one object, and which one memory."""
    encoder, decoder, body, again = (each.weight for each in (model.encoder, model.decoder, model.body, model.again))
    return {
        "objects": (decoder is encoder, again is body),
        "memory": (decoder.data_ptr() == encoder.data_ptr(), again.data_ptr() == body.data_ptr()),
        "names": [name for name, _ in model.named_parameters()],
        "modules": [name for name, _ in model.named_modules()],
    }


@BOTH_WAYS
def test_ties_are_kept(giver, taker):
    learned, other = trained(giver, tied)[0], trained(taker, tied)[0]
    before = ties(other)
    assert before["objects"] == (True, True) and before == ties(learned)
    other.load_state_dict(carried(learned.state_dict(), taker))
    assert ties(other) == before
    with taker.no_grad():
        other.encoder.weight.fill_(3.0)
    assert (other.state_dict()["decoder.weight"] == 3).all()


@BOTH_WAYS
@pytest.mark.parametrize("shared", [False, True], ids=["apart", "shared"])
def test_assigned_ties_are_those_of_the_state_dict(giver, taker, shared):
    found = []
    for one, two in ((giver, taker), (taker, giver)):
        state = carried(trained(one, tied)[0].state_dict(), two)
        if shared:
            state["decoder.weight"] = state["encoder.weight"]
        model = trained(two, tied)[0]
        model.load_state_dict(state, assign=True)
        found.append(ties(model))
    assert found[0] == found[1]
    assert found[0]["memory"] == (shared, True)


@BOTH_WAYS
def test_shared_parameters_of_a_state_dict_are_tied_again(giver, taker):
    state = carried(trained(giver, tied)[0].state_dict(), taker)
    weight = taker.nn.Parameter(state["encoder.weight"])
    state["encoder.weight"] = state["decoder.weight"] = weight
    model, example = trained(taker, tied)
    model.load_state_dict(state, assign=True)
    assert model.encoder.weight is model.decoder.weight is weight
    model(example).sum().backward()
    assert weight.grad is not None
