"""Programs for the native ways of functions, modules and optimizers: what each of them is there for."""

from __future__ import annotations

import numpy as np

import rushlight as torch
from rushlight import native
from rushlight.core.random import random as draws
from rushlight.core.random import rejection, streams
from rushlight.distributions import categorical, constraints
from rushlight.errors import lost
from rushlight.nn import functional as F
from rushlight.ops.reductions import selecting

X = torch.tensor([[1.0, 2.0, 0.5], [0.25, 3.0, 1.5]])
N = X.numpy()
RANKS = np.array([1, 0, 1, 0])
CLASSES = torch.tensor([2, 0])
IMAGE = torch.ones(1, 1, 4, 4)
ROW = torch.ones(1, 1, 4)


def second_step(method, **options):
    """An optimizer's second step: the first one is Python's."""
    param = torch.ones(3, requires_grad=True)
    optimizer = getattr(torch.optim, method)([param], **options)
    param.grad = torch.ones(3)
    optimizer.step()
    return optimizer.step


def gradients():
    param = torch.ones(3, requires_grad=True)
    param.grad = torch.ones(3)
    return [param]


ROUTES = {
    "equal": lambda: torch.equal(X, X),
    "allclose": lambda: torch.allclose(X, X),
    "conv1d": lambda: F.conv1d(ROW, torch.ones(1, 1, 2)),
    "conv2d": lambda: F.conv2d(IMAGE, torch.ones(1, 1, 2, 2)),
    "conv_transpose1d": lambda: F.conv_transpose1d(ROW, torch.ones(1, 1, 2)),
    "conv_transpose2d": lambda: F.conv_transpose2d(IMAGE, torch.ones(1, 1, 2, 2)),
    "diag": lambda: torch.diag(X[0]),
    "nn.functional.embedding": lambda: F.embedding(CLASSES, torch.ones(3, 2)),
    "hstack": lambda: torch.hstack([X, X]),
    "vstack": lambda: torch.vstack([X, X]),
    "nn.functional.mse_loss": lambda: F.mse_loss(X, X),
    "nn.functional.l1_loss": lambda: F.l1_loss(X, X),
    "nn.functional.smooth_l1_loss": lambda: F.smooth_l1_loss(X, X),
    "nn.functional.huber_loss": lambda: F.huber_loss(X, X),
    "nn.functional.binary_cross_entropy": lambda: F.binary_cross_entropy(X.sigmoid(), X.sigmoid()),
    "nn.functional.binary_cross_entropy_with_logits": lambda: F.binary_cross_entropy_with_logits(X, X.sigmoid()),
    "nn.functional.kl_div": lambda: F.kl_div(X, X, reduction="sum"),
    "nn.functional.nll_loss": lambda: F.nll_loss(X, CLASSES),
    "nn.functional.cross_entropy": lambda: F.cross_entropy(X, CLASSES),
    "nonzero": lambda: torch.nonzero(X),
    "max": lambda: torch.max(X),
    "min": lambda: torch.min(X),
    "nn.functional.layer_norm": lambda: F.layer_norm(X, (3,)),
    "nn.functional.rms_norm": lambda: F.rms_norm(X, (3,)),
    "norm": lambda: torch.norm(X),
    "linalg.norm": lambda: torch.linalg.norm(X),
    "outer": lambda: torch.outer(X[0], X[1]),
    "where": lambda: torch.where(X > 1, X, X),
    "square": lambda: torch.square(X),
    "true_divide": lambda: torch.true_divide(X, X),
    "nn.functional.softmax": lambda: F.softmax(X, dim=-1),
    "nn.functional.log_softmax": lambda: F.log_softmax(X, dim=-1),
    "argsort": lambda: torch.argsort(X),
    "split": lambda: torch.split(X, 1),
    "chunk": lambda: torch.chunk(X, 2),
    "movedim": lambda: torch.movedim(X, 0, -1),
    "narrow": lambda: torch.narrow(X, 0, 0, 1),
    "var": lambda: torch.var(X),
    "std": lambda: torch.std(X),
    "var_mean": lambda: torch.var_mean(X),
    "std_mean": lambda: torch.std_mean(X),
    "view": lambda: X.view(3, 2),
    "reshape": lambda: X.reshape(3, 2),
    "flatten": lambda: X.flatten(),
}
SHORTCUTS = {
    "optim.optimizer.Optimizer.step": second_step("Adam"),
    "optim.optimizer.Optimizer.zero_grad": lambda: torch.optim.SGD(gradients()).zero_grad(),
    "nn.utils.clip_grad.clip_norm": lambda: torch.nn.utils.clip_grad_norm_(gradients(), 1.0),
    "distributions.constraints.Constraint.holds": lambda: constraints.positive.holds(X),
    "distributions.constraints._IndependentConstraint.holds": lambda: constraints.real_vector.holds(X),
    "distributions.categorical.drawn": lambda: categorical.drawn(X.softmax(-1), 1, (2,)),
    "core.creation.creation.tensor": lambda: torch.tensor([1.0, 2.0]),
    "core.creation.creation.as_tensor": lambda: torch.as_tensor([1.0, 2.0]),
    "core.creation.creation.from_numpy": lambda: torch.from_numpy(np.ones(2)),
    "core.creation.filled.zeros": lambda: torch.zeros(2, 3),
    "core.creation.filled.ones": lambda: torch.ones(2, 3),
    "core.creation.filled.empty": lambda: torch.empty(2, 3),
    "core.creation.filled.full": lambda: torch.full((2, 3), 1.5),
    "core.creation.filled.eye": lambda: torch.eye(3),
    "core.creation.likeness.zeros_like": lambda: torch.zeros_like(X),
    "core.creation.likeness.ones_like": lambda: torch.ones_like(X),
    "core.creation.likeness.empty_like": lambda: torch.empty_like(X),
    "core.creation.likeness.full_like": lambda: torch.full_like(X, 1.5),
    "core.creation.likeness.new_zeros": lambda: X.new_zeros(2, 3),
    "core.creation.likeness.new_ones": lambda: X.new_ones(2, 3),
    "core.creation.likeness.new_empty": lambda: X.new_empty(2, 3),
    "core.creation.ranges.arange": lambda: torch.arange(5),
    "core.creation.ranges.linspace": lambda: torch.linspace(0, 1, 5),
    "core.creation.ranges.logspace": lambda: torch.logspace(0, 1, 5),
    "core.creation.ranges.tril_indices": lambda: torch.tril_indices(3, 3),
    "core.creation.ranges.triu_indices": lambda: torch.triu_indices(3, 3),
    "core.random.streams.uniform32": lambda: streams.uniform32(torch.default_generator, 5),
    "core.random.streams.uniform64": lambda: streams.uniform64(torch.default_generator, 5),
    "core.random.streams.normals_one_by_one": lambda: streams.normals_one_by_one(torch.default_generator, 5),
    "core.random.random.uniform": lambda: draws.uniform((3,), np.dtype("float32")),
    "core.random.random.normal": lambda: draws.normal((3,), np.dtype("float32")),
    "core.random.random.exponential": lambda: draws.exponential((3,), np.dtype("float32")),
    "core.random.random.bernoulli": lambda: draws.bernoulli(0.5, (3,), np.dtype("float32")),
    "core.random.random.integers": lambda: draws.integers(0, 9, (3,), np.dtype("int64")),
    "core.random.random.permutation": lambda: draws.permutation(5, np.dtype("int64")),
    "core.random.random.multinomial": lambda: draws.multinomial(N, 1, False),
    "core.random.rejection.gamma": lambda: rejection.gamma(N),
    "core.random.rejection.poisson": lambda: rejection.poisson(N),
    "core.random.rejection.binomial": lambda: rejection.binomial(N, N / 9),
    "ops.reductions.selecting.top_places": lambda: selecting.top_places(RANKS, 2, True),
    "ops.reductions.selecting.sorted_places": lambda: selecting.sorted_places(RANKS),
    "ops.reductions.selecting.place_of": lambda: selecting.place_of(RANKS, 1),
    "ops.random.dropout.dropped": lambda: F.dropout(X, 0.5),
    "ops.random.sampling.rand": lambda: torch.rand(2, 3),
    "ops.random.sampling.randn": lambda: torch.randn(2, 3),
    "ops.random.sampling.randint": lambda: torch.randint(9, (2, 3)),
    "ops.random.sampling.randperm": lambda: torch.randperm(5),
    "ops.random.sampling.rand_like": lambda: torch.rand_like(X),
    "ops.random.sampling.randn_like": lambda: torch.randn_like(X),
    "ops.random.filling.uniform_": lambda: torch.empty(3).uniform_(),
    "ops.random.filling.normal_": lambda: torch.empty(3).normal_(),
    "ops.random.filling.exponential_": lambda: torch.empty(3).exponential_(),
    "ops.random.filling.bernoulli_": lambda: torch.empty(3).bernoulli_(0.5),
}
LINKS = {
    "nn.modules.module.Module.__call__": lambda: torch.nn.Bilinear(3, 3, 2)(X, X),
    "nn.modules.container.Sequential.forward": lambda: torch.nn.Sequential(torch.nn.Softmax(-1))(X),
    "_dynamo.eval_frame.OptimizedModule.forward": lambda: torch.compile(torch.nn.Linear(3, 2))(X),
    "nn.modules.linear.Linear.forward": lambda: torch.nn.Linear(3, 2)(X),
    "nn.modules.activation.ReLU.forward": lambda: torch.nn.ReLU()(X),
    "nn.modules.activation.SiLU.forward": lambda: torch.nn.SiLU()(X),
    "nn.modules.activation.ELU.forward": lambda: torch.nn.ELU()(X),
    "nn.modules.activation.LeakyReLU.forward": lambda: torch.nn.LeakyReLU()(X),
    "nn.modules.activation.Softplus.forward": lambda: torch.nn.Softplus()(X),
    "nn.modules.activation.Tanh.forward": lambda: torch.nn.Tanh()(X),
    "nn.modules.activation.Sigmoid.forward": lambda: torch.nn.Sigmoid()(X),
    "nn.modules.dropout.Dropout.forward": lambda: torch.nn.Dropout()(X),
    "nn.modules.normalization.LayerNorm.forward": lambda: torch.nn.LayerNorm(3)(X),
    "nn.modules.flatten.Flatten.forward": lambda: torch.nn.Flatten()(X),
    "optim.sgd.SGD.step_for": second_step("SGD"),
    "optim.adam.Adam.step_for": second_step("Adam"),
    "optim.rmsprop.RMSprop.step_for": second_step("RMSprop"),
}
PROGRAMS = {**ROUTES, **SHORTCUTS, **LINKS}


