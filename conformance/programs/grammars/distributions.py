"""Distributions: families with parameters of many shapes, their methods in any order, divergences, transforms."""

from __future__ import annotations

from conformance.programs.scope import Scope

REAL, POSITIVE, UNIT = "real", "positive", "unit"
FAMILIES = {
    **dict.fromkeys(("Normal", "Laplace", "Cauchy", "Gumbel", "LogNormal", "VonMises"), (REAL, POSITIVE)),
    **dict.fromkeys(("Gamma", "Beta", "Weibull", "Pareto", "Kumaraswamy", "InverseGamma"), (POSITIVE, POSITIVE)),
    **dict.fromkeys(("Exponential", "Poisson", "HalfNormal", "HalfCauchy", "Chi2", "StudentT"), (POSITIVE,)),
    **dict.fromkeys(("Categorical", "OneHotCategorical", "Dirichlet"), (POSITIVE,)),
    **dict.fromkeys(("Bernoulli", "Geometric", "ContinuousBernoulli"), (UNIT,)),
}
NUMBERS = {
    REAL: ("0.5", "-1.", "0"),
    POSITIVE: ("0.5", "2.0", "1", "torch.tensor([0.5, 2.0, 1.0])"),
    UNIT: ("0.3", "0.5", "torch.tensor([0.2, 0.9])"),
}
METHODS = (
    "mean",
    "variance",
    "stddev",
    "mode",
    "entropy()",
    "sample()",
    "rsample()",
    "sample((2,))",
    "rsample((3,))",
    "support",
    "expand((2, 3))",
    "log_prob({})",
    "cdf({})",
    "icdf(torch.tensor(0.3))",
    "enumerate_support()",
    "batch_shape",
    "event_shape",
    "has_rsample",
    "log_prob({})",
    "log_prob({})",
    "perplexity()",
)


def statement(scope: Scope) -> str | None:
    found = scope.names(lambda value: isinstance(value, scope.torch.distributions.Distribution))
    if not found or scope.chance(0.2):
        return made(scope)
    name = scope.choose(*found)
    if scope.chance(0.1):
        return f"{scope.fresh()} = D.kl_divergence({name}, {scope.choose(*found)})"
    if scope.chance(0.1):
        return wrapped(scope, name)
    method = scope.choose(*METHODS)
    value = scope.choose(
        f"{name}.sample()", "torch.tensor(0.5)", "torch.tensor([1., 0., 1.])", "1.0", scope.tensor() or "1"
    )
    return f"{scope.fresh('d' if method.startswith('expand') else 'x')} = {name}.{method.format(value)}"


def made(scope: Scope) -> str:
    family = scope.choose(*FAMILIES)
    parameters = [parameter(scope, kind) for kind in FAMILIES[family]]
    return f"{scope.fresh('d')} = D.{family}({', '.join(parameters)})"


def parameter(scope: Scope, kind: str) -> str:
    name = scope.tensor(lambda tensor: tensor.dtype.is_floating_point and tensor.numel() < 100)
    if scope.chance(0.25) or name is None:
        return scope.choose(*NUMBERS[kind])
    if kind == POSITIVE:
        return scope.choose(f"{name}.exp()", f"{name}.abs() + 0.5") if scope.chance(0.95) else name
    return name if kind == REAL else f"torch.sigmoid({name})"


def wrapped(scope: Scope, name: str) -> str:
    transform = scope.choose(
        "D.ExpTransform()",
        "D.SigmoidTransform()",
        "D.AffineTransform(1.0, 2.0)",
        "D.TanhTransform()",
        "D.ComposeTransform([D.AffineTransform(0.5, -1.0), D.ExpTransform()])",
    )
    return f"{scope.fresh('d')} = " + scope.choose(
        f"D.Independent({name}, {scope.integer(0, 1)})", f"D.TransformedDistribution({name}, [{transform}])"
    )
