"""pyro: a posterior by variational inference and by Hamiltonian Monte Carlo."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import Adam

pyro.set_rng_seed(0)
x = torch.randn(60)
y = 1.5 * x - 0.5 + 0.3 * torch.randn(60)


def model(x, y=None):
    slope = pyro.sample("slope", dist.Normal(0.0, 3.0))
    offset = pyro.sample("offset", dist.Normal(0.0, 3.0))
    noise = pyro.sample("noise", dist.LogNormal(-1.0, 0.5))
    with pyro.plate("data", len(x)):
        return pyro.sample("y", dist.Normal(slope * x + offset, noise), obs=y)


guide = AutoNormal(model)
svi = SVI(model, guide, Adam({"lr": 0.03}), Trace_ELBO())
losses = [svi.step(x, y) for _ in range(400)]
print("losses", *(f"{each:.3f}" for each in losses[:3]), f"... {losses[-1]:.3f}")
found = guide.median()
print({name: round(value.item(), 3) for name, value in found.items()})
assert abs(found["slope"].item() - 1.5) < 0.2 and abs(found["offset"].item() + 0.5) < 0.2
samples = Predictive(model, guide=guide, num_samples=20)(x[:3])
print("predicted", tuple(samples["y"].shape))
chain = MCMC(NUTS(model, jit_compile=False), num_samples=60, warmup_steps=60, disable_progbar=True)
chain.run(x, y)
mean = chain.get_samples()["slope"].mean().item()
print(f"NUTS slope {mean:.3f}")
assert abs(mean - 1.5) < 0.2
