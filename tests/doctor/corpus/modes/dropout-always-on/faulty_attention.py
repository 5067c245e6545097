"""Attention drops weights in evaluation too: dropout_p knows of no mode."""

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.dropout = dropout

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)  # finding: dropout-always-on


torch.manual_seed(0)
attention = SelfAttention(8)
optimizer = torch.optim.Adam(attention.parameters())
x = torch.randn(4, 6, 8)
for _ in range(4):
    optimizer.zero_grad()
    F.mse_loss(attention(x), x).backward()
    optimizer.step()
attention.eval()
with torch.no_grad():
    print(F.mse_loss(attention(x), x).item())
