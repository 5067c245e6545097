"""The table of workloads: every line is a program with its parameters."""

from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.calls import CALLS, SIZES
from benchmarks.libraries import LIBRARIES
from benchmarks.programs import (
    actor_critic,
    adam,
    calls,
    depth,
    distributions,
    dqn,
    gpt,
    lenet,
    loading,
    lstm,
    matmul,
    mlp,
    pointwise,
    policy,
    resnet,
    rows,
    sac,
    steps,
    tiny,
    transforms,
)


@dataclass(frozen=True)
class Workload:
    title: str
    family: str
    program: Callable
    parameters: dict = field(default_factory=dict)
    # Has an optimizer that torch can fuse.
    fuses: bool = False
    # Has functions that torch.compile can take in less than minutes.
    compiles: bool = True
    # Large enough for more than one thread to matter.
    large: bool = False
    # How many results are compared between libraries before the clock starts, and how closely.
    checked: int = 20
    tolerance: float = 1e-3
    # The libraries draw different random numbers: only the mean of the results is compared.
    random: bool = False

    def make(self):
        return self.program(**self.parameters)

    def takes(self, library_name):
        """Whether a library has this program, in a way of its own."""
        library = LIBRARIES[library_name]
        same_as_eager = library.only_with_optimizer and not self.fuses
        uncompiled = library.module == "torch" and library.options.get("compiled", False) and not self.compiles
        return hasattr(self.program, library.way) and not same_as_eager and not uncompiled


def mlp_step(batch, width):
    title = f"MLP step, batch {batch}, width {width}"
    return Workload(title, "mlp", mlp.Step, {"batch": batch, "width": width}, fuses=True, large=batch >= 256)


