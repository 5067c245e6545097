"""torch.utils.flop_counter: a count of floating point operations."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "operations are not counted; time them with torch.utils.benchmark.Timer"
NAMES = table(": FlopCounterMode register_flop_formula")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.flop_counter", NAMES, WHY)