def hooked():
    layer = torch.nn.Linear(3, 2)
    layer.register_forward_hook(lambda *given: None)
    return layer(X)


def with_a_tensor_for_a_rate():
    step = second_step("SGD")
    step.__self__.param_groups[0]["lr"] = torch.tensor(0.1)
    step()


# what is left to Python, and the reason that is counted
DECLINED = {
    "nn.modules.module.Module.__call__": (hooked, "a hook of the module"),
    "nn.modules.linear.Linear.forward": (lambda: torch.nn.Linear(3, 2)(input=X), "input == nullptr"),
    "nn.modules.container.Sequential.forward": (
        lambda: torch.nn.Sequential(torch.nn.Tanh())(input=X),
        "given == nullptr",
    ),
    "_dynamo.eval_frame.OptimizedModule.forward": (
        lambda: torch.compile(torch.nn.Linear(3, 2))(input=X),
        "given == nullptr",
    ),
    "optim.sgd.SGD.step_for": (
        with_a_tensor_for_a_rate,
        "!read_settings(method, group, step.settings.back())",
    ),
    "distributions.constraints.Constraint.holds": (
        lambda: constraints.positive.holds(torch.ones(2, dtype=torch.int32)),
        "a dtype without loops",
    ),
}


def of(name):
    return next(each.forward for each in native.report() if each.name == name)


def accepted(name):
    """How many calls the native way of this name has done."""
    return of(name).accepted


def undone(name):
    """What was counted where the program of this name did not take its native way; None where it did."""
    # a new array may lie where one lay that came out of a graph, and Python would have to tell them apart
    lost._arrays.clear()
    before = of(name)
    PROGRAMS[name]()
    after = of(name)
    is_done = after.accepted > before.accepted and after.declined == before.declined
    return None if is_done else after
