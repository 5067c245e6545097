"""botorch: Bayesian optimization finds the top of a function in a few evaluations."""

import warnings

import torch
from botorch.acquisition import LogExpectedImprovement, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.simplefilter("ignore")
torch.manual_seed(0)


def height(x):
    return torch.exp(-4 * ((x - 0.3) ** 2).sum(-1, keepdim=True))


bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double)
x = torch.rand(5, 2, dtype=torch.double)
for step in range(8):
    y = height(x)
    model = SingleTaskGP(x, y, input_transform=Normalize(2), outcome_transform=Standardize(1))
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    acquisition = LogExpectedImprovement(model, y.max()) if step % 2 else qExpectedImprovement(model, y.max())
    candidate, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=3, raw_samples=32)
    x = torch.cat([x, candidate])
    print(step, [round(each, 4) for each in candidate[0].tolist()], f"{height(x).max().item():.4f}")
assert height(x).max() > 0.98
