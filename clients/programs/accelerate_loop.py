"""accelerate: a plain loop prepared for whatever device there is, with accumulation, clipping and a saved state."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
x = torch.randn(256, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True).sin()), 32, shuffle=True)
model = nn.Sequential(nn.Linear(4, 32), nn.GELU(), nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 200, 0.5)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
losses = []
for _ in range(40):
    for inputs, targets in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        losses.append(accelerator.gather(loss.detach()).item())
print(f"first {losses[0]:.4f}, last {losses[-1]:.4f}")
assert losses[-1] < 0.3 * losses[0]
with tempfile.TemporaryDirectory() as folder:
    before = accelerator.unwrap_model(model)[0].weight.clone()
    accelerator.save_state(folder)
    with torch.no_grad():
        accelerator.unwrap_model(model)[0].weight.zero_()
    accelerator.load_state(folder)
    assert torch.equal(accelerator.unwrap_model(model)[0].weight, before)
