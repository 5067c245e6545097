"""Kullback-Leibler divergence, by pairs of families."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.errors.warning import warn

# what programs register, by pairs of classes
FORMULAS: dict[tuple[type, type], Callable] = {}
_KL_REGISTRY = FORMULAS  # torch's name
# ours, by pairs of names: the families need not be loaded for it
NAMED: dict[tuple[str, str], Callable] = {}
# what the modules of our own classes begin with; the second while `torch` means Rushlight
OURS = ("rushlight.distributions.", "torch.distributions.")
# what was found for pairs of classes
KNOWN: dict[tuple[type, type], Callable | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Decorate the formula for a pair of families.

    >>> class MyFamily(torch.distributions.Normal): ...
    >>> @torch.distributions.register_kl(torch.distributions.Normal, MyFamily)
    ... def kl_normal_mine(p, q):
    ...     return (p.loc - q.loc).abs()
    """
    # any two classes: a public package registers one that is no Distribution, which torch accepts
    for name, each in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(each, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {each}")

    def register(function: Callable) -> Callable:
        FORMULAS[type_p, type_q] = function
        KNOWN.clear()
        return function

    return register


def formula(name_p: str, *names_q: str) -> Callable:
    """Decorate the formula for one of our families and some others, all by name."""

    def register(function: Callable) -> Callable:
        NAMED.update({(name_p, name_q): function for name_q in names_q})
        return function

    return register


def registered(type_p: type, type_q: type) -> Callable | None:
    """The formula for just these two classes."""
    if (type_p, type_q) in FORMULAS:
        return FORMULAS[type_p, type_q]
    ours = all([each.__module__.startswith(OURS) for each in (type_p, type_q)])
    return NAMED.get((type_p.__name__, type_q.__name__)) if ours else None


def formula_for(type_p: type, type_q: type) -> Callable | None:
    """The formula for the nearest pair of base classes."""
    from rushlight.distributions import divergences, divergences_across  # noqa: F401

    ps, qs = type_p.__mro__, type_q.__mro__
    found = [(p, q) for p in range(len(ps)) for q in range(len(qs)) if registered(ps[p], qs[q])]
    if not found:
        return None
    # p may count first, or q
    left, right = [(ps[p], qs[q]) for p, q in (min(found), min(found, key=lambda pair: pair[::-1]))]
    if registered(*left) is not registered(*right):
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
        )
    return registered(*left)


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The expected difference of log-probabilities under `p`, one number for each batch entry."""
    pair = type(p), type(q)
    if pair not in KNOWN:
        KNOWN[pair] = formula_for(*pair)
    found = KNOWN[pair]
    if found is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {pair[0].__name__} and q type {pair[1].__name__}: "
            "write one with register_kl"
        )
    return found(p, q)


def __getattr__(name: str) -> Callable:
    """Formulas under torch's names, such as `_kl_normal_normal` and `_kl_expfamily_expfamily`."""
    from rushlight.distributions import divergences, divergences_across  # noqa: F401

    for (name_p, name_q), function in NAMED.items():
        both = f"kl{name_p}{name_q}".replace("ExponentialFamily", "ExpFamily")
        if name.replace("_", "") == both.lower():
            return function
    raise AttributeError(f"module 'torch.distributions.kl' has no attribute '{name}'")


__all__ = ["kl_divergence", "register_kl"]