def chain(title, length, backward_only=False):
    """The results of long chains are compared once or a few times: a step is long."""
    parameters = {"depth": length, "backward_only": backward_only}
    checked = max(1, min(20, 100_000 // length))
    return Workload(title, "depth", depth.Chain, parameters, checked=checked, compiles=False)


def adam_step(count, size, words, norm=None):
    title = f"Adam's step on {words}" + ("" if norm is None else ", norm clipped")
    parameters = {"count": count, "size": size, "norm": norm}
    return Workload(title, "optimizers", adam.Step, parameters, fuses=True, large=size > 10**5, checked=3)


def network_step(title, program, checked=5, compiles=True):
    return Workload(title, "networks", program, fuses=True, large=True, checked=checked, compiles=compiles)


def transformed(title, program):
    """torch compiles some of these for minutes, and others not at all."""
    return Workload(title, "transforms", program, checked=3, compiles=False)


def large(title, family, program, **parameters):
    return Workload(title, family, program, parameters, large=True, checked=3)


WORKLOADS = {
    "add": Workload("a + b, 4 floats, recording", "tiny", tiny.Add, checked=2),
    "mul_sum_backward": Workload("(a * b).sum().backward(), 4 floats", "tiny", tiny.MulSumBackward, checked=2),
    "tanh": Workload("tanh 64 x 64, forward and backward", "tiny", tiny.Tanh, checked=2),
    "mlp_forward": Workload("MLP 8-64-64-4 forward, batch 1, recording", "mlp", mlp.Forward, {"recording": True}),
    "mlp_1_64": mlp_step(1, 64),
    "mlp_64_64": mlp_step(64, 64),
    "mlp_64_256": mlp_step(64, 256),
    "mlp_256_256": mlp_step(256, 256),
    "mlp_1024_512": mlp_step(1024, 512),
    "adam_50": adam_step(50, 64, "50 tensors of 64"),
    "adam_1e7": adam_step(10, 10**6, "10^7 parameters"),
    "adam_50_clipped": adam_step(50, 64, "50 tensors of 64", norm=1.0),
    "adam_1e7_clipped": adam_step(10, 10**6, "10^7 parameters", norm=1.0),
    "rmsprop_50": Workload("RMSprop's step on 50 tensors of 64", "optimizers", steps.RMSprop, checked=3),
    "clip_50": Workload("clip_grad_norm_ of 50 tensors of 64", "optimizers", steps.Clip, checked=3),
    "policy_forward": Workload("policy forward, batch 1, no_grad", "agents", mlp.Forward, {"recording": False}),
    "policy_sample": Workload("policy forward, sample, log_prob", "agents", policy.Act, tolerance=0.05, random=True),
    "categorical": Workload(
        "Categorical made, sample, log_prob", "agents", distributions.Draw, {"family": "Categorical"}
    ),
    "normal": Workload("Normal made, sample, log_prob", "agents", distributions.Draw, {"family": "Normal"}),
    "rejection": Workload("Gamma, Poisson and Binomial drawn, 1,000 each", "agents", distributions.Many, checked=3),
    "actor_critic": Workload("actor-critic update, 200 steps", "agents", actor_critic.Update, fuses=True, checked=8),
    "sac": Workload("SAC update, batch 256, 256 x 256", "agents", sac.Update, fuses=True, large=True, checked=8),
    "lenet": network_step("LeNet step, batch 64", lenet.Step),
    "dqn": network_step("Nature-DQN step, batch 32", dqn.Step),
    # near zero a ReLU goes either way with the rounding, and what differs grows eightfold a step
    "resnet": network_step("ResNet-18-shaped step, 32 x 32, batch 16", resnet.Step, checked=3, compiles=False),
    # torch compiles these two for minutes
    "gpt": network_step("char-GPT step, 4 layers, 128 wide, batch 16", gpt.Step, compiles=False),
    "lstm": network_step("LSTM step, 128 wide, 50 long, batch 32", lstm.Step),
    "per_sample": transformed("gradients of 256 samples, MLP 8-64-64-4", transforms.PerSample),
    "ensemble": transformed("step of 16 networks 8-64-64-4, batch 64", transforms.Ensemble),
    "hessian": transformed("Hessian of a function of 30 variables", transforms.Hessian),
    "physics": transformed("physics-informed loss with gradient, 1,000 points", transforms.Physics),
    "arithmetic_1e6": large("arithmetic chain, 10^6", "pointwise", pointwise.Arithmetic, size=10**6),
    "arithmetic_1e7": large("arithmetic chain, 10^7", "pointwise", pointwise.Arithmetic, size=10**7),
    "arithmetic_backward_1e6": large(
        "the same with backward, 10^6", "pointwise", pointwise.ArithmeticBackward, size=10**6
    ),
    "functions_1e6": large("tanh, exp, sigmoid, log, 10^6", "pointwise", pointwise.Functions, size=10**6),
    "functions_1e7": large("tanh, exp, sigmoid, log, 10^7", "pointwise", pointwise.Functions, size=10**7),
    "softmax": large("softmax (4096, 1024)", "rows", rows.Softmax),
    "softmax_backward": large("softmax with backward", "rows", rows.Softmax, backward=True),
    "layer_norm": large("layer_norm (4096, 1024)", "rows", rows.LayerNorm),
    "layer_norm_backward": large("layer_norm with backward", "rows", rows.LayerNorm, backward=True),
    "sum_0": large("sum over dim 0 of (4096, 1024)", "rows", rows.Sum, dim=0),
    "sum_1": large("sum over dim 1 of (4096, 1024)", "rows", rows.Sum, dim=1),
    **{
        f"matmul_{size}": large(f"matmul {size} x {size}", "matmul", matmul.Square, size=size)
        for size in (64, 128, 256, 512, 1024, 2048)
    },
    "loading": Workload("60,000 samples of a TensorDataset, batch 64", "data", loading.Loop, compiles=False, checked=1),
    "loading_own": Workload(
        "the same from a dataset of one's own", "data", loading.Loop, {"own": True}, compiles=False, checked=1
    ),
    "backward_10000": chain("backward per op, chain of 10,000", 10_000, backward_only=True),
    **{
        f"depth_{length}": chain(f"forward and backward per op, {length:,} deep", length)
        for length in (10, 100, 1000, 10_000, 100_000, 1_000_000)
    },
}

# The first five lines, for a look in under a minute.
QUICK = ("add", "mul_sum_backward", "tanh", "mlp_forward", "mlp_1_64")
FAMILIES = {
    "tiny": "Tiny tensors",
    "data": "Loading data",
    "mlp": "A small network",
    "optimizers": "Optimizers",
    "agents": "Reinforcement learning",
    "networks": "Networks",
    "transforms": "Function transforms",
    "pointwise": "Large pointwise chains",
    "rows": "Rows and columns",
    "matmul": "Matrix products",
    "depth": "Depth of the graph",
    "start": "From a cold start",
    "memory": "Peak memory",
}


def op_workload(name, size, backward):
    call, _ = CALLS[name]
    parameters = {"call": call, "size": size, "backward": backward}
    return Workload(call, "ops", calls.Call, parameters, checked=2)


# A single op by its name, the number of elements, and whether its gradient is computed too.
OPS = {
    f"{name}/{size}/{'backward' if backward else 'forward'}": op_workload(name, size, backward)
    for name, (_, differentiable) in CALLS.items()
    for size in SIZES
    for backward in ((False, True) if differentiable else (False,))
}
EVERY = {**WORKLOADS, **OPS}
