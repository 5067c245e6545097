"""Eight kinds of networks agree in ONNX Runtime, also at another batch size than that of the example."""

from __future__ import annotations

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from tests.onnx.running import exported

BATCH = {0: "batch"}


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def test_a_multilayer_perceptron():
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
    program = exported(model, torch.randn(3, 4), dynamic=(BATCH,), other=(torch.randn(8, 4),))
    names = {each.name for each in program.model.graph.initializer}
    assert set(model.state_dict()) <= names


class ConvolutionalNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3))
        self.head = nn.Linear(16 * 5 * 5, 10)

    def forward(self, images):
        found = F.dropout(F.relu(self.features(images)), 0.5, self.training)
        return F.log_softmax(self.head(found.view(images.size(0), -1)), dim=1)


def test_a_convolutional_network():
    exported(ConvolutionalNetwork(), torch.randn(2, 1, 14, 14), dynamic=(BATCH,), other=(torch.randn(5, 1, 14, 14),))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.memory = nn.LSTM(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(12, 5)

    def forward(self, sentence, state=None):
        found, (hidden, cell) = self.memory(self.words(sentence), state)
        return self.tags(found), hidden, cell


def test_an_lstm():
    sentence, longer = torch.randint(0, 20, (2, 7)), torch.randint(0, 20, (5, 11))
    exported(Tagger(), sentence, dynamic=({0: "batch", 1: "time"},), other=(longer,))


def test_an_lstm_with_a_state_that_is_given():
    def example(batch):
        return torch.randint(0, 20, (batch, 7)), (torch.randn(4, batch, 6), torch.randn(4, batch, 6))

    dynamic = (BATCH, ({1: "batch"}, {1: "batch"}))
    program = exported(Tagger(), *example(2), dynamic=dynamic, other=example(3))
    assert [each.name for each in program.model.graph.input] == ["sentence", "state_0", "state_1"]


def test_a_transformer_encoder():
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    model = nn.TransformerEncoder(layer, 2)
    exported(model, torch.randn(2, 6, 16), dynamic=({0: "batch", 1: "time"},), other=(torch.randn(5, 9, 16),))


class Attention(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads = heads
        self.together, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("seen", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest))

    def forward(self, x):
        batch, time, width = x.size()
        parts = self.together(x).split(width, dim=2)
        query, key, value = [each.view(batch, time, self.heads, width // self.heads).transpose(1, 2) for each in parts]
        scores = query @ key.transpose(-2, -1) * (1.0 / key.size(-1) ** 0.5)
        scores = scores.masked_fill(self.seen[:, :, :time, :time] == 0, float("-inf"))
        mixed = (F.softmax(scores, dim=-1) @ value).transpose(1, 2).contiguous().view(batch, time, width)
        return self.projection(mixed)


class CharacterGPT(nn.Module):
    def __init__(self, width=16, heads=4, longest=32, letters=20):
        super().__init__()
        self.letters, self.places = nn.Embedding(letters, width), nn.Embedding(longest, width)
        self.attention = Attention(width, heads, longest)
        self.before, self.between, self.after = nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.head = nn.Linear(width, letters, bias=False)
        self.head.weight = self.letters.weight

    def forward(self, indices):
        places = torch.arange(indices.size(1), device=indices.device)
        x = self.letters(indices) + self.places(places)
        x = x + self.attention(self.before(x))
        x = x + self.network(self.between(x))
        return self.head(self.after(x))


def test_a_gpt_block():
    text, longer = torch.randint(0, 20, (2, 5)), torch.randint(0, 20, (3, 12))
    exported(CharacterGPT(), text, dynamic=({0: "batch", 1: "time"},), other=(longer,))


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.actor, self.critic = nn.Linear(32, 3), nn.Linear(32, 1)
        self.deviation = nn.Parameter(torch.zeros(3))

    def forward(self, observation):
        found = self.body(observation)
        mean = self.actor(found)
        return {
            "mean": mean,
            "deviation": self.deviation.exp().expand_as(mean),
            "value": self.critic(found).squeeze(-1),
        }


def test_an_actor_and_a_critic():
    names = ["mean", "deviation", "value"]
    inputs = torch.randn(2, 4)
    program = exported(ActorCritic(), inputs, dynamic=(BATCH,), other=(torch.randn(6, 4),), output_names=names)
    assert [each.name for each in program.model.graph.output] == names


class VariationalAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64, 12))
        self.decoder = nn.Sequential(
            nn.Linear(6, 64), nn.Unflatten(1, (4, 4, 4)), nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Sigmoid()
        )

    def forward(self, images):
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        code = mean
        if self.training:
            code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(code), mean, log_variance


def test_a_variational_autoencoder():
    exported(VariationalAutoencoder(), torch.randn(2, 1, 8, 8), dynamic=(BATCH,), other=(torch.randn(4, 1, 8, 8),))


def test_a_network_in_training_mode_draws_in_the_file():
    model = VariationalAutoencoder().train()
    with pytest.warns(UserWarning, match="training mode"):
        program = torch.onnx.export(model, (torch.randn(2, 1, 8, 8),), dynamic_shapes=(BATCH,))
    kinds = {each.op_type for each in program.model.graph.node}
    assert "RandomNormalLike" in kinds
    assert program(torch.randn(3, 1, 8, 8))[0].shape == (3, 1, 8, 8)


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.one, self.two = (
            nn.Conv2d(before, after, 3, stride, 1, bias=False),
            nn.Conv2d(after, after, 3, 1, 1, bias=False),
        )
        self.norm1, self.norm2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        found = self.relu(self.norm1(self.one(x)))
        found = self.norm2(self.two(found))
        found += self.shortcut(x)
        return self.relu(found)


def test_a_residual_network():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3),
        nn.MaxPool2d(3, 2, 1),
        Residual(8, 8, 1),
        Residual(8, 16, 2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(1),
        nn.Linear(16, 5),
    )
    # statistics that are not those of a network that has seen nothing
    model.train()(torch.randn(4, 3, 32, 32))
    exported(model, torch.randn(2, 3, 32, 32), dynamic=(BATCH,), other=(torch.randn(3, 3, 32, 32),))
