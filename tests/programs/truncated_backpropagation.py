"""A recurrent network echoes an endless stream of bits; its state passes from chunk to chunk, its history does not."""

import torch
import torch.nn as nn

DELAY, CHUNK, BATCH, HIDDEN, STEPS = 3, 8, 16, 32, 200


class Echo(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, HIDDEN)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, bits, hidden):
        output, hidden = self.rnn(bits, hidden)
        return self.head(output), hidden

    def init_hidden(self):
        weight = next(self.parameters())
        return weight.new_zeros(1, BATCH, HIDDEN)


def repackage_hidden(h):
    """Wraps hidden states in new tensors, to detach them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


torch.manual_seed(0)
stream = torch.randint(0, 2, (STEPS * CHUNK + DELAY, BATCH, 1)).float()
inputs, targets = stream[DELAY:], stream[:-DELAY]

model = Echo()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
hidden = model.init_hidden()
right = []
for step in range(STEPS):
    chunk = slice(step * CHUNK, (step + 1) * CHUNK)
    hidden = repackage_hidden(hidden)
    optimizer.zero_grad()
    output, hidden = model(inputs[chunk], hidden)
    loss = criterion(output, targets[chunk])
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    right.append(((output > 0).float() == targets[chunk]).float().mean(dim=(1, 2)))
    print(f"step {step} loss {loss.item():.6f}")

# the first bits of a chunk were seen in the chunk before: only the state that was carried over knows them
last = torch.stack(right[-20:]).mean(dim=0)
print(f"carried {last[:DELAY].min().item():.3f} within {last[DELAY:].min().item():.3f}")

# without the detach, backward would go on into chunks whose history is gone
try:
    output, hidden = model(inputs[:CHUNK], hidden)
    output.sum().backward()
except RuntimeError as error:
    print("refused:", str(error)[:60])
