"""Layers of nn and operations, each beside ONNX Runtime, at the batch of the example and at another."""

from __future__ import annotations

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn
from tests.onnx.running import exported

ROWS, SIGNAL, IMAGE, VOLUME = (4,), (2, 9), (4, 8, 8), (2, 5, 6, 4)
LAYERS = {
    ROWS: """
        Linear(4, 3) | ReLU() | ReLU6() | ELU(0.7) | SELU() | CELU(1.3) | GELU() | GELU('tanh') | SiLU() | Mish()
        Softplus(2.0) | Tanh() | Sigmoid() | LogSigmoid() | Hardtanh() | Hardsigmoid() | Hardswish()
        LeakyReLU(0.1) | PReLU() | Softshrink() | Hardshrink() | Tanhshrink() | Softsign() | Threshold(0.1, 2.0)
        GLU() | Softmax(-1) | LogSoftmax(1) | Softmin(1) | Dropout() | Identity() | LayerNorm(4) | RMSNorm(4)
        BatchNorm1d(4) | Unflatten(1, (2, 2)) | Flatten(0)
    """,
    SIGNAL: """
        Conv1d(2, 3, 3) | Conv1d(2, 4, 3, padding='same', dilation=2, groups=2) | ConvTranspose1d(2, 3, 4, 2, 1)
        MaxPool1d(3, 2, 1) | AvgPool1d(3, 2) | AdaptiveAvgPool1d(3) | AdaptiveMaxPool1d(1) | InstanceNorm1d(2)
        Upsample(scale_factor=2) | Upsample(size=13, mode='linear') | ReflectionPad1d(2) | ReplicationPad1d(1)
        ConstantPad1d(1, 2.0) | GRU(9, 4, batch_first=True) | RNN(9, 4, nonlinearity='relu', batch_first=True)
        LSTM(9, 3, 2, batch_first=True) | MaxPool1d(2, ceil_mode=True)
    """,
    IMAGE: """
        Conv2d(4, 6, 3, 2, 1) | Conv2d(4, 8, (3, 1), groups=4) | ConvTranspose2d(4, 2, 3, 2, 1, output_padding=1)
        MaxPool2d(2) | AvgPool2d(3, 2, 1) | AvgPool2d(3, 2, 1, count_include_pad=False) | AdaptiveAvgPool2d((2, 4))
        AdaptiveMaxPool2d(1) | BatchNorm2d(4) | GroupNorm(2, 4) | InstanceNorm2d(4, affine=True)
        LocalResponseNorm(3) | PixelShuffle(2) | PixelUnshuffle(2) | ZeroPad2d(1)
        Upsample(scale_factor=2, mode='bilinear') | Upsample(scale_factor=2, mode='bilinear', align_corners=True)
        Upsample(size=(5, 9), mode='bicubic') | PReLU(4) | ChannelShuffle(2) | Dropout2d() | LayerNorm((8, 8))
    """,
    VOLUME: """
        Conv3d(2, 3, 2) | MaxPool3d(2) | AvgPool3d(2) | AdaptiveAvgPool3d(1) | BatchNorm3d(2) | ConvTranspose3d(2, 1, 2)
    """,
}
CASES = [
    (shape, text.strip())
    for shape, texts in LAYERS.items()
    for line in texts.strip().splitlines()
    for text in line.split("|")
]


@pytest.mark.parametrize(("shape", "text"), CASES, ids=[text for _, text in CASES])
def test_a_layer(shape, text):
    torch.manual_seed(0)
    layer = eval(text, vars(nn))
    if text.startswith("Batch"):
        layer.train()(torch.randn(6, *shape))
    exported(layer, torch.randn(2, *shape), dynamic=[{0: "batch"}], other=(torch.randn(5, *shape),))


def test_cells():
    for cell in (nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4)):
        exported(cell, torch.randn(2, 3), dynamic=({0: "batch"},), other=(torch.randn(5, 3),))


