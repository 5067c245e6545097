"""auraloss: losses between sounds in time and in several resolutions of frequency; a filter learns by one of them"""

import auraloss
import torch

torch.manual_seed(0)
time = torch.arange(4000) / 8000
clean = torch.sin(2 * torch.pi * 440 * time)[None, None] * torch.linspace(1, 0, 4000)
noisy = clean + 0.1 * torch.randn_like(clean)
for name, loss_of in {
    "stft": auraloss.freq.STFTLoss(fft_size=512, hop_size=128, win_length=512),
    "multi": auraloss.freq.MultiResolutionSTFTLoss(fft_sizes=[512, 256], hop_sizes=[128, 64], win_lengths=[512, 256]),
    "esr": auraloss.time.ESRLoss(),
    "snr": auraloss.time.SNRLoss(),
    "sisdr": auraloss.time.SISDRLoss(),
    "logcosh": auraloss.time.LogCoshLoss(),
    "dc": auraloss.time.DCLoss(),
}.items():
    print(name, f"{loss_of(noisy, clean).item():.3f}")
filtered = torch.nn.Conv1d(1, 1, 31, padding=15, bias=False)
loss_of = auraloss.freq.MultiResolutionSTFTLoss(fft_sizes=[512, 256], hop_sizes=[128, 64], win_lengths=[512, 256])
optimizer = torch.optim.Adam(filtered.parameters(), lr=1e-2)
losses = []
for _ in range(60):
    loss = loss_of(filtered(noisy), clean) + auraloss.time.ESRLoss()(filtered(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"filter {losses[0]:.2f} -> {losses[-1]:.2f}")
assert losses[-1] < 0.7 * losses[0]
