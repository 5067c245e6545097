"""pytorch/examples' vision transformer on digits: patches, tokens with places, attention blocks and a class token"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional as F


class PatchExtractor(nn.Module):
    def __init__(self, patch_size=2):
        super().__init__()
        self.patch_size = patch_size

    def forward(self, images):
        batch, channels, height, width = images.size()
        assert height % self.patch_size == 0 and width % self.patch_size == 0
        patches = images.unfold(2, self.patch_size, self.patch_size).unfold(3, self.patch_size, self.patch_size)
        return patches.permute(0, 2, 3, 1, 4, 5).reshape(batch, -1, channels * self.patch_size**2)


class Block(nn.Module):
    def __init__(self, width, heads, dropout=0.1):
        super().__init__()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, dropout=dropout, batch_first=True)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(dropout), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        normed = self.attention_norm(x)
        found, _ = self.attention(normed, normed, normed, need_weights=False)
        x = x + found
        return x + self.feed_forward(self.feed_forward_norm(x))


class ViT(nn.Module):
    def __init__(self, width=48, heads=4, depth=2, classes=10):
        super().__init__()
        self.patches = PatchExtractor()
        self.embed = nn.Linear(4, width)
        self.cls_token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 17, width) * 0.02)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, images):
        tokens = self.embed(self.patches(images))
        tokens = torch.cat([self.cls_token.expand(len(images), -1, -1), tokens], 1) + self.places
        for block in self.blocks:
            tokens = block(tokens)
        return self.head(self.norm(tokens)[:, 0])


torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x, y = torch.tensor(images, dtype=torch.float32).view(-1, 1, 8, 8) / 16, torch.tensor(labels)
order = torch.randperm(len(x))
known, unknown = order[:1500], order[1500:]
model = ViT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
epochs, batch = 10, 100
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=epochs * 15)
for epoch in range(epochs):
    model.train()
    total = 0.0
    for part in known[torch.randperm(1500)].split(batch):
        loss = F.cross_entropy(model(x[part]), y[part], label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        total += loss.item()
    if epoch % 3 == 0:
        print(f"epoch {epoch} loss {total / 15:.2f}")
model.eval()
with torch.no_grad():
    share = (model(x[unknown]).argmax(1) == y[unknown]).float().mean().item()
print(f"right {share:.1f}")
assert share > 0.9
