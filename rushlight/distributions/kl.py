"""Kullback-Leibler divergence, by pairs of families."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.distributions.distribution import Distribution

# by pairs of classes, or of the names of ours, which need not be loaded for it
FORMULAS: dict[tuple[type | str, type | str], Callable] = {}
# what was found for pairs of classes
KNOWN: dict[tuple[type, type], Callable | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Decorate the formula for a pair of families.

    >>> @register_kl(Normal, MyFamily)
    ... def kl_normal_mine(p, q):
    ...     return (p.loc - q.loc).abs()
    """
    for name, each in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(each, type) and issubclass(each, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {each}")

    def register(function: Callable) -> Callable:
        FORMULAS[type_p, type_q] = function
        KNOWN.clear()
        return function

    return register


def formula(name_p: str, *names_q: str) -> Callable:
    """Decorate the formula for one of our families and some others, all by name."""

    def register(function: Callable) -> Callable:
        FORMULAS.update({(name_p, name_q): function for name_q in names_q})
        return function

    return register


def names_in_order(family: type) -> list[type | str]:
    """The class and its bases, the nearest first; ours are also found by their names."""
    found: list[type | str] = []
    for each in family.__mro__:
        found.append(each)
        if each.__module__.startswith("rushlight.distributions."):
            found.append(each.__name__)
    return found


def formula_for(type_p: type, type_q: type) -> Callable | None:
    """The formula for the nearest pair of base classes."""
    from rushlight.distributions import divergences, divergences_across  # noqa: F401

    ps, qs = names_in_order(type_p), names_in_order(type_q)
    found = [(p, q) for p in range(len(ps)) for q in range(len(qs)) if (ps[p], qs[q]) in FORMULAS]
    if not found:
        return None
    left, right = [(ps[p], qs[q]) for p, q in (min(found), min(found, key=lambda pair: pair[::-1]))]
    if FORMULAS[left] is not FORMULAS[right]:
        shown = [each if isinstance(each, str) else each.__name__ for each in (left[0], right[1])]
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({', '.join(shown)})",
            RuntimeWarning,
        )
    return FORMULAS[left]


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


__all__ = ["kl_divergence", "register_kl"]
