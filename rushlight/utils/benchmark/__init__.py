"""torch.utils.benchmark: timing of a statement, warmed up, repeated, and told in words."""

from rushlight.core.surface.lazy import names_of
from rushlight.utils.benchmark.compare import Compare
from rushlight.utils.benchmark.measurement import Measurement, TaskSpec, select_unit
from rushlight.utils.benchmark.timer import Language, Timer, timer

__all__ = ["Compare", "Language", "Measurement", "TaskSpec", "Timer", "select_unit", "timer"]

__getattr__ = names_of("rushlight.utils.benchmark")
