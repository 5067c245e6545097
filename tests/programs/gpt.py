"""A GPT of four layers learns to write lines of four words, letter by letter."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F

LAYERS, HEADS, WIDTH, CONTEXT = 4, 4, 48, 32
BATCH, STEPS, WARMUP, LEARNING_RATE = 16, 150, 10, 2e-3


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
        self.c_proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(WIDTH, dim=2)
        q = q.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        k = k.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        v = v.view(B, T, HEADS, C // HEADS).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attn = CausalSelfAttention()
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.ModuleDict(
            {"c_fc": nn.Linear(WIDTH, 4 * WIDTH), "act": nn.GELU(), "c_proj": nn.Linear(4 * WIDTH, WIDTH)}
        )

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        m = self.mlp
        return x + m.c_proj(m.act(m.c_fc(self.ln_2(x))))


class GPT(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, WIDTH)
        self.wpe = nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.ln_f = nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * LAYERS))

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)

    def forward(self, idx, targets=None):
        pos = torch.arange(idx.size(1), dtype=torch.long, device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, count):
        for _ in range(count):
            logits, _ = self(idx[:, -CONTEXT:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            _, idx_next = torch.topk(probs, k=1, dim=-1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx

    def configure_optimizer(self):
        decay = [p for p in self.parameters() if p.dim() >= 2]
        rest = [p for p in self.parameters() if p.dim() < 2]
        groups = [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}]
        return torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.95))


def make_text(lines):
    """Lines such as `otto has 2 hens`, of words drawn at random."""
    columns = [["anna", "otto", "emma", "karl"], ["has", "wants"], ["2", "3", "4"], ["hens", "figs", "nuts"]]
    text = ""
    for _ in range(lines):
        words = [column[torch.randint(len(column), (1,)).item()] for column in columns]
        text += " ".join(words) + "\n"
    return text


def get_batch():
    ix = torch.randint(len(data) - CONTEXT, (BATCH,))
    x = torch.stack([data[i : i + CONTEXT] for i in ix])
    y = torch.stack([data[i + 1 : i + 1 + CONTEXT] for i in ix])
    return x, y


def get_lr(step):
    """A linear start, then a cosine that falls to a tenth."""
    if step < WARMUP:
        return LEARNING_RATE * (step + 1) / WARMUP
    share = (step - WARMUP) / (STEPS - WARMUP)
    return LEARNING_RATE * (0.1 + 0.45 * (1.0 + math.cos(math.pi * share)))


torch.manual_seed(0)
text = make_text(300)
chars = sorted(set(text))
stoi = {ch: i for i, ch in enumerate(chars)}
data = torch.tensor([stoi[ch] for ch in text], dtype=torch.long)

model = GPT(len(chars))
print("parameters", sum(p.numel() for p in model.parameters()))
optimizer = model.configure_optimizer()
for step in range(STEPS):
    for param_group in optimizer.param_groups:
        param_group["lr"] = get_lr(step)
    x, y = get_batch()
    logits, loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")

model.eval()
prompt = torch.tensor([[stoi[ch] for ch in "emma "]])
written = "".join(chars[i] for i in model.generate(prompt, 40)[0].tolist())
print("written", " / ".join(written.splitlines()))
