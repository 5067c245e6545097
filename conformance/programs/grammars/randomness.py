"""Randomness: draws of every kind from torch's stream, states kept and brought back."""

from __future__ import annotations

from conformance.programs.grammars.chance import overlaps_itself
from conformance.programs.scope import Scope

FILLS = (
    "normal_()",
    "uniform_()",
    "uniform_(-1, 2)",
    "bernoulli_(0.3)",
    "exponential_()",
    "cauchy_()",
    "geometric_(0.4)",
    "log_normal_()",
    "random_()",
    "random_(5)",
    "random_(2, 9)",
    "normal_(1, 2)",
    "bernoulli_()",
)


def statement(scope: Scope) -> str | None:
    return scope.choose(*FORMS)(scope)


def made(scope: Scope) -> str:
    shape = scope.choose((3,), (2, 3), (17,), (4, 8), (), (0,), (16,), (5, 5))
    dtype = scope.choose("float32", "float64", "float32", "float16", "bfloat16")
    source = scope.choose("", "", "generator=torch.Generator().manual_seed(7), ")
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.rand({shape}, {source}dtype=torch.{dtype})",
        f"torch.randn({shape}, {source}dtype=torch.{dtype})",
        f"torch.randint({scope.integer(1, 99)}, {shape}, {source[:-2]})",
        f"torch.randint(-5, {scope.choose(7, 2**31, 2**40)}, {shape})",
        f"torch.randperm({scope.integer(0, 20)}, {source[:-2]})",
        f"torch.normal({scope.number()}, 2.0, {shape})",
        f"torch.empty({shape}).{scope.choose(*FILLS)}",
        "torch.randn(3, 4).to(torch.float64)",
    )


def filled(scope: Scope) -> str | None:
    name = scope.tensor(lambda tensor: not overlaps_itself(tensor))
    return None if name is None else f"{name}.{scope.choose(*FILLS)}"


def alike(scope: Scope) -> str | None:
    # of what torch refuses it has drawn some numbers already
    name = scope.tensor(lambda tensor: tensor.dtype.is_floating_point)
    if name is None:
        return None
    return f"{scope.fresh()} = " + scope.choose(
        f"torch.rand_like({name})",
        f"torch.randn_like({name})",
        f"torch.randint_like({name}, 9)",
        f"torch.bernoulli({name}.abs().clamp(0, 1))",
        f"torch.poisson({name}.abs())",
        f"torch.multinomial({name}.abs().flatten() + 0.1, {scope.integer(1, 2)}, {scope.chance(0.5)})",
        f"torch.normal({name}, {name}.abs() + 0.5)",
        f"F.dropout({name}, 0.4)",
        f"F.dropout({name}, 0.4, inplace=True)",
        f"F.alpha_dropout({name}, 0.3, training=True)",
        f"F.dropout1d({name}, 0.5)",
        f"F.rrelu({name}, training=True)",
        f"F.gumbel_softmax({name}, dim=-1)",
        f"torch.binomial(torch.full_like({name}, 5.0), {name}.abs().clamp(0, 1))",
        f"torch._standard_gamma({name}.abs() + 0.2)",
    )


def state(scope: Scope) -> str:
    # a state that was written to is none: torch reads it as it is, and what it draws then is chance
    kept = scope.names(
        lambda value: (
            type(value).__name__ == "Tensor"
            and value.dtype == scope.torch.uint8
            and value.numel() > 5000
            and value._version == 0
        )
    )
    if kept and scope.chance(0.5):
        return f"torch.set_rng_state({scope.choose(*kept)})"
    return scope.choose(
        f"torch.manual_seed({scope.integer(0, 10)})",
        f"{scope.fresh()} = torch.get_rng_state()",
        f"{scope.fresh()} = torch.initial_seed()",
        f"with torch.random.fork_rng():\n    {scope.fresh()} = torch.randn(3)",
    )


def initialised(scope: Scope) -> str | None:
    name = scope.tensor(lambda tensor: not overlaps_itself(tensor))
    if name is None:
        return None
    return "nn.init." + scope.choose(
        f"xavier_uniform_({name})",
        f"kaiming_normal_({name})",
        f"normal_({name}, 0, 2)",
        f"trunc_normal_({name})",
        f"orthogonal_({name})",
        f"kaiming_uniform_({name}, a=2)",
        f"uniform_({name})",
        f"sparse_({name}, 0.5)",
    )


FORMS = (made, made, filled, alike, alike, state, initialised)
