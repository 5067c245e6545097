"""Tensors out of nothing: written out, filled, counted, with and without gradient."""

from conformance.programs.scope import DTYPES, FLOATS, Scope

FILLED = ("torch.zeros({})", "torch.ones({})", "torch.full({}, 1.5)", "torch.rand({})", "torch.randn({})")


def tensor(scope: Scope) -> str:
    """Mostly floats, half of them requiring grad."""
    return floats(scope) if scope.chance(0.7) else any_dtype(scope)


def floats(scope: Scope) -> str:
    shape = scope.shape() if scope.chance(0.5) else scope.choose((3,), (2, 3), (3, 3), (2, 3, 4))
    dtype = scope.choose(*FLOATS, "float32")
    if scope.chance(0.2):
        text = scope.choose(*FILLED).format(shape)
    else:
        text = scope.literal(shape, dtype)
    if scope.chance(0.15) and len(shape) == 2:
        text += ".t()"
    if scope.chance(0.5):
        text += scope.choose(".requires_grad_()", ".requires_grad_()", ".clone().requires_grad_()")
    return f"{scope.fresh()} = {text}"


def any_dtype(scope: Scope) -> str:
    return f"{scope.fresh()} = {scope.literal(scope.shape(), scope.choose(*DTYPES))}"
