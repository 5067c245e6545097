"""The catalogue: every check, declared above its function with what it listens to and how sure it has to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight.doctor.finding import Finding
    from rushlight.doctor.watch import Watch

    Body = Callable[[Watch, Any], Iterable[Finding] | None]

# files of checks/, in the order in which findings of one severity are shown
CHAPTERS = (
    "history",
    "parameters",
    "leaves",
    "ownership",
    "optimizers",
    "accumulation",
    "aliasing",
    "dtypes",
    "losses",
    "dimensions",
    "numerics",
    "activations",
    "modes",
    "data",
    "agents",
    "objectives",
    "targets",
    "fallback",
)


@dataclass(slots=True)
class Check:
    """One entry: `wait` is in how many steps running a finding must be seen before it is told."""

    id: str
    tier: int
    severity: str
    on: tuple[type, ...]
    body: Body
    names: frozenset[str] | None
    wait: int
    short_runs: bool

    @property
    def explanation(self) -> str:
        """The sentence of its docstring."""
        return (self.body.__doc__ or "").strip()


checks: dict[str, Check] = {}


def check(
    id: str,
    *,
    tier: int,
    severity: str,
    on: type | tuple[type, ...],
    names: Iterable[str] | None = None,
    wait: int = 1,
    short_runs: bool = False,
) -> Callable[[Body], Body]:
    """Declare a function as the check for `id`.

    It is called as `function(watch, event)` for each event of the kinds `on`; of calls, only for those of the functions
    in `names` if there are any. It yields findings. With `short_runs` a program of fewer steps than `wait` is told what
    was seen at each of them.
    """

    def declare(body: Body) -> Body:
        if id in checks:
            raise ValueError(f"two checks have the id {id}")
        kinds = on if isinstance(on, tuple) else (on,)
        checks[id] = Check(
            id, tier, severity, kinds, body, None if names is None else frozenset(names), wait, short_runs
        )
        return body

    return declare


def all_checks() -> dict[str, Check]:
    """Every check by its id; the chapters are loaded when they are first asked for."""
    for name in CHAPTERS:
        import_module(f"rushlight.doctor.checks.{name}")
    return checks


def listening(wanted: Iterable[Check]) -> Iterator[tuple[type, Check]]:
    """Which kinds of events each of the checks listens to."""
    for each in wanted:
        for kind in each.on:
            yield kind, each
