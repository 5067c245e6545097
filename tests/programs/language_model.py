"""An LSTM language model learns to write sentences, letter by letter."""

import torch
from torch import nn

EMBEDDING, HIDDEN, BATCH, LENGTH, STEPS = 16, 64, 16, 32, 100
WORDS = [["the", "a", "one"], ["old", "red", "small"], ["fox", "owl", "hare"], ["sees", "likes"], ["rain", "snow"]]


class LanguageModel(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, num_layers=2, batch_first=True)
        self.decoder = nn.Linear(HIDDEN, vocabulary)

    def forward(self, letters, state=None):
        output, state = self.lstm(self.embedding(letters), state)
        return self.decoder(output), state


def make_text(sentences):
    """Sentences of five words, each drawn from its column."""
    lines = []
    for _ in range(sentences):
        words = [column[torch.randint(len(column), (1,)).item()] for column in WORDS]
        lines.append(" ".join(words) + ". ")
    return "".join(lines)


def get_batch(data):
    starts = torch.randint(len(data) - LENGTH - 1, (BATCH,))
    inputs = torch.stack([data[i : i + LENGTH] for i in starts])
    targets = torch.stack([data[i + 1 : i + LENGTH + 1] for i in starts])
    return inputs, targets


@torch.no_grad()
def generate(model, prompt, count):
    """The likeliest letters after a prompt."""
    model.eval()
    output, state = model(torch.tensor([[index[letter] for letter in prompt]]))
    written = prompt
    for _ in range(count):
        chosen = output[:, -1].argmax(dim=-1, keepdim=True)
        written += letters[chosen.item()]
        output, state = model(chosen, state)
    return written


torch.manual_seed(0)
text = make_text(200)
letters = sorted(set(text))
index = {letter: i for i, letter in enumerate(letters)}
data = torch.tensor([index[letter] for letter in text], dtype=torch.long)

model = LanguageModel(len(letters))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for step in range(STEPS):
    inputs, targets = get_batch(data)
    output, _ = model(inputs)
    loss = criterion(output.reshape(-1, len(letters)), targets.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")

print("written", generate(model, "the ", 60))
