"""A bidirectional GRU classifies sequences of many lengths, packed."""

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

CLASSES, FEATURES, HIDDEN, BATCH, STEPS = 2, 4, 16, 12, 60


class GRUClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(FEATURES, HIDDEN, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.attention = nn.Linear(2 * HIDDEN, 1)
        self.fc = nn.Linear(4 * HIDDEN, CLASSES)
        for name, param in self.gru.named_parameters():
            if "weight_hh" in name:
                for chunk in param.chunk(3, 0):
                    nn.init.orthogonal_(chunk)
            elif "weight_ih" in name:
                nn.init.xavier_uniform_(param)
            elif "bias" in name:
                nn.init.zeros_(param)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        output, hidden = self.gru(packed)
        output, lens = pad_packed_sequence(output, batch_first=True, total_length=x.size(1))
        mask = torch.arange(output.size(1))[None, :] < lens[:, None]
        scores = self.attention(output).squeeze(-1).masked_fill(~mask, float("-inf"))
        context = (torch.softmax(scores, dim=1).unsqueeze(-1) * output).sum(dim=1)
        last = torch.cat((hidden[-2], hidden[-1]), dim=1)
        return self.fc(torch.cat([last, context], dim=1))


def make_batch():
    """Sequences in which the first vector points the same way as the last one, or not."""
    sequences, labels = [], []
    for _ in range(BATCH):
        length = int(torch.randint(2, 10, (1,)))
        sequence = torch.randn(length, FEATURES)
        label = int(torch.rand(1) < 0.5)
        sequence[0, 0], sequence[-1, 0] = 1.5, 1.5 * (2 * label - 1)
        sequences.append(sequence)
        labels.append(label)
    return sequences, torch.tensor(labels)


torch.manual_seed(0)
model = GRUClassifier()
print(model)
print({name: tuple(p.shape) for name, p in model.named_parameters()})
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss(reduction="none")
right = 0
for step in range(STEPS):
    sequences, labels = make_batch()
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    x = pad_sequence(sequences, batch_first=True)
    logits = model(x, lengths)
    each = criterion(logits, labels)
    loss = (each * lengths.float()).sum() / lengths.sum()
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    if step >= STEPS - 20:
        right += (logits.argmax(1) == labels).sum().item()
    print(f"step {step} loss {loss.item():.6f} norm {norm.item():.6f}")
print(f"right {right / (20 * BATCH):.3f}")

# the same sequences one by one, sorted, padded: the same answers
model.eval()
with torch.no_grad():
    batched = model(x, lengths)
    alone = torch.cat([model(sequence[None], torch.tensor([len(sequence)])) for sequence in sequences])
    ordered = sorted(sequences, key=len, reverse=True)
    packed = pack_sequence(ordered)
    output, hidden = model.gru(packed)
    unpacked, lens = pad_packed_sequence(output)
print("equal", torch.allclose(batched, alone, atol=1e-5), packed.batch_sizes.tolist(), lens.tolist())
print(type(packed).__name__, packed.data.shape, packed.sorted_indices, hidden.shape, unpacked.shape)
