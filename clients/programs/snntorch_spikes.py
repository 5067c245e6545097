"""snntorch: leaky neurons that spike, trained through surrogate gradients to read digits"""

import snntorch as snn
import torch
from sklearn.datasets import load_digits
from snntorch import functional as SF
from snntorch import spikegen, surrogate, utils
from torch import nn

torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x, y = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
net = nn.Sequential(
    nn.Linear(64, 100),
    snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid(slope=25), init_hidden=True),
    nn.Linear(100, 10),
    snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid(slope=25), init_hidden=True, output=True),
)
loss_of = SF.ce_rate_loss()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)


def spikes(images, steps=15):
    utils.reset(net)
    return torch.stack([net(images)[0] for _ in range(steps)])


for _epoch in range(6):
    for part in torch.randperm(1400).split(100):
        loss = loss_of(spikes(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
with torch.no_grad():
    found = spikes(x[1400:])
    share = SF.accuracy_rate(found, y[1400:])
print(f"loss {loss.item():.1f}, spikes {tuple(found.shape)}", share > 0.85)
print(
    "encodings",
    spikegen.rate(x[:2], num_steps=5).shape,
    spikegen.latency(x[:2], num_steps=5, normalize=True, linear=True).shape,
)
second = snn.Synaptic(alpha=0.8, beta=0.7)
spike, current, potential = second(torch.ones(3), *second.init_synaptic())
print("synaptic", spike.tolist(), potential.tolist())
assert share > 0.85
