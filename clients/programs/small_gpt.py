"""A small GPT in the manner of minGPT and nanoGPT: it learns to sort, in bfloat16 by autocast, and is asked."""

import math

import torch
from torch import nn
from torch.nn import functional as F

LENGTH, DIGITS, WIDTH, HEADS, LAYERS = 6, 3, 48, 3, 2
BLOCK = 2 * LENGTH - 1


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.register_buffer("bias", torch.tril(torch.ones(BLOCK, BLOCK)).view(1, 1, BLOCK, BLOCK))

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = (each.view(batch, length, HEADS, -1).transpose(1, 2) for each in self.c_attn(x).split(WIDTH, dim=2))
        weights = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        weights = weights.masked_fill(self.bias[:, :, :length, :length] == 0, float("-inf"))
        y = F.softmax(weights, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(batch, length, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2, self.attn = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), CausalSelfAttention()
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(WIDTH, 4 * WIDTH), "c_proj": nn.Linear(4 * WIDTH, WIDTH), "act": nn.GELU()}
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp.c_proj(self.mlp.act(self.mlp.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(DIGITS, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.h, self.ln_f = nn.ModuleList([Block() for _ in range(LAYERS)]), nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, DIGITS, bias=False)
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, index, targets=None):
        x = self.wte(index) + self.wpe(torch.arange(index.size(1))[None])
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, DIGITS), targets.view(-1), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, index, count):
        for _ in range(count):
            logits, _ = self(index)
            index = torch.cat((index, logits[:, -1].argmax(-1, keepdim=True)), dim=1)
        return index


torch.manual_seed(3)
model = GPT()
decayed = [each for each in model.parameters() if each.dim() >= 2]
plain = [each for each in model.parameters() if each.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=3e-3, betas=(0.9, 0.95)
)
for step in range(250):
    numbers = torch.randint(DIGITS, (64, LENGTH))
    row = torch.cat((numbers, numbers.sort(1).values), 1)
    x, y = row[:, :-1], row[:, 1:].clone()
    y[:, : LENGTH - 1] = -1
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        logits, loss = model(x, y)
    model.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step == 0:
        print(logits.dtype, loss.dtype, f"{loss.item():.1f}")
numbers = torch.randint(DIGITS, (100, LENGTH))
right = (model.generate(numbers, LENGTH)[:, LENGTH:] == numbers.sort(1).values).all(1).sum().item()
print("most are sorted", right > 80)
assert right > 80, right
