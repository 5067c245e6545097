"""Verdicts: whether the library's outcome agrees with torch's, with the doubt that torch itself leaves."""

from collections.abc import Callable

from conformance.accuracy import in_double, is_as_accurate
from conformance.calls import Arguments, observe
from conformance.compare import Rules, compare_outcomes
from conformance.libraries import Library
from conformance.outcomes import Outcome
from conformance.ties import resolve_ties


def disagreement(
    name: str, arguments: Arguments, expected: Outcome, got: Outcome, rules: Rules, reference: Callable
) -> str | None:
    """How `got` differs from torch's outcome, or None.

    Among equal elements either may choose; where only values differ, `reference`, which is torch's function,
    has the last word in double precision.
    """
    wanted = resolve_ties(name, arguments, expected)
    given = resolve_ties(name, arguments, got)
    reason = compare_outcomes(wanted, given, rules)
    if reason is None or "value:" not in reason:
        return reason
    exact = resolve_ties(name, arguments, observe(Library("torch"), reference, in_double(arguments)))
    return None if is_as_accurate(wanted, given, exact, rules) else reason
