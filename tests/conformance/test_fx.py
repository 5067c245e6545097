"""Graphs and generated code, beside torch's: every simple module of nn, a residual network, a transformer block."""

import pytest

torch = pytest.importorskip("torch")
import rushlight  # noqa: E402
import rushlight.fx  # noqa: E402

MODULES = """
Linear(3,2) Bilinear(2,3,1) Identity() Conv1d(1,2,3) Conv2d(1,2,3,padding=1) Conv3d(1,2,1) ConvTranspose2d(1,2,3)
BatchNorm1d(2) BatchNorm2d(2) LayerNorm(2) GroupNorm(1,2) InstanceNorm1d(2) RMSNorm(2) MaxPool1d(2) MaxPool2d(2)
AvgPool1d(2) AvgPool2d(2) AdaptiveAvgPool2d(1) AdaptiveMaxPool2d(1) ReLU() ReLU6() ELU() SELU() CELU() GELU() SiLU()
Mish() Sigmoid() Tanh() Softplus() Softshrink() Softsign() Tanhshrink() Threshold(0.1,1) LeakyReLU() PReLU() GLU()
Hardtanh() Hardswish() Hardsigmoid() Hardshrink() LogSigmoid() Softmax(-1) LogSoftmax(-1) Softmin(-1) Dropout()
Dropout2d() AlphaDropout() Flatten() Unflatten(1,(1,2)) Embedding(3,2) PixelShuffle(1) Upsample(scale_factor=2)
ZeroPad2d(1) CosineSimilarity() PairwiseDistance()
""".split()


def program(torch, name):
    nn, functional = torch.nn, torch.nn.functional

    class Residual(nn.Module):
        def __init__(self, channels, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(channels)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.downsample = nn.Sequential(nn.Conv2d(channels, channels, 1, stride), nn.BatchNorm2d(channels))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.conv2(out)
            out += self.downsample(x)
            return self.relu(out)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3), nn.MaxPool2d(3, 2, 1))
            self.layers = nn.Sequential(Residual(4, 1), Residual(4, 2))
            self.pool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(4, 10)

        def forward(self, x):
            x = self.pool(self.layers(self.stem(x)))
            return self.fc(torch.flatten(x, 1))

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.proj, self.norm = nn.Linear(8, 24), nn.Linear(8, 8), nn.LayerNorm(8)
            self.scale = nn.Parameter(torch.ones(8))
            self.register_buffer("mask", torch.ones(4, 4))

        def forward(self, x):
            batch, length, width = x.size()
            q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
            q, k, v = (each.view(batch, length, 2, width // 2).transpose(1, 2) for each in (q, k, v))
            att = (q @ k.transpose(-2, -1)) * (1.0 / 2.0)
            att = att.masked_fill(self.mask == 0, float("-inf"))
            y = functional.softmax(att, dim=-1) @ v
            y = functional.dropout(y, 0.1, self.training).transpose(1, 2).contiguous().view(batch, length, width)
            return x + self.proj(functional.gelu(y)) * self.scale + functional.layer_norm(x, (8,))

    return {"network": Network, "attention": Attention}[name]()


def traces(torch, module):
    made = torch.fx.symbolic_trace(module)
    return made.code, str(made.graph)


@pytest.mark.parametrize("text", MODULES)
def test_modules_inside_another_one(text):
    found = []
    for each in (torch, rushlight):
        module = each.nn.Sequential(eval(f"each.nn.{text}", {"each": each}))
        found.append(traces(each, module))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["network", "attention"])
def test_programs(name):
    assert traces(torch, program(torch, name)) == traces(rushlight, program(rushlight, name))


@pytest.mark.parametrize("text", [each for each in MODULES if "Norm" not in each and "Unflatten" not in each])
def test_modules_looked_into(text):
    found = []
    for each in (torch, rushlight):

        class All(each.fx.Tracer):
            def is_leaf_module(self, m, module_qualified_name):
                return False

        module = eval(f"each.nn.{text}", {"each": each})
        try:
            graph = All().trace(each.nn.Sequential(module))
            # how many frames a warning climbs is no part of the graph
            found.append(str(graph).replace("_stacklevel: 5", "_stacklevel: 3"))
        except Exception as error:
            found.append(f"{type(error).__name__}")
    assert found[0] == found[1]
