"""diffusers: a small U-Net learns to take noise away, a pipeline draws, and models come back from files."""

import tempfile

import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMPipeline, DDPMScheduler, EulerDiscreteScheduler, UNet2DModel
from torch.nn import functional as F

torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=8,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(16, 16),
    norm_num_groups=4,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)
schedule, images, losses = DDPMScheduler(50), torch.ones(8, 1, 8, 8), []
optimizer = torch.optim.AdamW(unet.parameters(), 2e-3)
for _ in range(15):
    noise, steps = torch.randn_like(images), torch.randint(0, 50, (8,))
    loss = F.mse_loss(unet(schedule.add_noise(images, noise, steps), steps).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"{losses[0]:.2f}")
assert losses[-1] < 0.8 * losses[0], losses
pipeline = DDPMPipeline(unet, schedule)
pipeline.set_progress_bar_config(disable=True)
drawn = pipeline(batch_size=1, num_inference_steps=3, output_type="np", generator=torch.manual_seed(0)).images
print(drawn.shape)
with tempfile.TemporaryDirectory() as folder:
    unet.save_pretrained(folder)
    again = UNet2DModel.from_pretrained(folder)
assert torch.equal(again(images, 3).sample, unet.eval()(images, 3).sample)
for kind in (DDIMScheduler, EulerDiscreteScheduler):
    other, z = kind(), torch.ones(1, 1, 8, 8)
    other.set_timesteps(4)
    for step in other.timesteps:
        z = other.step(torch.zeros_like(z), step, z).prev_sample
    print(kind.__name__, f"{z.mean().item():.2f}")
small = AutoencoderKL(in_channels=1, out_channels=1, block_out_channels=(8,), norm_num_groups=2, latent_channels=2)
print(tuple(small(images).sample.shape))
