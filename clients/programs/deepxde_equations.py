"""deepxde: networks that solve an ordinary and a partial differential equation, and an inverse problem"""

import os

os.environ["DDE_BACKEND"] = "pytorch"
import deepxde as dde
import numpy as np
import torch

dde.config.set_random_seed(0)
line = dde.geometry.Interval(-1, 1)


def equation(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * torch.sin(np.pi * x)


data = dde.data.PDE(
    line,
    equation,
    dde.icbc.DirichletBC(line, lambda x: 0, lambda x, on: on),
    16,
    2,
    solution=lambda x: np.sin(np.pi * x),
    num_test=50,
)
model = dde.Model(data, dde.nn.FNN([1, 24, 24, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=3e-3, metrics=["l2 relative error"])
_, state = model.train(iterations=1200, display_every=400, verbose=0)
print("Poisson", state.best_metrics[0] < 0.05)
assert state.best_metrics[0] < 0.05

# a rate that is not known, found from what was observed
rate = dde.Variable(0.3)
time = dde.geometry.TimeDomain(0, 2)
seen = np.linspace(0, 2, 20)[:, None]
inverse = dde.data.PDE(
    time,
    lambda t, y: dde.grad.jacobian(y, t) + rate * y,
    [dde.icbc.PointSetBC(seen, np.exp(-1.2 * seen))],
    num_domain=30,
    num_boundary=2,
    anchors=seen,
)
found = dde.Model(inverse, dde.nn.FNN([1, 20, 20, 1], "tanh", "Glorot uniform"))
found.compile("adam", lr=5e-3, external_trainable_variables=[rate])
found.train(iterations=1200, display_every=600, verbose=0)
print("rate", round(rate.item(), 1))
assert abs(rate.item() - 1.2) < 0.15
