"""nystrom-attention, halonet, bottleneck transformers and conformer: attention of four kinds learns from a batch."""

import torch
from bottleneck_transformer_pytorch import BottleStack
from conformer import Conformer
from halonet_pytorch import HaloAttention
from nystrom_attention import Nystromformer


def learn(name, model, batch, wanted, **options):
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(8):
        optimizer.zero_grad()
        loss = (model(batch, **options) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.99 * losses[0], (name, losses)
    print(f"{name}: {losses[0]:.3f} -> {losses[-1]:.3f}")


torch.manual_seed(0)
words = torch.randn(2, 40, 32)
mask = torch.ones(2, 40, dtype=torch.bool)
nystrom = Nystromformer(dim=32, dim_head=8, heads=4, depth=1, num_landmarks=8, pinv_iterations=4)
learn("nystrom", nystrom, words, words.flip(1), mask=mask)
image = torch.randn(1, 16, 16, 16)
learn("halo", HaloAttention(dim=16, block_size=4, halo_size=2, dim_head=8, heads=2), image, image.roll(1, 2))
small = torch.randn(1, 16, 8, 8)
bottle = BottleStack(
    dim=16, fmap_size=8, dim_out=32, proj_factor=4, downsample=True, heads=2, dim_head=8, rel_pos_emb=True
)
learn("bottleneck", bottle, small, torch.ones(1, 32, 4, 4))
sound = torch.randn(2, 20, 32)
learn("conformer", Conformer(dim=32, depth=1, dim_head=8, heads=2, conv_kernel_size=5), sound, sound.cumsum(1) / 4)
