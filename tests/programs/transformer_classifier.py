"""A transformer encoder classifies sentences of many lengths, with positions and a key padding mask."""

import math

import torch
from torch import nn

PAD, VOCABULARY, WIDTH, CLASSES, BATCH, STEPS = 0, 30, 32, 3, 16, 60


class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 100):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.pe[: x.size(1)].transpose(0, 1)
        return self.dropout(x)


class TransformerClassifier(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(ntoken, d_model, padding_idx=PAD)
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        encoder_layers = nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout, batch_first=True, activation="gelu")
        self.transformer_encoder = nn.TransformerEncoder(encoder_layers, nlayers, enable_nested_tensor=False)
        self.classifier = nn.Linear(d_model, CLASSES)
        for p in self.transformer_encoder.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def forward(self, src):
        mask = src == PAD
        x = self.embedding(src) * math.sqrt(self.d_model)
        x = self.transformer_encoder(self.pos_encoder(x), src_key_padding_mask=mask)
        x = x.masked_fill(mask.unsqueeze(-1), 0.0).sum(dim=1) / (~mask).sum(dim=1, keepdim=True)
        return self.classifier(x)


def make_batch(count=BATCH):
    """Sentences with one word that decides, somewhere, and padding at the end."""
    label = torch.randint(CLASSES, (count,))
    src = torch.randint(CLASSES + 1, VOCABULARY, (count, 12))
    lengths = torch.randint(3, 13, (count,))
    place = (torch.rand(count) * lengths).long()
    src[torch.arange(count), place] = label + 1
    src[torch.arange(12).expand(count, 12) >= lengths.unsqueeze(1)] = PAD
    return src, label


torch.manual_seed(0)
model = TransformerClassifier(VOCABULARY, WIDTH, 4, 64, 2)
print(model)
print(list(model.state_dict())[:6], model.pos_encoder.pe.shape)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 15, (15 / (step + 1)) ** 0.5))
model.train()
total_loss = 0.0
for step in range(STEPS):
    src, label = make_batch()
    loss = criterion(model(src), label)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    scheduler.step()
    total_loss += loss.item()
    print(f"step {step} loss {loss.item():.6f}")
    if step % 20 == 19:
        print(
            f"| lr {scheduler.get_last_lr()[0]:.6f} | mean {total_loss / 20:.5f} | ppl {math.exp(total_loss / 20):.5f}"
        )
        total_loss = 0.0

model.eval()
with torch.no_grad():
    src, label = make_batch(100)
    logits = model(src)
    longer = torch.cat([src, torch.full((100, 5), PAD)], dim=1)
    print("padding changes nothing", torch.allclose(logits, model(longer), atol=1e-5))
    print(f"right {(logits.argmax(dim=-1) == label).float().mean().item():.2f}")
