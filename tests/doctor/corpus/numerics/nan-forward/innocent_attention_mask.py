"""A causal mask of -inf before the softmax, and a key padding mask for nn.MultiheadAttention."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        self.attend = nn.MultiheadAttention(size, 2, batch_first=True)
        self.out = nn.Linear(size, 5)
        self.register_buffer("mask", torch.full((6, 6), float("-inf")).triu(1))

    def forward(self, x, padding):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / 3 + self.mask
        x = x + torch.softmax(scores, dim=-1) @ v
        x = x + self.attend(x, x, x, key_padding_mask=padding, attn_mask=self.mask, need_weights=False)[0]
        return self.out(x)


torch.manual_seed(0)
net = Block(8)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(4, 6, 8), torch.randint(5, (4, 6))
padding = torch.arange(6)[None] >= torch.tensor([6, 3, 2, 5])[:, None]
for step in range(5):
    logits = net(x, padding)
    loss = nn.functional.cross_entropy(logits.reshape(-1, 5), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
