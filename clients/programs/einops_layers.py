"""einops: rearrange, reduce, repeat, einsum and the layers, in a small mixer that learns."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8)
patches = rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4)
print(
    tuple(patches.shape),
    tuple(reduce(x, "b c h w -> b c", "mean").shape),
    tuple(repeat(x[:, :, 0, 0], "b c -> b n c", n=5).shape),
)
assert torch.allclose(einsum(patches, patches, "b i d, b j d -> b i j"), patches @ patches.mT, atol=1e-5)
packed, shapes = pack([torch.zeros(2, 5), torch.ones(2, 3, 5)], "b * c")
assert [tuple(each.shape) for each in unpack(packed, shapes, "b * c")] == [(2, 5), (2, 3, 5)]
model = nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
    EinMix("b n d -> b n e", weight_shape="d e", bias_shape="e", d=48, e=16),
    nn.GELU(),
    EinMix("b n d -> b m d", weight_shape="n m", bias_shape="m", n=4, m=4),
    Reduce("b n d -> b d", "mean"),
    nn.Linear(16, 2),
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(40):
    loss = nn.functional.cross_entropy(model(x), torch.tensor([0, 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"{loss.item():.4f}")
assert loss < 0.1