def test_attention_with_weights_and_masks():
    class Attended(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

        def forward(self, x, hidden):
            return self.attention(x, x, x, key_padding_mask=hidden)

    def example(batch):
        hidden = torch.zeros(batch, 5, dtype=torch.bool)
        hidden[:, 4] = True
        return torch.randn(batch, 5, 8), hidden

    exported(Attended(), *example(2), dynamic=({0: "batch"}, {0: "batch"}), other=example(4))


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


CALLS = """
    x[:, None, 1:3] | x[0] | x[..., -1] | x[:, torch.tensor([2, 0])] | x[torch.tensor([1, 0]), torch.tensor([2, 3])]
    x[:, ::2] | x[-1:] | x.sum() | x.sum(1) | x.mean(0, keepdim=True) | x.std(1) | x.var(unbiased=False) | x.max(1)
    x.min() | x.argmax(-1) | x.amax(0) | x.norm() | x.norm(dim=1) | F.normalize(x) | x.logsumexp(1) | x.cumsum(1)
    x.topk(2)[0] | x.sort(1)[0] | x.prod(1) | x.any(1) | x / 2 | 1 / x | 2 - x | x // 0.3 | x % 0.7 | x ** 3
    x.pow(0) | 2 ** x | x.add(x, alpha=2) | x.long() // 2 | x.div(0.3, rounding_mode='trunc') | x > 0
    (x > 0) & (x < 1) | ~(x > 0) | x == x.round() | x.isnan() | torch.where(x > 0, x, 0.5) | x.masked_fill(x > 0, 1)
    x.clamp(-0.5, 0.5) | x.abs().sqrt() | (x.abs() + 0.1).rsqrt() | x.exp().log1p() | x.sin() + x.cos() | x.sign()
    x.floor() | x.erf() | x.expm1() | x.square() | x.long() | x.double() | x.bool() | x.to(torch.int32)
    x + 1j.real | x * True | x.long() + 0.5 | torch.cat([x, x.long()], 1) | x.view(-1)
    x.reshape(x.size(0), 2, 2).flatten(1) | x.unsqueeze(-1).squeeze(-1) | x.T | x.unsqueeze(1).expand(-1, 3, -1)
    x.repeat(2, 3) | x.chunk(2, 1)[1] | x.split([1, 3], 1) | x.unbind(1)[0] | torch.stack([x, x], 1) | x.flip(1)
    x.roll(1, 1) | x.tril() | x.movedim(0, 1) | F.pad(x, (1, 2), value=3.0) | x.gather(1, x.argmax(1, keepdim=True))
    x.index_select(1, torch.tensor([3, 1])) | x.narrow(1, 1, 2) | x @ x.T | torch.einsum('bi,bj->bij', x, x)
    torch.addmm(x, x, torch.ones(4, 4)) | F.one_hot(x.argmax(1), 4) | F.cosine_similarity(x, x + 1)
    torch.zeros(x.size(0), 2) + x[:, :2] | x.new_ones(x.shape[0]) | torch.zeros_like(x) | torch.arange(x.size(0))
    torch.full((x.size(0),), 0.5) | F.mse_loss(x, x * 2) | F.cross_entropy(x, x.argmax(1))
    x.scatter(1, x.argmax(1, keepdim=True), 2.0) | x.lerp(x + 1, 0.3) | x.detach().clone()
    F.scaled_dot_product_attention(x[None], x[None], x[None], is_causal=True) | x.softmax(0) | x * x.size(0)
    x.view(2, -1, 2)
"""
CALLS = [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")]


@pytest.mark.parametrize("text", CALLS)
def test_a_call(text):
    torch.manual_seed(0)
    function = eval(f"lambda x: {text}", {"torch": torch, "F": F})
    exported(Function(function), torch.randn(2, 4), dynamic=({0: "batch"},), other=(torch.randn(6, 4),))


WRITES = {
    "a number into a column": "x[:, 0] = 1.0",
    "values into a slice": "x[:, 1:3] = x[:, 2:4]",
    "a row": "x[0] = 2.0",
    "the last": "x[..., -1] = x[..., 0]",
    "through a view": "part = x[:, 1:]\n    part += 1",
    "through two views": "x[:, 1:][:, 0].mul_(3)",
    "arithmetic": "x += 1\n    x.relu_()",
    "by a mask": "x[x > 0] = 0.0",
    "another shape": "x.unsqueeze_(0)",
}


@pytest.mark.parametrize("text", WRITES.values(), ids=list(WRITES))
def test_writes_are_seen_by_whoever_reads_later(text):
    names = {"torch": torch}
    exec(f"def function(x):\n    x = x.clone()\n    {text}\n    return x", names)
    exported(Function(names["function"]), torch.randn(2, 4), dynamic=({0: "batch"},), other=(torch.randn(6, 4),))
